/*
 * Whether the interpreter of the image can run a box: see trial.h. Runs in the
 * box. Its status tells of no promise, since an image may have any interpreter.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/trial.h"
#include "trial.h"

/* As shells exit for a missing or another failed command. */
enum {
	INTERPRETER_NOT_STARTED = 126,
	INTERPRETER_NOT_FOUND = 127,
};

static pid_t interpreter_child;
static volatile sig_atomic_t interpreter_late;

static void
interpreter_on_alarm(int number __attribute__((unused)))
{
	interpreter_late = 1;
	kill(interpreter_child, SIGKILL);
}

/* A child. Only its errors are of interest. */
static int
interpreter_become(char **command)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null == -1 || dup2(null, STDOUT_FILENO) == -1) {
		perror("/dev/null");
		return INTERPRETER_NOT_STARTED;
	}
	execvp(command[0], command);
	if (errno == ENOENT)
		return INTERPRETER_NOT_FOUND;
	perror(command[0]);
	return INTERPRETER_NOT_STARTED;
}

/* Waits for the child. Returns 0, or -1 with errno. */
static int
interpreter_await(unsigned int seconds, int *status)
{
	const struct sigaction action = { .sa_handler = interpreter_on_alarm,
		.sa_flags = SA_RESTART };
	pid_t ended;

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
	ended = waitpid(interpreter_child, status, 0);
	alarm(0);
	return ended == -1 ? -1 : 0;
}

int
interpreter_try(char **command, unsigned int seconds)
{
	int status;

	interpreter_child = fork();
	if (interpreter_child == 0)
		_exit(interpreter_become(command));
	if (interpreter_child == -1 ||
	    interpreter_await(seconds, &status) == -1) {
		perror("cannot run the interpreter");
		return TRIAL_INTERPRETER_FAILED;
	}
	if (WIFSIGNALED(status) && interpreter_late)
		return TRIAL_INTERPRETER_LATE;
	if (WIFSIGNALED(status))
		fprintf(stderr, "killed by signal %d\n", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == INTERPRETER_NOT_FOUND)
		return TRIAL_NO_INTERPRETER;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ?
	    0 : TRIAL_INTERPRETER_FAILED;
}
