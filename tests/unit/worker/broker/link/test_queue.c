/*
 * Tests of worker/broker/link/queue: the order of calls, the places of each
 * grant, and the bounds on waiting calls, for all grants and for each.
 */
#include "../broker_times.h"
#include "tests/unit/unit.h"
#include "worker/broker/link/link.h"

#define ASKS 4000

static struct ask asks[ASKS];
static const char grants[ASKS];
static struct queue *queue;

/* An ask of this number, of a grant with this one and this owner. */
static void
put_as(const char *owner, size_t n, size_t grant, size_t len)
{
	asks[n] = (struct ask){ .kind = ASK_CALL,
		.owner = owner,
		.grant = (struct grant *)(void *)&grants[grant],
		.params = { .len = len } };
	queue_put(queue, &asks[n]);
}

/* The same, of our user. */
static void
put(size_t n, size_t grant, size_t len)
{
	put_as("", n, grant, len);
}

/* This one gets a place. */
static void
takes(size_t n)
{
	ck_assert_ptr_nonnull(queue_peek(queue));
	ck_assert_ptr_eq(queue_take(queue, 0), &asks[n]);
	ck_assert_ptr_null(asks[n].list);
}

/* This one is over, whether it has a place or waits. */
static void
ends(size_t n)
{
	queue_remove(queue, &asks[n]);
	ck_assert_ptr_null(asks[n].list);
	ck_assert_ptr_null(asks[n].turn);
}

static void
takes_and_ends(size_t n)
{
	takes(n);
	ends(n);
}

static int
has_room(size_t grant, size_t len)
{
	return queue_has_room(queue,
	    (struct grant *)(void *)&grants[grant], len);
}

static void
open_queue(void)
{
	queue = queue_new();
	ck_assert_ptr_null(queue_peek(queue));
	ck_assert_ptr_null(queue_take(queue, 0));
}

static void
close_queue(void)
{
	ck_assert_ptr_null(queue_take(queue, 0));
	queue_free(&queue);
	queue_free(&queue); /* NULL is accepted */
}

/* One call each, as long as they have any; in its order. */
UNIT_TEST(executions_take_turns)
{
	size_t n;

	open_queue();
	for (n = 0; n < 100; n++)
		put(n, 0, 10);
	put(100, 1, 10);
	put(101, 2, 10);
	put(102, 1, 10);
	takes(0);
	takes(100);
	takes(101);
	takes(1);
	takes(102);
	/* Who comes again is behind those who wait. */
	put(103, 2, 10);
	put(104, 1, 10);
	takes(103);
	takes(2);
	takes(104);
	for (n = 3; n < 100; n++)
		takes(n);
	for (n = 0; n < 105; n++)
		ends(n);
	close_queue();
}

/* However many executions one of them has. */
UNIT_TEST(owners_take_turns)
{
	size_t n;

	open_queue();
	for (n = 0; n < 10; n++)
		put_as("alice", n, n, 10);
	put_as("bob", 10, 10, 10);
	put_as("bob", 11, 10, 10);
	takes(0);
	takes(10);
	takes(1);
	takes(11);
	/* An owner with fewer places comes before one with more. */
	put_as("bob", 12, 11, 10);
	ends(10);
	takes(12);
	takes(2);
	takes(3);
	for (n = 4; n < 10; n++)
		takes_and_ends(n);
	for (n = 0; n < 4; n++)
		ends(n);
	ends(11);
	ends(12);
	close_queue();
}

/* Puts so many calls of a grant, from this number on. */
static void
put_many(size_t n, size_t count, size_t grant)
{
	for (; count > 0; count--)
		put(n++, grant, 10);
}

/* Takes all that may have a place; returns how many. */
static size_t
take_all(void)
{
	size_t count = 0;

	while (queue_take(queue, 0) != NULL)
		count++;
	return count;
}

/* Half of what the others leave is for one: there is some for everybody. */
UNIT_TEST(places_are_shared)
{
	size_t n;

	open_queue();
	put_many(0, REQUESTS_MAX, 0);
	ck_assert_uint_eq(take_all(), REQUESTS_MAX);
	/* None of these is ever answered, and the next have places at once. */
	put_many(1000, REQUESTS_MAX, 1);
	ck_assert_uint_eq(take_all(), REQUESTS_MAX / 2);
	put_many(2000, REQUESTS_MAX, 2);
	ck_assert_uint_eq(take_all(), REQUESTS_MAX / 4);
	/* A place that is given back goes to the owner with the fewest. */
	for (n = 0; n < 10; n++)
		ends(n);
	put_many(3000, 10, 0);
	takes(2000 + REQUESTS_MAX / 4);
	for (n = 0; n < REQUESTS_MAX; n++) {
		if (n >= 10)
			ends(n);
		ends(1000 + n);
		ends(2000 + n);
	}
	ck_assert_uint_eq(take_all(), 10);
	for (n = 3000; n < 3010; n++)
		ends(n);
	close_queue();
}

/* Half of what others leave is for one; so there is some for everybody. */
UNIT_TEST(bytes_are_bounded)
{
	const size_t most = SERVER_UNWRITTEN_MAX;

	open_queue();
	ck_assert(has_room(0, most));
	ck_assert(!has_room(0, most + 1));
	put(0, 0, most / 4);
	ck_assert(has_room(0, most / 2));
	ck_assert(!has_room(0, most / 2 + 1));
	ck_assert(has_room(1, most / 4 * 3));
	put(1, 0, most / 4);
	ck_assert(has_room(0, 0));
	ck_assert(!has_room(0, 1));
	ck_assert(has_room(1, most / 2));
	put(2, 1, most / 2);
	ck_assert(has_room(2, 0));
	ck_assert(!has_room(2, CALL_SMALL + 1));
	/* But one small call of each is no matter. */
	ck_assert(has_room(2, CALL_SMALL));
	put(3, 2, CALL_SMALL);
	ck_assert(!has_room(2, 1));
	takes_and_ends(0);
	ck_assert(has_room(2, most / 8));
	takes_and_ends(2);
	takes_and_ends(3);
	takes_and_ends(1);
	close_queue();
}

UNIT_TEST(calls_are_bounded)
{
	size_t n;

	open_queue();
	for (n = 0; n < SERVER_WAITING_MAX; n++) {
		ck_assert(has_room(n % 2, 1));
		put(n, n % 2, 1);
	}
	ck_assert(!has_room(0, 1));
	ck_assert(!has_room(1, 1));
	ck_assert(has_room(2, 1));
	takes_and_ends(0);
	ck_assert(has_room(0, 1));
	for (n = 1; n < SERVER_WAITING_MAX; n++)
		ends(n);
	close_queue();
}
