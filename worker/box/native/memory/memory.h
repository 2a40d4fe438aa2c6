/* The watchdog of the box, in memory.c: its state, and how init runs it. */
#ifndef WORKER_BOX_NATIVE_MEMORY_MEMORY_H
#define WORKER_BOX_NATIVE_MEMORY_MEMORY_H

#include <sched.h>
#include <stdbool.h>
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
	bool kept_off; /* from the reserved processor, for ever */
	bool looked; /* its pages were examined: the following are valid */
	uint64_t looked_rss; /* rss at that time */
	uint64_t private; /* of these, shared with no other process */
	uint64_t share; /* its part of all its pages */
	uint64_t newest; /* the newest process or thread at that time */
	uint64_t faults; /* page faults until then */
};

/* A process whose first thread has ended. */
struct memory_headless {
	pid_t pid;
	pid_t thread; /* one of the others */
};

/* How far the processes of the box are kept from running. */
enum memory_held {
	MEMORY_RUNS,
	MEMORY_HELD, /* stopped one by one */
	MEMORY_HELD_AT_ONCE, /* and by one signal to all */
};

/* memory_hold.c: the processes that are stopped to be counted. */
struct memory_hold {
	enum memory_held state;
	uint64_t tried_ns; /* their CPU time at the last try; 0: unknown */
	pid_t known[BOX_MEMORY_KNOWN]; /* their number at that time */
	size_t nknown;
	pid_t forced[BOX_MEMORY_FORCED]; /* those stopped one by one */
	size_t nforced;
	struct memory_headless headless[BOX_MEMORY_FORCED];
	size_t nheadless;
};

/* memory_pace.c: when it measures, and on which processors. */
struct memory_pace {
	uint64_t speed; /* bytes per second that a box can fill */
	uint64_t look_ms; /* duration of the last measurement */
	uint64_t planned_ms; /* planned start, 0 for any time */
	uint64_t cpu_ms; /* CPU time of this process when that was planned */
	bool crowded; /* it may be delayed when all threads run */
	bool narrow; /* a processor is reserved for it */
	cpu_set_t others; /* the processors that remain for the code */
};

/* memory_share.c: parts of shared pages, which are counted again and again. */
struct memory_shares {
	bool partly; /* this measurement reuses them */
	bool whole; /* the next one must not */
	uint64_t given; /* parts of pages that may have passed to others */
	uint64_t newest; /* the newest process or thread at the beginning */
	uint64_t last_pid; /* the same at the end; 0: unknown */
	uint64_t threads; /* their number at the end */
};

/* The memory of the kernel for mappings. */
struct memory_maps {
	uint64_t bytes; /* when they were counted */
	uint64_t next_ms; /* when they are counted again */
	bool due; /* in this measurement */
};

/* What the box is kept for. */
enum memory_session {
	MEMORY_ONE_CALL,
	MEMORY_CLEARS, /* a session: see clear.c */
	MEMORY_STOPS, /* whose code has no processor between two calls */
};

/* The watchdog of init: its sources and its measurements. */
struct memory {
	int proc; /* a /proc that shows every process of the box */
	int places[MEMORY_PLACES];
	size_t nplaces;
	uint64_t limit; /* above it the box is ended */
	uint64_t socket_bytes; /* capacity of one socket */
	bool several; /* there are processes besides the code and its holder */
	enum memory_session session;
	uint64_t cpu_seconds; /* of a call of it */
	uint64_t cpu_ns; /* sum of all measured processes */
	int usage_fd; /* the file that the supervisor reads */
	struct box_usage usage;
	struct memory_hold hold;
	struct memory_pace pace;
	struct memory_shares shares;
	struct memory_maps maps;
	struct memory_clock clocks[BOX_MEMORY_CLOCKS];
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
