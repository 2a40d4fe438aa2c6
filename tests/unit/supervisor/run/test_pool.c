/*
 * Tests of supervisor/run/pool: when boxes are started, to whom they are given,
 * and when they are given up. Boxes, what they are made of and the clock are
 * stand-ins, and the test says when a timer has run out.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/limits.h"
#include "common/base/loop.h"
#include "tests/unit/unit.h"
#include "supervisor/box/box.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/box/native/native.h"
#include "supervisor/run/pool.h"
#include "supervisor/run/run.h"

#define BOXES_MAX 256

static uint64_t now_ms = 1000;

/* How long the timer that was added last will run. */
static uint64_t added_ms;

/* In the place of functions that the pool calls, by --wrap of the linker. */
uint64_t __wrap_clock_ms(void);
int __wrap_event_add(struct event *event, const struct timeval *time);
int __real_event_add(struct event *event, const struct timeval *time);

uint64_t
__wrap_clock_ms(void)
{
	return now_ms;
}

int
__wrap_event_add(struct event *event, const struct timeval *time)
{
	added_ms = (uint64_t)time->tv_sec * 1000 +
	    (uint64_t)time->tv_usec / 1000;
	return __real_event_add(event, time);
}

/* Boxes, in the order in which they were started. */

static long version; /* of what they are made of */

static struct play {
	struct box box;
	int dropped;
	int dead; /* and this was not reported yet */
	long version; /* of what it was made of */
} plays[BOXES_MAX];
static unsigned int nboxes;
static int none_today;

static const struct language first, other, third, image = { .image = "1" };

const struct language *
language_default(void)
{
	return &first;
}

struct box *
box_new(struct boxes *owner, const struct language *language,
    const struct options *limits, int own,
    box_changed *changed, void *ctx, struct err *err)
{
	struct play *play = &plays[nboxes];

	ck_assert_int_eq(own, 0);
	ck_assert_ptr_null(limits);
	ck_assert_uint_lt(nboxes, BOXES_MAX);
	if (none_today) {
		err_set(err, "no box today");
		return NULL;
	}
	play->version = version;
	play->box.boxes = owner;
	play->box.number = ++nboxes;
	play->box.language = language;
	play->box.changed = changed;
	play->box.ctx = ctx;
	return &play->box;
}

void
box_drop(struct box **box)
{
	plays[(*box)->number - 1].dropped++;
	*box = NULL;
}

int
box_alive(const struct box *box)
{
	return !plays[box->number - 1].dead;
}

/* The templates: whether one is on its way, and how often they may rest. */

static int awaited;
static unsigned int rests;

void
boxes_want(struct boxes *owner)
{
}

int
boxes_awaited(const struct boxes *owner)
{
	return awaited;
}

const char *
boxes_lack(const struct boxes *owner)
{
	return NULL;
}

void
boxes_rest(struct boxes *owner)
{
	rests++;
}

/* A number stands for the files that boxes are made of. */

int
box_current(const struct box *box)
{
	return plays[box->number - 1].version == version;
}

/* The stage */

static struct options options;
static struct boxes boxes;
static struct runs runs;
static struct pool *pool;

static void
open_pool(unsigned int size)
{
	boxes.base = runs.base = loop_new(0);
	boxes.options = runs.options = &options;
	runs.boxes = &boxes;
	options.pool = size;
	options.max_concurrent = 8;
	pool = pool_new(&runs);
	ck_assert_uint_eq(nboxes, 0);
}

static void
close_pool(void)
{
	unsigned int n;

	pool_free(&pool);
	pool_free(&pool); /* NULL is accepted */
	for (n = 0; n < nboxes; n++)
		ck_assert_int_eq(plays[n].dropped, 1);
	event_base_free(runs.base);
}

static int
is_due(struct event *event)
{
	return event_pending(event, EV_TIMEOUT, NULL);
}

/* A timer has run out, whatever the clock says. */
static void
run_out(struct event *event, uint64_t ms)
{
	event_del(event);
	now_ms += ms;
	event_get_callback(event)(
	    -1, EV_TIMEOUT, event_get_callback_arg(event));
}

/* The calm has lasted, if anybody has waited for that. */
static void
fill(void)
{
	if (!is_due(pool->fill))
		return;
	run_out(pool->fill, POOL_CALM_MOST_MS);
}

static void
be_ready(unsigned int n)
{
	struct box *box = &plays[n].box;

	box->phase = BOX_READY;
	box->changed(box->ctx);
}

/* Lets all boxes start that are to start, and be ready. */
static void
fill_up(void)
{
	struct pool_share *share;
	struct pool_entry *entry;

	fill();
	while (pool->starting > 0) {
		TAILQ_FOREACH (share, &pool->shares, entry)
			TAILQ_FOREACH (entry, &share->entries, entry)
				if (entry->phase == POOL_STARTING)
					be_ready((unsigned int)
					    entry->box->number - 1);
		fill();
	}
}

/* A box ends by itself. */
static void
end(unsigned int n)
{
	struct box *box = &plays[n].box;

	box->phase = BOX_ENDING;
	box->changed(box->ctx);
}

static void
period(void)
{
	ck_assert_int_ne(is_due(pool->period), 0);
	run_out(pool->period, POOL_PERIOD_MS);
}

/* A call comes, takes what there is, and ends. Returns its box, or NULL. */
static struct box *
call_in(const struct language *language)
{
	struct box *box = pool_take(pool, language);

	if (box != NULL)
		plays[box->number - 1].dropped++; /* its call will */
	return box;
}

static struct box *
call(void)
{
	return call_in(&first);
}

/* Sizes */

UNIT_TEST(none_is_none)
{
	open_pool(0);
	pool_begin(pool);
	ck_assert_ptr_null(pool_take(pool, &first));
	pool_wake(pool);
	ck_assert_int_eq(is_due(pool->fill) + is_due(pool->period), 0);
	close_pool();
	pool_begin(NULL);
	pool_wake(NULL);
	pool_stop(NULL);
	ck_assert_ptr_null(pool_take(NULL, &first));
}

/* As many as were asked for, a few at a time. */
UNIT_TEST(a_fixed_size_is_kept)
{
	unsigned int n;

	open_pool(5);
	pool_begin(pool);
	ck_assert_uint_eq(nboxes, 0); /* the answer goes first */
	fill();
	ck_assert_uint_eq(nboxes, POOL_STARTS_MAX);
	fill_up();
	ck_assert_uint_eq(nboxes, 5);
	for (n = 0; n < 5; n++)
		ck_assert_ptr_eq(call(), &plays[n].box); /* the oldest */
	ck_assert_ptr_null(call());
	fill_up();
	ck_assert_uint_eq(nboxes, 10);
	for (n = 0; n < 3 * POOL_REST_PERIODS / 5; n++)
		period();
	ck_assert_uint_eq(nboxes, 10); /* not needed: they stay */
	close_pool();
}

UNIT_TEST(the_demand_is_followed)
{
	unsigned int n;

	open_pool(OPTION_AUTO);
	pool_begin(pool);
	pool_begin(pool);
	fill_up();
	ck_assert_uint_eq(nboxes, 1);
	/* Each call that finds none ready is one more that may come at once. */
	for (n = 0; n < 4; n++)
		call();
	fill_up();
	ck_assert_uint_eq(pool->main.ready, 4);
	/* One behind the other they need no more. */
	for (n = 0; n < 10; n++) {
		ck_assert_ptr_nonnull(call());
		fill_up();
	}
	ck_assert_uint_eq(pool->main.ready, 4);
	/* Three of them were not needed. */
	period();
	ck_assert_uint_eq(pool->main.ready, 4); /* in this one they were */
	call();
	fill_up();
	period();
	ck_assert_uint_eq(pool->main.ready, 1);
	/* And in the end the last one. */
	for (n = 1; n < POOL_REST_PERIODS; n++) {
		ck_assert_uint_eq(pool->main.ready, 1);
		period();
	}
	period();
	ck_assert_uint_eq(pool->main.ready, 0);
	ck_assert_uint_gt(rests, 0);
	ck_assert_int_eq(is_due(pool->period), 0);
	/* A call wakes it again. */
	ck_assert_ptr_null(call());
	fill_up();
	ck_assert_uint_eq(pool->main.ready, 1);
	close_pool();
}

/* No more than calls may run at once, nor than the machine has room for. */
/* Those of containers wait as long as is set; 0 is for ever. */
UNIT_TEST(containers_wait_as_long_as_is_set)
{
	static const struct runtime containers = { .images = 1 };
	uint64_t seconds;
	unsigned int n;

	boxes.runtime = &containers;
	for (seconds = 0; seconds < 2; seconds++) {
		options.runtime_idle_timeout = seconds * POOL_PERIOD_MS / 1000;
		nboxes = 0;
		open_pool(OPTION_AUTO);
		pool_begin(pool);
		fill_up();
		for (n = 0; n < 9 * POOL_REST_PERIODS; n++)
			if (is_due(pool->period))
				period();
		fill_up(); /* one that was old is replaced */
		ck_assert_uint_eq(pool->main.ready, seconds == 0);
		ck_assert_int_eq(rests > 0, seconds > 0);
		close_pool();
		memset(plays, 0, sizeof(plays));
	}
	boxes.runtime = NULL;
}

UNIT_TEST(the_demand_has_a_bound)
{
	unsigned int n;

	open_pool(OPTION_AUTO);
	ck_assert_uint_le(pool_most(&options), 8);
	ck_assert_uint_ge(pool_most(&options), 1);
	pool_begin(pool);
	for (n = 0; n < 100; n++)
		call();
	fill_up();
	ck_assert_uint_eq(pool->main.ready, pool_most(&options));
	options.max_concurrent = CONCURRENT_MAX;
	ck_assert_uint_le(pool_most(&options), POOL_MAX);
	options.pool = POOL_MAX;
	ck_assert_uint_eq(pool_most(&options), POOL_MAX);
	close_pool();
}

/* Shares */

/* How many boxes of a language are ready. */
static unsigned int
ready(const struct language *language)
{
	struct pool_share *share;

	TAILQ_FOREACH (share, &pool->shares, entry)
		if (share->language == language)
			return share->ready;
	return 0;
}

UNIT_TESTS(languages_in_use_share_it, 2)
{
	struct box *box;
	unsigned int n;

	open_pool(_i == 0 ? 4 : OPTION_AUTO);
	pool->most = 4;
	pool_begin(pool);
	fill_up();
	ck_assert_ptr_null(call_in(&image));
	/* From the second call on there is one, which is of its language. */
	ck_assert_ptr_null(call_in(&other));
	fill_up();
	box = call_in(&other);
	ck_assert_ptr_eq(box->language, &other);
	fill_up();
	ck_assert_uint_eq(ready(&first), _i == 0 ? 3 : 1);
	ck_assert_uint_eq(ready(&other), 1);
	/* Others have half of it, from the one used last. */
	for (n = 0; n < 9; n++)
		call_in(&other);
	call_in(&third);
	fill_up();
	ck_assert_uint_eq(ready(&first), _i == 0 ? 2 : 1);
	ck_assert_uint_eq(ready(&other), 1);
	ck_assert_uint_eq(ready(&third), 1);
	/* Those that are not used any more have none in the end. */
	for (n = 0; n <= POOL_REST_PERIODS; n++) {
		period();
		call();
		fill_up();
	}
	ck_assert_uint_eq(ready(&first), _i == 0 ? 4 : 1);
	ck_assert_uint_eq(ready(&other) + ready(&third), 0);
	close_pool();
}

/* It is not tried again before it is used again. */
UNIT_TEST(a_language_that_fails_delays_no_other)
{
	open_pool(4);
	pool_begin(pool);
	fill_up();
	call_in(&other);
	fill();
	end(nboxes - 1);
	ck_assert_uint_eq(pool->pause_ms, 0);
	fill_up();
	ck_assert_uint_eq(ready(&first), 4);
	ck_assert_uint_eq(ready(&other), 0);
	call_in(&other);
	fill_up();
	ck_assert_uint_eq(ready(&other), 1);
	close_pool();
}

/* Filling */

UNIT_TESTS(calls_go_first, 2)
{
	open_pool(4);
	pool_begin(pool);
	if (_i == 0) {
		runs.nwaiting = 1;
		runs.nrunning = options.max_concurrent;
	} else {
		runs.nstarting = 1;
	}
	fill();
	ck_assert_uint_eq(nboxes, 0);
	ck_assert_uint_eq(added_ms, POOL_CALM_MOST_MS); /* it asks again */
	runs.nwaiting = runs.nstarting = runs.nrunning = 0;
	fill_up();
	ck_assert_uint_eq(nboxes, 4);
	close_pool();
}

/* Checks before use */

UNIT_TEST(an_old_box_is_replaced)
{
	uint64_t born;

	open_pool(2);
	pool_begin(pool);
	fill_up();
	born = now_ms;
	while (now_ms + POOL_PERIOD_MS < born + POOL_AGE_MS)
		period();
	ck_assert_uint_eq(nboxes, 2);
	period();
	period();
	ck_assert_int_eq(plays[0].dropped + plays[1].dropped, 2);
	fill_up();
	ck_assert_uint_eq(nboxes, 4);
	ck_assert_uint_eq(pool->main.ready, 2);
	close_pool();
}

/* Failures */

/* The pauses double, up to a bound, and end with the first good box. */
UNIT_TEST(failures_make_it_pause)
{
	uint64_t pause;
	unsigned int n;

	open_pool(1);
	pool_begin(pool);
	for (n = 0; n < 20; n++) {
		now_ms += 2 * POOL_PAUSE_MOST_MS;
		fill();
		if (n % 2 == 0)
			end(nboxes - 1);
		none_today = n % 2 == 0;
		pause = POOL_PAUSE_FIRST_MS << (n < 10 ? n : 10);
		if (pause > 2 * POOL_PAUSE_MOST_MS)
			pause = 2 * POOL_PAUSE_MOST_MS;
		ck_assert_uint_le(added_ms, pause);
		ck_assert_uint_ge(added_ms, pause / 2);
	}
	now_ms += 2 * POOL_PAUSE_MOST_MS;
	fill();
	be_ready(nboxes - 1);
	end(nboxes - 1);
	ck_assert_uint_le(added_ms, POOL_PAUSE_FIRST_MS);
	close_pool();
}
