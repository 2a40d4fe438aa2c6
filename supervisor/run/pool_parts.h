/*
 * The parts of the pool, for pool.c and for its test, which looks at the
 * waiting boxes and triggers the timers.
 */
#ifndef SUPERVISOR_RUN_POOL_PARTS_H
#define SUPERVISOR_RUN_POOL_PARTS_H

#include <stdint.h>
#include <sys/queue.h>

#include "pool.h"

struct box;
struct event;
struct runs;

/* A box that is ready for a call, or is being built for the pool. */
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
	struct pool_entries entries; /* oldest first */
	unsigned int ready;
	unsigned int starting;
	unsigned int wanted; /* target for ready */
	unsigned int most;
	int follows; /* wanted follows the demand */
	int begun;
	unsigned int unused; /* boxes unused during the whole period */
	unsigned int calls;  /* in this period */
	unsigned int quiet;  /* consecutive periods without calls */
	unsigned int rest;   /* as many of them, and the pool is emptied */
	uint64_t period_ms;
	struct event *fill;   /* timer: start missing boxes */
	struct event *period; /* timer: check use and age */
	uint64_t missing_ms;  /* since when boxes are missing */
	unsigned int pause_ms; /* after a failure; 0: no failure */
	uint64_t resume_ms;    /* no start before this time */
};

#endif
