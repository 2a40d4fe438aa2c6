/*
 * Tries in a container what no box may do, for an engine may ignore a limit
 * without an error. It is a program of ours, which needs nothing of the image:
 * one of the image could tell the supervisor whatever that would like to hear.
 * Runs in the box, as its command; the container has small limits. If all
 * promises are kept, it runs the interpreter of the image, to see whether boxes
 * can.
 *
 * Usage: trial INTERPRETER [ARGUMENT...]
 *
 * The exit status says which promise is not kept: TRIAL_FIRST and its number.
 * Otherwise it is that of the interpreter.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/trial.h"
#include "trial.h"

/* As engines exit, and as shells do for a signal. */
enum {
	TRIAL_NOT_STARTED = 126,
	TRIAL_NOT_FOUND = 127,
	TRIAL_SIGNALS = 128,
};

static const struct {
	const char *name;
	int (*holds)(void);
} trial_steps[TRIAL_PROMISES] = {
	[TRIAL_USER] = { "user", rights_no_root },
	[TRIAL_CAPABILITIES] = { "capabilities", rights_no_capabilities },
	[TRIAL_PRIVILEGES] = { "privileges", rights_no_new_privileges },
	[TRIAL_FILTER] = { "filter", rights_filtered },
	[TRIAL_NETWORK] = { "network", reach_no_network },
	[TRIAL_READ_ONLY] = { "read-only", places_read_only },
	[TRIAL_NOEXEC] = { "noexec", places_noexec },
	[TRIAL_ALONE] = { "alone", reach_no_process },
	[TRIAL_PROCESSES] = { "processes", amounts_processes },
	[TRIAL_MEMORY] = { "memory", amounts_memory },
	[TRIAL_VOLUMES] = { "volumes", places_no_volumes },
};

/* Returns the first promise that is not kept, or TRIAL_PROMISES. */
static int
trial_run(void)
{
	int i, holds;

	for (i = 0; i < TRIAL_PROMISES; i++) {
		holds = trial_steps[i].holds();
		if (holds == -1)
			fprintf(stderr, "%s: %s\n", trial_steps[i].name,
			    strerror(errno));
		if (holds != 1)
			break;
	}
	return i;
}

/* A child. The sentence is that of engines, which the supervisor knows. */
static int
trial_become(char **command)
{
	execvp(command[0], command);
	if (errno == ENOENT) {
		fprintf(stderr, "%s: executable file not found in $PATH\n",
		    command[0]);
		return TRIAL_NOT_FOUND;
	}
	fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
	return TRIAL_NOT_STARTED;
}

/* Returns the status of the interpreter, which tells of no promise. */
static int
trial_interpret(char **command)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(trial_become(command));
	if (child == -1 || waitpid(child, &status, 0) == -1) {
		perror("trial");
		return EXIT_FAILURE;
	}
	if (WIFSIGNALED(status))
		return TRIAL_SIGNALS + WTERMSIG(status);
	status = WEXITSTATUS(status);
	return status >= TRIAL_FIRST && status < TRIAL_FIRST + TRIAL_PROMISES ?
	    EXIT_FAILURE : status;
}

int
main(int argc, char **argv)
{
	int promise;

	if (argc < 2) {
		fprintf(stderr, "usage: trial INTERPRETER [ARGUMENT...]\n");
		return EXIT_FAILURE;
	}
	promise = trial_run();
	return promise < TRIAL_PROMISES ? TRIAL_FIRST + promise :
	                                  trial_interpret(argv + 1);
}
