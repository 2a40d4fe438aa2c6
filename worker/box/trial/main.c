/*
 * Tries in a container what no box may do, because an engine may ignore a limit
 * without an error. It is a program of ours, which needs nothing of the image:
 * one of the image could report that a promise is kept although it is not. Runs
 * in the box, as its command; the container has small limits. If all promises
 * are kept, it runs the interpreter of the image, to see whether boxes can.
 *
 * Usage: trial INTERPRETER [ARGUMENT...]
 *
 * The exit status is 0 or one of common/trial.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/trial.h"
#include "trial.h"

static int (*const trial_steps[TRIAL_PROMISES])(void) = {
	[TRIAL_USER] = rights_no_root,
	[TRIAL_CAPABILITIES] = rights_no_capabilities,
	[TRIAL_PRIVILEGES] = rights_no_new_privileges,
	[TRIAL_FILTER] = rights_filtered,
	[TRIAL_NETWORK] = reach_no_network,
	[TRIAL_READ_ONLY] = places_read_only,
	[TRIAL_NOEXEC] = places_noexec,
	[TRIAL_ALONE] = reach_no_process,
	[TRIAL_PROCESSES] = amounts_processes,
	[TRIAL_MEMORY] = amounts_memory,
	[TRIAL_VOLUMES] = places_no_volumes,
};

/* Returns the status for the first promise that is not kept, or 0. */
static int
trial_run(void)
{
	int i, holds;

	for (i = 0; i < TRIAL_PROMISES; i++) {
		holds = trial_steps[i]();
		if (holds == -1) {
			fprintf(stderr, "%s\n", strerror(errno));
			return TRIAL_UNTRIED + i;
		}
		if (!holds)
			return TRIAL_FIRST + i;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: trial INTERPRETER [ARGUMENT...]\n");
		return EXIT_FAILURE;
	}
	status = trial_run();
	return status != 0 ? status :
	    interpreter_try(argv + 1, CONTAINER_INTERPRETER_S);
}
