/*
 * Tests of common/base/event, which is a part of what libevent is: what a
 * handler may do to events is what matters, as relays free them in handlers.
 */
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/loop.h"
#include "tests/unit/unit.h"

#define EVENTS 3

static struct event_base *base;
static struct event *events[EVENTS];
static int fds[EVENTS][2];
static int told[EVENTS]; /* how often a handler ran */
static short found;      /* by the last one */

/* A handler for each of the events, with an index as its context. */
static int indexes[EVENTS] = { 0, 1, 2 };

static void
note(evutil_socket_t fd, short what, void *ctx)
{
	told[*(int *)ctx]++;
	found = what;
}

static void
free_all(evutil_socket_t fd, short what, void *ctx)
{
	size_t i;

	note(fd, what, ctx);
	for (i = 0; i < EVENTS; i++)
		loop_event_free(&events[i]);
}

static void
delete_all(evutil_socket_t fd, short what, void *ctx)
{
	size_t i;

	note(fd, what, ctx);
	for (i = 0; i < EVENTS; i++)
		event_del(events[i]);
}

static void
stop(evutil_socket_t fd, short what, void *ctx)
{
	note(fd, what, ctx);
	event_base_loopbreak(base);
}

/* Persists until it was called three times. */
static void
thrice(evutil_socket_t fd, short what, void *ctx)
{
	note(fd, what, ctx);
	if (told[*(int *)ctx] == 3)
		event_del(events[*(int *)ctx]);
}

static void
make_event(int i, int fd, short what, event_callback_fn call)
{
	events[i] = event_new(base, fd, what, call, &indexes[i]);
	ck_assert_ptr_nonnull(events[i]);
}

/* Pipes with a byte in each. */
static void
setup(void)
{
	int i;

	base = event_base_new();
	ck_assert_ptr_nonnull(base);
	for (i = 0; i < EVENTS; i++) {
		ck_assert_int_eq(pipe(fds[i]), 0);
		ck_assert_int_eq(write(fds[i][1], "x", 1), 1);
	}
}

static void
teardown(void)
{
	int i;

	for (i = 0; i < EVENTS; i++)
		loop_event_free(&events[i]);
	event_base_free(base);
}

static int
told_in_all(void)
{
	return told[0] + told[1] + told[2];
}

UNIT_FIXTURE(setup, teardown)

UNIT_TEST(persists_until_it_is_deleted)
{
	make_event(0, fds[0][0], EV_READ | EV_PERSIST, thrice);
	event_add(events[0], NULL);
	event_add(events[0], NULL);
	event_base_dispatch(base);
	ck_assert_int_eq(told[0], 3);
}

UNIT_TEST(reports_ends)
{
	char c;

	ck_assert_int_eq(read(fds[0][0], &c, 1), 1);
	close(fds[0][1]);
	close(fds[1][0]);
	make_event(0, fds[0][0], EV_READ, note);
	make_event(1, fds[1][1], EV_WRITE, note);
	event_add(events[0], NULL);
	event_add(events[1], NULL);
	event_base_dispatch(base);
	ck_assert_int_eq(told[0], 1);
	ck_assert_int_eq(told[1], 1);
}

UNIT_TEST(frees_in_a_handler)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		make_event(i, fds[i][0], EV_READ | EV_PERSIST, free_all);
		event_add(events[i], NULL);
	}
	event_base_dispatch(base);
	ck_assert_int_eq(told_in_all(), 1);
}

UNIT_TEST(deletes_in_a_handler)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		make_event(i, fds[i][0], EV_READ | EV_PERSIST, delete_all);
		event_add(events[i], NULL);
	}
	event_base_dispatch(base);
	ck_assert_int_eq(told_in_all(), 1);
}

/* What was found with it is handled by the next run of the loop. */
UNIT_TEST(stops)
{
	make_event(0, fds[0][0], EV_READ, stop);
	make_event(1, fds[1][0], EV_READ, stop);
	event_add(events[0], NULL);
	event_add(events[1], NULL);
	event_base_dispatch(base);
	ck_assert_int_eq(told_in_all(), 1);
	event_base_dispatch(base);
	ck_assert_int_eq(told_in_all(), 2);
}

UNIT_TEST(repeats_a_time)
{
	const struct timeval tv = clock_timeval(1);

	make_event(0, -1, EV_PERSIST, thrice);
	event_add(events[0], &tv);
	event_base_dispatch(base);
	ck_assert_int_eq(told[0], 3);
}

UNIT_TEST(does_not_wait_for_a_deleted_time)
{
	const struct timeval late = clock_timeval(3600000);

	make_event(0, -1, 0, note);
	make_event(1, fds[1][0], EV_READ, delete_all);
	make_event(2, fds[2][0], EV_READ, note);
	event_add(events[0], &late);
	event_add(events[1], NULL);
	event_base_dispatch(base);
	ck_assert_int_eq(told_in_all(), 1);
}
