/*
 * What the pool is made of, for pool.c and for its test, which looks at the
 * boxes that wait and says when a timer has run out.
 */
#ifndef SUPERVISOR_RUN_POOL_PARTS_H
#define SUPERVISOR_RUN_POOL_PARTS_H

#include <stdint.h>
#include <sys/queue.h>

#include "pool.h"

struct box;
struct event;
struct runs;

/* A box that waits, or that is being built to wait. */
struct pool_entry {
	TAILQ_ENTRY(pool_entry) entry;
	struct pool *pool;
	struct box *box;
	uint64_t born_ms;
	int ready;
};

TAILQ_HEAD(pool_entries, pool_entry);

struct pool {
	struct runs *runs;
	struct pool_entries entries; /* the oldest first */
	unsigned int ready;
	unsigned int starting;
	unsigned int wanted; /* so many are to be ready */
	unsigned int most;
	int follows; /* the demand */
	int begun;
	unsigned int unused; /* boxes that were ready all through the period */
	unsigned int calls;  /* of the period */
	unsigned int quiet;  /* periods without calls, one behind the other */
	struct event *fill;   /* missing boxes are to be started */
	struct event *period; /* a look at what was used, and how old it is */
	uint64_t missing_ms;  /* since when they are to be */
	unsigned int pause_ms; /* after a box that failed; 0: none has */
	uint64_t resume_ms;    /* no box is started before */
};

#endif
