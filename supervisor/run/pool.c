/*
 * Boxes that are started before a call needs them: see pool.h. The pool wants
 * as many as calls have recently lacked, and drops boxes that were unused for
 * some time, in the end all. A failed start only makes the pool pause. Runs in
 * the supervisor.
 */
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/clock.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../box/box.h"
#include "../box/language.h"
#include "pool.h"
#include "pool_parts.h"
#include "run.h"

static void
pool_add_timer(struct event *event, uint64_t ms)
{
	const struct timeval tv = clock_timeval(ms);

	event_add(event, &tv);
}

/* How many boxes */

/* The number that this machine has room for, if none is configured. */
static unsigned int
pool_room(void)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t room = bytes / POOL_MEMORY_SHARE / POOL_BOX_BYTES;

	if (room < 1)
		return 1;
	return room < POOL_MAX ? (unsigned int)room : POOL_MAX;
}

unsigned int
pool_most(const struct options *options)
{
	unsigned int room;

	if (options->pool != OPTION_AUTO)
		return options->pool;
	room = pool_room();
	return room < options->max_concurrent ? room : options->max_concurrent;
}

/* When to fill it */

static int
pool_misses(const struct pool *pool)
{
	return pool->ready + pool->starting < pool->wanted;
}

/* Fills it after ms, unless that has been postponed for too long. */
static void
pool_fill_after(struct pool *pool, uint64_t ms)
{
	uint64_t now, waited;

	if (!pool_misses(pool))
		return;
	now = clock_ms();
	if (pool->missing_ms == 0)
		pool->missing_ms = now;
	waited = now - pool->missing_ms;
	if (waited + ms > POOL_CALM_MOST_MS)
		ms = waited < POOL_CALM_MOST_MS ? POOL_CALM_MOST_MS - waited :
		    0;
	if (now + ms < pool->resume_ms)
		ms = pool->resume_ms - now;
	pool_add_timer(pool->fill, ms);
}

void
pool_wake(struct pool *pool)
{
	if (pool != NULL)
		pool_fill_after(pool, POOL_CALM_MS);
}

/* Its boxes */

static void
pool_count(struct pool_entry *entry, int by)
{
	if (entry->ready)
		entry->pool->ready += (unsigned int)by;
	else
		entry->pool->starting += (unsigned int)by;
}

/* Removes an entry. Returns its box, which the caller owns. */
static struct box *
pool_remove(struct pool_entry *entry)
{
	struct pool *pool = entry->pool;
	struct box *box = entry->box;

	pool_count(entry, -1);
	if (pool->ready < pool->unused)
		pool->unused = pool->ready;
	TAILQ_REMOVE(&pool->entries, entry, entry);
	free(entry);
	return box;
}

static void
pool_drop(struct pool_entry *entry)
{
	struct box *box = pool_remove(entry);

	box_drop(&box);
}

/* A box failed to start, or ended: wait before the next. */
static void
pool_pause(struct pool *pool)
{
	if (pool->pause_ms == 0)
		pool->pause_ms = POOL_PAUSE_FIRST_MS;
	else if (pool->pause_ms < POOL_PAUSE_MOST_MS)
		pool->pause_ms *= 2;
	pool->resume_ms = clock_ms() + pool->pause_ms;
}

/* A box of the pool has changed, ready or not. */
static void
pool_on_box(void *ctx)
{
	struct pool_entry *entry = ctx;
	struct pool *pool = entry->pool;
	struct box *box = entry->box;

	if (box->state == BOX_ENDING || box->relay_over) {
		log_warn("waiting box %lu exited: %s",
		    box->number,
		    box->failure != NULL ? box->failure : "it has ended");
		pool_drop(entry);
		pool_pause(pool);
		pool_wake(pool);
	} else if (box->state == BOX_READY && !entry->ready) {
		pool_count(entry, -1);
		entry->ready = 1;
		pool_count(entry, 1);
		pool->pause_ms = 0;
		/* Nothing delays the next start. */
		pool_fill_after(
		    pool, pool->runs->nrunning == 0 ? 0 : POOL_CALM_MS);
	}
}

/* Starts one box. Returns 0, or -1 if it cannot be started. */
static int
pool_start_one(struct pool *pool)
{
	struct pool_entry *entry = mem_alloc(sizeof(*entry));
	struct err err;

	entry->pool = pool;
	entry->born_ms = clock_ms();
	entry->box = box_new(pool->runs->boxes, language_default(), 0,
	    pool_on_box, entry, &err);
	if (entry->box == NULL) {
		log_warn("cannot start a box ahead of calls: %s",
		    err.text);
		free(entry);
		pool_pause(pool);
		return -1;
	}
	TAILQ_INSERT_TAIL(&pool->entries, entry, entry);
	pool_count(entry, 1);
	return 0;
}

/* Filling it */

/* The timer: boxes are missing, and no call has come for a moment. */
static void
pool_on_fill(evutil_socket_t fd, short what, void *arg)
{
	struct pool *pool = arg;

	(void)fd;
	(void)what;
	boxes_want(pool->runs->boxes);
	/* Waiting calls have priority; and cheaper boxes may be ready soon. */
	if (owner_places_wanted(pool->runs) || pool->runs->nstarting > 0 ||
	    boxes_awaited(pool->runs->boxes)) {
		pool_add_timer(pool->fill, POOL_CALM_MOST_MS);
		return;
	}
	while (pool_misses(pool) && pool->starting < POOL_STARTS_MAX)
		if (pool_start_one(pool) == -1)
			break;
	pool->missing_ms = 0;
	/* It continues when the next box is ready, or after a pause. */
	if (pool->starting == 0)
		pool_wake(pool);
}

/* Maintenance */

/* Replaces boxes that are too old, or that differ from a new one. */
static void
pool_recycle(struct pool *pool)
{
	uint64_t now = clock_ms();
	struct pool_entry *entry, *next;

	for (entry = TAILQ_FIRST(&pool->entries); entry != NULL;
	    entry = next) {
		next = TAILQ_NEXT(entry, entry);
		if (now - entry->born_ms >= POOL_AGE_MS ||
		    !box_current(entry->box))
			pool_drop(entry);
	}
}

/* After a period: reduces the number of boxes to those needed. */
static void
pool_shrink(struct pool *pool)
{
	unsigned int least = 1;

	pool->quiet = pool->calls > 0 ? 0 : pool->quiet + 1;
	if (pool->quiet >= pool->rest) {
		least = 0;
		boxes_rest(pool->runs->boxes);
	}
	if (pool->quiet >= pool->rest || pool->unused >= pool->wanted)
		pool->wanted = least;
	else
		pool->wanted -= pool->unused;
	while (pool->ready > pool->wanted)
		pool_drop(TAILQ_FIRST(&pool->entries));
}

static void
pool_on_period(evutil_socket_t fd, short what, void *arg)
{
	struct pool *pool = arg;

	(void)fd;
	(void)what;
	if (pool->follows)
		pool_shrink(pool);
	pool_recycle(pool);
	pool->unused = pool->ready;
	pool->calls = 0;
	/* No timer for an empty pool. */
	if (pool->wanted > 0 || !TAILQ_EMPTY(&pool->entries))
		pool_add_timer(pool->period, pool->period_ms);
	pool_wake(pool);
}

/* Sets how many boxes are wanted, and starts the periodic check. */
static void
pool_want(struct pool *pool, unsigned int wanted)
{
	pool->wanted = wanted < pool->most ? wanted : pool->most;
	if (!event_pending(pool->period, EV_TIMEOUT, NULL))
		pool_add_timer(pool->period, pool->period_ms);
}

/* Calls */

void
pool_begin(struct pool *pool)
{
	if (pool == NULL || pool->begun || pool->most == 0)
		return;
	pool->begun = 1;
	pool_want(pool, pool->follows ? 1 : pool->most);
	pool_wake(pool);
}

/* Returns the oldest ready box, or else the oldest that is not ready. */
static struct pool_entry *
pool_best(struct pool *pool)
{
	struct pool_entry *entry;

	TAILQ_FOREACH (entry, &pool->entries, entry)
		if (entry->ready)
			return entry;
	return TAILQ_FIRST(&pool->entries);
}

/* Returns whether a call may use it. */
static int
pool_is_good(const struct pool_entry *entry)
{
	if (!box_current(entry->box))
		return 0;
	return !entry->ready || box_alive(entry->box);
}

/* Returns a box for a call, or NULL; drops boxes that no call may use. */
static struct pool_entry *
pool_pick(struct pool *pool)
{
	struct pool_entry *entry = pool_best(pool);

	while (entry != NULL && !pool_is_good(entry)) {
		pool_drop(entry);
		entry = pool_best(pool);
	}
	return entry;
}

struct box *
pool_take(struct pool *pool)
{
	struct pool_entry *entry;
	struct box *box = NULL;

	if (pool == NULL || !pool->begun)
		return NULL;
	pool->calls++;
	entry = pool_pick(pool);
	if (pool->follows && (entry == NULL || !entry->ready))
		pool_want(pool, pool->wanted + 1);
	if (entry != NULL)
		box = pool_remove(entry);
	/* The end of the call fills the pool earlier, unless it lasts. */
	pool_fill_after(pool, POOL_CALM_MOST_MS);
	return box;
}

/* Its lifetime */

void
pool_stop(struct pool *pool)
{
	if (pool == NULL)
		return;
	pool->begun = 0;
	pool->wanted = 0;
	event_del(pool->fill);
	event_del(pool->period);
	while (!TAILQ_EMPTY(&pool->entries))
		pool_drop(TAILQ_FIRST(&pool->entries));
}

/* Sets after how long without calls it has no boxes any more. */
static void
pool_set_rest(struct pool *pool)
{
	const struct runtime *runtime = pool->runs->boxes->runtime;
	uint64_t rest_ms = (uint64_t)POOL_PERIOD_MS * POOL_REST_PERIODS;

	if (runtime != NULL && runtime->framed)
		rest_ms = pool->runs->options->runtime_idle_timeout *
		    UINT64_C(1000);
	pool->period_ms = rest_ms < POOL_PERIOD_MS ? rest_ms : POOL_PERIOD_MS;
	pool->rest = (unsigned int)((rest_ms + pool->period_ms - 1) /
	    pool->period_ms);
}

struct pool *
pool_new(struct runs *runs)
{
	struct pool *pool = mem_alloc(sizeof(*pool));

	pool->runs = runs;
	pool_set_rest(pool);
	TAILQ_INIT(&pool->entries);
	pool->follows = runs->options->pool == OPTION_AUTO;
	pool->most = pool_most(runs->options);
	pool->fill = evtimer_new(runs->base, pool_on_fill, pool);
	pool->period = evtimer_new(runs->base, pool_on_period, pool);
	return pool;
}

void
pool_free(struct pool **poolp)
{
	struct pool *pool = mem_take(poolp);

	if (pool == NULL)
		return;
	pool_stop(pool);
	loop_event_free(&pool->fill);
	loop_event_free(&pool->period);
	free(pool);
}
