/*
 * The watchdog of the box, in memory.c: what it notes, and how init runs it.
 */
#ifndef WORKER_BOX_NATIVE_MEMORY_H
#define WORKER_BOX_NATIVE_MEMORY_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../common/box_usage.h"
#include "../../../common/err.h"
#include "../../../common/limits.h"

/* The places where the code may write. */
#define MEMORY_PLACES 4

/* What was known of a process when it was looked at last. */
struct memory_clock {
	pid_t pid;
	int looked; /* at its pages: shared holds */
	uint64_t ns; /* CPU time */
	uint64_t rss; /* bytes, without pages of files */
	uint64_t shared; /* of them, with any other process */
};

/* The watchdog of init: what it looks at, and what it has seen. */
struct memory {
	int proc; /* a /proc that shows every process of the box */
	int places[MEMORY_PLACES];
	uint64_t limit; /* above it the box ends */
	uint64_t speed; /* bytes a second that a box can fill */
	uint64_t socket_bytes; /* what one can hold */
	uint64_t look_ms; /* how long the last look has taken */
	int several; /* there are more processes than the code and its holder */
	uint64_t planned_ms; /* when it was to begin, 0 for any time */
	uint64_t cpu_ms; /* our CPU time when that was planned */
	int held; /* all processes were stopped */
	pid_t known[BOX_MEMORY_KNOWN]; /* those that there were then */
	size_t nknown;
	pid_t forced[BOX_MEMORY_FORCED]; /* those stopped one by one */
	size_t nforced;
	uint64_t cpu_ns; /* of all processes that were seen */
	struct box_usage usage;
	int usage_fd; /* where the supervisor reads it */
	struct memory_clock clocks[BOX_MEMORY_CLOCKS];
	int crowded; /* it may not run in time when all threads want to */
	int narrow; /* a processor is kept for it */
	cpu_set_t others; /* those that are left to the code then */
	uint64_t maps_ms; /* when the parts of memory are counted again */
	int maps_due; /* in this look */
	/* Those of the last look, when there were no more. */
	pid_t seen[BOX_MEMORY_SEEN];
	uint64_t used_ns; /* their CPU time before that, 0 for not known */
};

/*
 * Notes what it needs, with the working
 * directory at the root of the view; proc is a directory that shows every
 * process, line any socket of the box, limit is in bytes. The descriptors stay
 * open. Returns 0, or -1 with err.
 */
int memory_open(struct memory *memory, int proc, int line, uint64_t limit,
    struct err *err);
/* Looks again and again, and ends as BOX_EXIT_* when it must. */
void memory_watch(struct memory *memory) __attribute__((noreturn));

#endif
