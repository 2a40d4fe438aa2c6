/*
 * What the program trial tells by its exit status: which promise of a container
 * is not kept or could not be tried, or what the interpreter of the image did.
 * worker/box/trial tries them in a container, and
 * supervisor/box/container/trial.c has a sentence for each.
 */
#ifndef COMMON_TRIAL_H
#define COMMON_TRIAL_H

/* In the order in which they are tried. */
enum trial_promise {
	TRIAL_USER,         /* the code is not root */
	TRIAL_CAPABILITIES, /* it has no capabilities */
	TRIAL_PRIVILEGES,   /* no_new_privs is set */
	TRIAL_FILTER,       /* system calls are filtered */
	TRIAL_NETWORK,      /* there is no network */
	TRIAL_READ_ONLY,    /* the root directory is read-only */
	TRIAL_NOEXEC,       /* no file in /tmp and /workspace can be executed */
	TRIAL_ALONE,        /* no process of the host is seen */
	TRIAL_PROCESSES,    /* the number of processes is limited */
	TRIAL_MEMORY,       /* the memory is limited */
	TRIAL_VOLUMES,      /* no other directory can be written */
	TRIAL_PROMISES,
};

/*
 * The exit statuses but 0: above those of sysexits, below those of engines. The
 * last line of the errors is the cause where something could not be tried, or
 * the interpreter failed.
 */
enum trial_status {
	TRIAL_FIRST = 80,    /* and a promise: it is not kept */
	TRIAL_UNTRIED = 100, /* and a promise: it could not be tried */
	TRIAL_NO_INTERPRETER = 120,
	TRIAL_INTERPRETER_FAILED,
	TRIAL_INTERPRETER_LATE, /* after CONTAINER_INTERPRETER_S */
};

_Static_assert(TRIAL_FIRST + TRIAL_PROMISES <= TRIAL_UNTRIED &&
        TRIAL_UNTRIED + TRIAL_PROMISES <= TRIAL_NO_INTERPRETER,
    "each status of the trial has one meaning");

#endif
