/*
 * Boxes that wait for a call: each is ready, is used once, and is filled in
 * again when no call is in the way. How many there are follows the demand, or
 * is what the option pool says. Runs in the supervisor.
 */
#ifndef SUPERVISOR_POOL_H
#define SUPERVISOR_POOL_H

#include "../options/options.h"

struct box;
struct pool;
struct runs;

/*
 * Returns a pool without boxes, which gets none before pool_begin; runs
 * outlives it. Freed, with its boxes, by pool_free.
 */
struct pool *pool_new(struct runs *runs);
void pool_free(struct pool **pool);

/* The functions below accept NULL: a pool that never has a box. */

/* A client is there: soon the first box will be. Once is enough. */
void pool_begin(struct pool *pool);

/*
 * Takes the box that has waited longest, or, when none is ready, the one that
 * will be first; it belongs to the caller, which is notified of its changes
 * after box_give(). Boxes that have ended, or that an interpreter runs which is
 * not on disk any more, are dropped on the way. Returns NULL when there is
 * none.
 */
struct box *pool_take(struct pool *pool);

/*
 * A call is out of the way: boxes that are missing are started soon, from the
 * loop.
 */
void pool_wake(struct pool *pool);

/* No call will come any more: drops all boxes, for good. */
void pool_stop(struct pool *pool);

/*
 * The most boxes that a pool may have, with these options, on this machine:
 * what the limit on descriptors must allow for.
 */
unsigned int pool_most(const struct options *options);

#endif
