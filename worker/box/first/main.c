/*
 * Process 1 of a container whose language is an image. It starts the command of
 * the image, and reaps what other processes leave. It kills what the command
 * leaves, and exits as the command does. If the command were process 1, the
 * kernel would not deliver its own signals to it. Runs in the box, as the user
 * of the code; writes only the marks of common/process_one.h, by which an exit
 * status of the command differs from one of the engine, and why the command
 * cannot be executed. The last mark comes when all other processes have ended,
 * so nothing follows it.
 *
 * Usage: first [--] COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/process_one.h"

/* As shells exit, and as the clients of engines tell of a signal. */
enum {
	FIRST_NOT_EXECUTED = 127,
	FIRST_SIGNALS = 128,
};

/* Returns whether the whole text was written to the standard output. */
static int
first_mark(const char *mark)
{
	ssize_t len = (ssize_t)strlen(mark);

	return write(STDOUT_FILENO, mark, (size_t)len) == len;
}

/* The last line of the errors is this one. */
static int
first_complain(const char *what, const char *why)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, why);
	first_mark(PROCESS_ONE_FAILED);
	return FIRST_NOT_EXECUTED;
}

/* These pipes end with the code's own copies. */
static void
first_close(void)
{
	close(STDIN_FILENO);
	close(STDERR_FILENO);
}

/* Reaps all until the command has ended. Returns whether its end is known. */
static int
first_reap(pid_t command, int *status)
{
	pid_t pid;

	do
		pid = wait(status);
	while (pid != command && (pid != -1 || errno == EINTR));
	return pid == command;
}

/* Ends all that the command has left, which could still print. */
static void
first_clear(void)
{
	if (getpid() == 1)
		kill(-1, SIGKILL);
	while (wait(NULL) != -1 || errno == EINTR)
		;
}

/* The last bytes of the standard output, as it was before the command. */
static void
first_tell(int status)
{
	int killed = WIFSIGNALED(status);

	fcntl(STDOUT_FILENO, F_SETFL,
	    fcntl(STDOUT_FILENO, F_GETFL) & ~O_NONBLOCK);
	dprintf(STDOUT_FILENO, "%s%03d\n",
	    killed ? PROCESS_ONE_SIGNAL : PROCESS_ONE_EXIT,
	    killed ? WTERMSIG(status) : WEXITSTATUS(status));
}

int
main(int argc, char **argv)
{
	/* podman puts "--" between the path of process 1 and the command. */
	char **command = argv + 1 + (argc > 1 && strcmp(argv[1], "--") == 0);
	pid_t pid;
	int status;

	/* It must precede all output of the command. */
	if (!first_mark(PROCESS_ONE_STARTED))
		return FIRST_NOT_EXECUTED;
	if (command[0] == NULL)
		return first_complain("process 1", "there is no command");
	pid = fork();
	if (pid == -1)
		return first_complain(PROCESS_ONE_NO_PROCESS, strerror(errno));
	if (pid == 0) {
		execvp(command[0], command);
		return first_complain(command[0], strerror(errno));
	}
	first_close();
	if (!first_reap(pid, &status))
		return FIRST_NOT_EXECUTED;
	first_clear();
	first_tell(status);
	return WIFSIGNALED(status) ? FIRST_SIGNALS + WTERMSIG(status) :
	                             WEXITSTATUS(status);
}
