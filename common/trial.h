/*
 * What the program trial tells of an engine, by the exit status: the first
 * promise that is not kept. worker/box/trial tries them in a container, and
 * supervisor/box/container_trial.c has a sentence for each.
 */
#ifndef COMMON_TRIAL_H
#define COMMON_TRIAL_H

/* The status for the first of them: above those of sysexits. */
#define TRIAL_FIRST 80

/* In the order in which they are tried. */
enum trial_promise {
	TRIAL_USER,         /* the code is not root */
	TRIAL_CAPABILITIES, /* it has none */
	TRIAL_PRIVILEGES,   /* no_new_privs is set */
	TRIAL_FILTER,       /* of system calls */
	TRIAL_NETWORK,      /* there is none */
	TRIAL_READ_ONLY,    /* is the system */
	TRIAL_NOEXEC,       /* are the writable directories */
	TRIAL_ALONE,        /* no process of the host is seen */
	TRIAL_PROCESSES,    /* are limited */
	TRIAL_MEMORY,       /* is limited */
	TRIAL_VOLUMES,      /* no other directory can be written */
	TRIAL_PROMISES,
};

#endif
