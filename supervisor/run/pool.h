/*
 * Boxes that are started before a call needs them. Each is used once, and is
 * replaced when no call is running. Their number follows the demand, or is the
 * value of the option pool. Runs in the supervisor.
 */
#ifndef SUPERVISOR_POOL_H
#define SUPERVISOR_POOL_H

#include "../options/options.h"

struct box;
struct pool;
struct runs;

/*
 * pool_new returns a pool without boxes, which starts none before pool_begin;
 * runs must outlive it. pool_free frees it and its boxes.
 */
struct pool *pool_new(struct runs *runs);
void pool_free(struct pool **pool);

/* The functions below accept NULL: a pool that never has a box. */

/*
 * Called when a client connects: the first box starts soon. One call suffices.
 */
void pool_begin(struct pool *pool);

/*
 * Takes the box that has waited longest, or, if none is ready, the one that
 * will be ready first. The caller owns it, and is notified of its changes after
 * box_give(). Boxes that have ended, or whose interpreter has been replaced on
 * disk, are dropped. Returns NULL if there is none.
 */
struct box *pool_take(struct pool *pool);

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
