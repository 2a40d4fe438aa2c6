/*
 * Boxes that are started before a call needs them. Each is used once, and is
 * replaced when no call is running. Their number follows the demand, or is the
 * value of the option pool; languages that were used lately share it.
 */
#ifndef SUPERVISOR_POOL_H
#define SUPERVISOR_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../options/options.h"

struct box;
struct event;
struct language;
struct runs;

/* A box of the pool. Its test looks at this, and at what follows. */
struct pool_entry {
	TAILQ_ENTRY(pool_entry) entry;
	struct pool_share *share;
	struct box *box;
	uint64_t born_ms;
	enum { POOL_STARTING, POOL_READY } phase;
};

TAILQ_HEAD(pool_entries, pool_entry);

/* The boxes of one language. */
struct pool_share {
	TAILQ_ENTRY(pool_share) entry;
	struct pool *pool;
	const struct language *language;
	struct pool_entries entries; /* oldest first */
	unsigned int boxes;
	unsigned int ready;  /* of them */
	unsigned int wanted; /* target for both */
	unsigned int unused; /* boxes unused during the whole period */
	unsigned int calls;  /* in this period */
	unsigned int quiet;  /* consecutive periods without calls */
};

struct pool {
	struct runs *runs;
	TAILQ_HEAD(, pool_share) shares; /* the one used last first */
	struct pool_share main; /* of the default language */
	unsigned int starting;
	unsigned int most;
	bool follows; /* main follows the demand, as the others do */
	bool begun;
	unsigned int rest; /* quiet periods after which a share is emptied */
	uint64_t period_ms;
	struct event *fill;   /* timer: start missing boxes */
	struct event *period; /* timer: check use and age */
	uint64_t missing_ms;  /* since when boxes are missing */
	unsigned int pause_ms; /* after a failure; 0: no failure */
	uint64_t resume_ms;    /* no start before this time */
	bool tried;  /* a box was ready, or failed */
	char *fault; /* why the last box failed; NULL: it did not */
};

/*
 * pool_new returns a pool without boxes, which starts none before pool_begin;
 * runs must outlive it. pool_free frees it and its boxes.
 */
struct pool *pool_new(struct runs *runs);
void pool_free(struct pool **pool);

/* The functions below accept NULL: a pool that never has a box. */

/* Returns how many boxes are ready, and why the last one failed, or NULL. */
unsigned int pool_ready(const struct pool *pool);
const char *pool_fault(const struct pool *pool);

/*
 * Called when a client connects: the first box starts soon. One call suffices.
 */
void pool_begin(struct pool *pool);

/*
 * Returns whether a box was tried. If not, or if the last one failed, has one
 * tried; a pool that may have none drops it when it is ready.
 */
int pool_try(struct pool *pool);

/*
 * Takes the box of this language that has waited longest, or, if none is ready,
 * the one that will be ready first. The caller owns it, and is notified of its
 * changes after box_give(). Boxes that have ended, or whose interpreter has
 * been replaced on disk, are dropped. Returns NULL if there is none; there is
 * never one of an image, which could not be removed while its box waits.
 */
struct box *pool_take(struct pool *pool, const struct language *language);

/*
 * Called when a call has ended: missing boxes are started soon, from the loop.
 */
void pool_wake(struct pool *pool);

/* Drops all boxes for good; the caller takes none afterwards. */
void pool_stop(struct pool *pool);

/*
 * Returns the largest number of boxes that a pool may have with these options
 * on this machine. The limit on descriptors must allow for it.
 */
unsigned int pool_most(const struct options *options);

#endif
