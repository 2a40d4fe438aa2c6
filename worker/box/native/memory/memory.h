/*
 * The watchdog of the box, in memory.c: its state, and how init runs it.
 */
#ifndef WORKER_BOX_NATIVE_MEMORY_MEMORY_H
#define WORKER_BOX_NATIVE_MEMORY_MEMORY_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../../common/box_usage.h"
#include "../../../../common/base/err.h"
#include "../../../../common/limits.h"

/* The places where the code may write; the last is that of a conversation. */
#define MEMORY_PLACES 5

/* The state of a process at the last measurement. */
struct memory_clock {
	pid_t pid;
	uint64_t ns; /* CPU time */
	uint64_t rss; /* bytes, without pages of files */
	int looked; /* its pages were examined: the following are valid */
	uint64_t looked_rss; /* rss at that time */
	uint64_t shared; /* of these, shared with any other process */
	uint64_t share; /* its part of all its pages */
	uint64_t faults; /* page faults until then */
};

/* A process whose first thread has ended. */
struct memory_headless {
	pid_t pid;
	pid_t thread; /* one of the others */
};

/* The watchdog of init: its sources and its measurements. */
struct memory {
	int proc; /* a /proc that shows every process of the box */
	int places[MEMORY_PLACES];
	size_t nplaces;
	uint64_t limit; /* above it the box is ended */
	uint64_t speed; /* bytes per second that a box can fill */
	uint64_t socket_bytes; /* capacity of one socket */
	uint64_t look_ms; /* duration of the last measurement */
	int several; /* there are processes besides the code and its holder */
	uint64_t planned_ms; /* planned start, 0 for any time */
	uint64_t cpu_ms; /* CPU time of this process when that was planned */
	int held; /* all processes were stopped */
	int at_once; /* and by one signal to all */
	uint64_t tried_ns; /* their CPU time at the last try; 0: unknown */
	pid_t known[BOX_MEMORY_KNOWN]; /* their number at that time */
	size_t nknown;
	pid_t forced[BOX_MEMORY_FORCED]; /* those stopped one by one */
	size_t nforced;
	struct memory_headless headless[BOX_MEMORY_FORCED];
	size_t nheadless;
	uint64_t cpu_ns; /* sum of all measured processes */
	struct box_usage usage;
	int usage_fd; /* the file that the supervisor reads */
	int clears; /* the box is for a session: see clear.c */
	int stops;  /* and its code has no processor between two calls */
	uint64_t cpu_seconds; /* of a call of it */
	struct memory_clock clocks[BOX_MEMORY_CLOCKS];
	int crowded; /* it may be delayed when all threads run */
	int narrow; /* a processor is reserved for it */
	int partly; /* this measurement reuses shares: see memory_share.c */
	int whole; /* the next one must not */
	uint64_t given; /* parts of pages that may have passed to others */
	uint64_t maps; /* kernel memory of mappings, when they were counted */
	uint64_t last_pid; /* the newest process or thread at that time */
	uint64_t threads; /* their number */
	cpu_set_t others; /* the processors that remain for the code */
	uint64_t maps_ms; /* when mappings are counted again */
	int maps_due; /* in this measurement */
	/* Those of the last measurement, if there were no more. */
	pid_t seen[BOX_MEMORY_SEEN];
	uint64_t used_ns; /* their CPU time before that, 0 if unknown */
};

/*
 * Initializes the watchdog. The working directory must be the root of the view;
 * proc is a directory that shows every process, line any socket of the box,
 * limit is in bytes; data: the box has a place for a conversation. The
 * descriptors stay open. Returns 0, or -1 with err.
 */
int memory_open(struct memory *memory, int proc, int line, uint64_t limit,
    int data, struct err *err);
/*
 * Measures repeatedly, and exits with BOX_EXIT_* when necessary: until a line
 * can be read or has ended, or for ever.
 */
void memory_watch_until(struct memory *memory, int line);
void memory_watch(struct memory *memory) __attribute__((noreturn));

/*
 * clear.c: ends the processes that programs of a session leave, whenever the
 * supervisor asks for it. For a box that is not watched; usage_fd and proc must
 * be set.
 */
void clear_serve(struct memory *memory) __attribute__((noreturn));

#endif
