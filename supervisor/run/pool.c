/*
 * Boxes that are started before a call needs them: see pool.h. Each language in
 * use has a share of the pool, which wants as many as its calls have recently
 * lacked, and drops boxes that were unused for some time, in the end all. A
 * failed start only makes the pool pause.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/clock.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../box/box.h"
#include "../box/shared/language.h"
#include "pool.h"
#include "run.h"

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
	const struct pool_share *share;

	TAILQ_FOREACH (share, &pool->shares, entry)
		if (share->boxes < share->wanted)
			return 1;
	return 0;
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
	loop_set_timer(pool->fill, ms);
}

void
pool_wake(struct pool *pool)
{
	if (pool != NULL)
		pool_fill_after(pool, POOL_CALM_MS);
}

/* Its boxes */

/* Removes an entry. Returns its box, which the caller owns. */
static struct box *
pool_remove(struct pool_entry *entry)
{
	struct pool_share *share = entry->share;
	struct box *box = entry->box;

	share->boxes--;
	if (entry->phase == POOL_READY)
		share->ready--;
	else
		share->pool->starting--;
	if (share->ready < share->unused)
		share->unused = share->ready;
	TAILQ_REMOVE(&share->entries, entry, entry);
	free(entry);
	return box;
}

static void
pool_drop(struct pool_entry *entry)
{
	struct box *box = pool_remove(entry);

	box_drop(&box);
}

/* Drops those that a share does not want. */
static void
pool_trim(struct pool_share *share)
{
	while (share->ready > share->wanted)
		pool_drop(TAILQ_FIRST(&share->entries));
}

/*
 * Divides the pool: other languages than the default one, from that used last,
 * may have half of it. The default one has the rest.
 */
static void
pool_divide(struct pool *pool)
{
	unsigned int room = pool->most / 2;
	struct pool_share *share;

	TAILQ_FOREACH (share, &pool->shares, entry) {
		if (share == &pool->main)
			continue;
		if (share->wanted > room)
			share->wanted = room;
		room -= share->wanted;
		pool_trim(share);
	}
	room += pool->most - pool->most / 2;
	if (!pool->follows || pool->main.wanted > room)
		pool->main.wanted = room;
	pool_trim(&pool->main);
}

/*
 * A box failed to start, or ended: wait before the next. Another language than
 * the default one waits for its next call.
 */
static void
pool_pause(struct pool_share *share, const char *why)
{
	struct pool *pool = share->pool;

	if (share != &pool->main) {
		share->wanted = 0;
		pool_divide(pool);
	} else {
		pool->tried = true;
		free(pool->fault);
		pool->fault = mem_strdup(why);
		pool->pause_ms = pool->pause_ms == 0 ? POOL_PAUSE_FIRST_MS :
		    pool->pause_ms < POOL_PAUSE_MOST_MS ? 2 * pool->pause_ms :
		    pool->pause_ms;
		pool->resume_ms = clock_ms() + pool->pause_ms;
	}
}

/* A box of the pool has changed, ready or not. */
static void
pool_on_box(void *ctx)
{
	struct pool_entry *entry = ctx;
	struct pool_share *share = entry->share;
	struct pool *pool = share->pool;
	struct box *box = entry->box;

	if (box_has_ended(box) || box_knows(box, BOX_IS_DRAINED)) {
		auto_free char *why = mem_strdup(
		    box->failure != NULL ? box->failure : "it has ended");

		log_warn("waiting box %lu exited: %s", box->number, why);
		pool_drop(entry);
		pool_pause(share, why);
		pool_wake(pool);
	} else if (box->phase == BOX_READY && entry->phase != POOL_READY) {
		entry->phase = POOL_READY;
		share->ready++;
		pool->starting--;
		if (share == &pool->main) {
			pool->pause_ms = 0;
			pool->tried = true;
			free(mem_take(&pool->fault));
		}
		pool_trim(share);
		/* Nothing delays the next start. */
		pool_fill_after(
		    pool, pool->runs->nrunning == 0 ? 0 : POOL_CALM_MS);
	}
}

/* Starts one box. Returns 0, or -1 if it cannot be started. */
static int
pool_start_one(struct pool_share *share)
{
	struct pool_entry *entry = mem_alloc(sizeof(*entry));
	struct err err;

	entry->share = share;
	entry->born_ms = clock_ms();
	entry->box = box_new(share->pool->runs->boxes, share->language, NULL, 0,
	    pool_on_box, entry, &err);
	if (entry->box == NULL) {
		log_warn("cannot start a box ahead of calls: %s", err.text);
		free(entry);
		pool_pause(share, err.text);
		return -1;
	}
	TAILQ_INSERT_TAIL(&share->entries, entry, entry);
	share->boxes++;
	share->pool->starting++;
	return 0;
}

/* Filling it */

/* The timer: boxes are missing, and no call has come for a moment. */
static void
pool_on_fill(evutil_socket_t, short, void *arg)
{
	struct pool *pool = arg;
	struct pool_share *share;

	/* A call has that fetched, and wakes us. */
	if (boxes_lack(pool->runs->boxes) != NULL)
		return;
	if (pool->main.boxes < pool->main.wanted)
		boxes_want(pool->runs->boxes);
	/* Waiting calls have priority; and cheaper boxes may be ready soon. */
	if (owner_places_wanted(pool->runs) || pool->runs->nstarting > 0 ||
	    boxes_awaited(pool->runs->boxes)) {
		loop_set_timer(pool->fill, POOL_CALM_MOST_MS);
		return;
	}
	TAILQ_FOREACH (share, &pool->shares, entry)
		while (share->boxes < share->wanted &&
		    pool->starting < POOL_STARTS_MAX)
			if (pool_start_one(share) == -1)
				break;
	pool->missing_ms = 0;
	/* It continues when the next box is ready, or after a pause. */
	if (pool->starting == 0)
		pool_wake(pool);
}

/* Maintenance */

/* Replaces boxes that are too old, or that differ from a new one. */
static void
pool_recycle(struct pool_share *share)
{
	uint64_t now = clock_ms();
	struct pool_entry *entry, *next;

	for (entry = TAILQ_FIRST(&share->entries); entry != NULL;
	    entry = next) {
		next = TAILQ_NEXT(entry, entry);
		if (now - entry->born_ms >= POOL_AGE_MS ||
		    !box_current(entry->box))
			pool_drop(entry);
	}
}

/* After a period: wants only the boxes that were needed. */
static void
pool_shrink(struct pool_share *share)
{
	const struct pool *pool = share->pool;
	int rests;

	share->quiet = share->calls > 0 ? 0 : share->quiet + 1;
	rests = share->quiet >= pool->rest;
	if (rests && share == &pool->main)
		boxes_rest(pool->runs->boxes);
	if (rests || share->unused >= share->wanted)
		share->wanted = !rests && share->wanted > 0;
	else
		share->wanted -= share->unused;
}

static void
pool_on_period(evutil_socket_t, short, void *arg)
{
	struct pool *pool = arg;
	struct pool_share *share;
	int used = 0;

	TAILQ_FOREACH (share, &pool->shares, entry)
		if (pool->follows || share != &pool->main)
			pool_shrink(share);
	pool_divide(pool);
	TAILQ_FOREACH (share, &pool->shares, entry) {
		pool_recycle(share);
		share->unused = share->ready;
		share->calls = 0;
		used |= share->wanted > 0 || share->boxes > 0;
	}
	/* No timer for an empty pool. */
	if (used)
		loop_set_timer(pool->period, pool->period_ms);
	pool_wake(pool);
}

/* Sets how many boxes are wanted, and starts the periodic check. */
static void
pool_want(struct pool_share *share, unsigned int wanted)
{
	struct pool *pool = share->pool;

	share->wanted = wanted;
	pool_divide(pool);
	if (!event_pending(pool->period, EV_TIMEOUT, NULL))
		loop_set_timer(pool->period, pool->period_ms);
}

/* Shares */

static void
pool_add_share(struct pool *pool, struct pool_share *share,
    const struct language *language)
{
	share->pool = pool;
	share->language = language;
	TAILQ_INIT(&share->entries);
	TAILQ_INSERT_HEAD(&pool->shares, share, entry);
}

/* Returns the share of a language, which is used now. */
static struct pool_share *
pool_share_of(struct pool *pool, const struct language *language)
{
	struct pool_share *share;

	TAILQ_FOREACH (share, &pool->shares, entry)
		if (share->language == language)
			break;
	if (share == NULL) {
		share = mem_alloc(sizeof(*share));
		pool_add_share(pool, share, language);
	}
	TAILQ_REMOVE(&pool->shares, share, entry);
	TAILQ_INSERT_HEAD(&pool->shares, share, entry);
	return share;
}

/* Calls */

void
pool_begin(struct pool *pool)
{
	if (pool == NULL || pool->begun || pool->most == 0)
		return;
	pool->begun = true;
	pool_want(&pool->main, 1);
	pool_wake(pool);
}

int
pool_try(struct pool *pool)
{
	if (pool == NULL)
		return 1;
	pool_begin(pool);
	if (pool->most == 0 && (!pool->tried || pool->fault != NULL) &&
	    pool->starting == 0 && clock_ms() >= pool->resume_ms)
		pool_start_one(&pool->main);
	return pool->tried;
}

/*
 * Returns the oldest ready box of a share, or else the oldest one that is not
 * ready, or NULL; drops boxes that no call may use.
 */
static struct pool_entry *
pool_pick(struct pool_share *share)
{
	struct pool_entry *entry, *next, *best = NULL;

	for (entry = TAILQ_FIRST(&share->entries); entry != NULL;
	    entry = next) {
		next = TAILQ_NEXT(entry, entry);
		if (!box_current(entry->box) || (entry->phase == POOL_READY &&
		        !box_alive(entry->box)))
			pool_drop(entry);
		else if (entry->phase == POOL_READY)
			return entry;
		else if (best == NULL)
			best = entry;
	}
	return best;
}

struct box *
pool_take(struct pool *pool, const struct language *language)
{
	struct pool_share *share;
	struct pool_entry *entry;
	struct box *box = NULL;

	if (pool == NULL || !pool->begun || language->image != NULL)
		return NULL;
	share = pool_share_of(pool, language);
	share->calls++;
	entry = pool_pick(share);
	if (entry == NULL || entry->phase != POOL_READY)
		pool_want(share, share->wanted + 1);
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
	struct pool_share *share;

	if (pool == NULL)
		return;
	pool->begun = false;
	event_del(pool->fill);
	event_del(pool->period);
	TAILQ_FOREACH (share, &pool->shares, entry) {
		share->wanted = 0;
		while (!TAILQ_EMPTY(&share->entries))
			pool_drop(TAILQ_FIRST(&share->entries));
	}
}

/* Sets after how long without calls it has no boxes any more. */
static void
pool_set_rest(struct pool *pool)
{
	const struct runtime *runtime = pool->runs->boxes->runtime;
	uint64_t rest_ms = (uint64_t)POOL_PERIOD_MS * POOL_REST_PERIODS;

	if (runtime != NULL && runtime->images)
		rest_ms = pool->runs->options->runtime_idle_timeout *
		    UINT64_C(1000);
	if (rest_ms == 0) {
		pool->period_ms = POOL_PERIOD_MS;
		pool->rest = UINT_MAX;
		return;
	}
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
	TAILQ_INIT(&pool->shares);
	pool_add_share(pool, &pool->main, language_default());
	pool->follows = runs->options->pool == OPTION_AUTO;
	pool->most = pool_most(runs->options);
	pool->fill = evtimer_new(runs->base, pool_on_fill, pool);
	pool->period = evtimer_new(runs->base, pool_on_period, pool);
	return pool;
}

unsigned int
pool_ready(const struct pool *pool)
{
	const struct pool_share *share;
	unsigned int ready = 0;

	if (pool != NULL)
		TAILQ_FOREACH (share, &pool->shares, entry)
			ready += share->ready;
	return ready;
}

const char *
pool_fault(const struct pool *pool)
{
	return pool == NULL ? NULL : pool->fault;
}

void
pool_free(struct pool **poolp)
{
	struct pool *pool = mem_take(poolp);
	struct pool_share *share;

	if (pool == NULL)
		return;
	pool_stop(pool);
	while ((share = TAILQ_FIRST(&pool->shares)) != NULL) {
		TAILQ_REMOVE(&pool->shares, share, entry);
		if (share != &pool->main)
			free(share);
	}
	loop_event_free(&pool->fill);
	loop_event_free(&pool->period);
	free(pool->fault);
	free(pool);
}
