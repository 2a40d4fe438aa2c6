/*
 * Tests of worker/broker/queue: whose turn it is, and that what waits is
 * bounded, for all and for each. Sessions are but names here.
 */
#include "broker_times.h"
#include "unit.h"
#include "worker/broker/queue.h"

#define ASKS (SERVER_WAITING_MAX + 1)

static struct ask asks[ASKS];
static const char sessions[ASKS];
static struct queue *queue;

/* An ask of this number, of a session with this one, so large. */
static void
put(size_t n, size_t session, size_t len)
{
	asks[n] = (struct ask){ .kind = ASK_CALL,
		.session = (struct session *)(void *)&sessions[session],
		.params = { .len = len } };
	queue_put(queue, &asks[n]);
}

static void
takes(size_t n)
{
	ck_assert_ptr_eq(queue_peek(queue), &asks[n]);
	ck_assert_ptr_eq(queue_take(queue), &asks[n]);
	ck_assert_ptr_null(asks[n].list);
}

static int
has_room(size_t session, size_t len)
{
	return queue_has_room(queue,
	    (struct session *)(void *)&sessions[session], len);
}

static void
open_queue(void)
{
	queue = queue_new();
	ck_assert_ptr_null(queue_peek(queue));
	ck_assert_ptr_null(queue_take(queue));
}

static void
close_queue(void)
{
	ck_assert_ptr_null(queue_take(queue));
	queue_free(&queue);
	queue_free(&queue); /* NULL is accepted */
}

/* One call each, as long as they have any; in its order. */
START_TEST(executions_take_turns)
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
	close_queue();
}
END_TEST

/* In the middle, or all that an execution had. */
START_TEST(asks_may_go)
{
	open_queue();
	put(0, 0, 10);
	put(1, 1, 10);
	put(2, 1, 10);
	put(3, 2, 10);
	ask_move(&asks[0], NULL);
	ask_move(&asks[1], NULL);
	ask_move(&asks[3], NULL);
	takes(2);
	put(4, 0, 10);
	ask_move(&asks[4], NULL);
	put(5, 3, 10);
	takes(5);
	close_queue();
}
END_TEST

/* Half of what others leave is for one; so there is some for everybody. */
START_TEST(bytes_are_bounded)
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
	ck_assert(!has_room(2, 1));
	takes(0);
	ck_assert(has_room(2, most / 4));
	takes(2);
	takes(1);
	close_queue();
}
END_TEST

START_TEST(calls_are_bounded)
{
	size_t n;

	open_queue();
	for (n = 0; n < SERVER_WAITING_MAX; n++) {
		ck_assert(has_room(n, 1));
		put(n, n, 1);
	}
	ck_assert(!has_room(n, 1));
	takes(0);
	ck_assert(has_room(n, 1));
	for (n = 1; n < SERVER_WAITING_MAX; n++)
		takes(n);
	close_queue();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, executions_take_turns);
	tcase_add_test(tc, asks_may_go);
	tcase_add_test(tc, bytes_are_bounded);
	tcase_add_test(tc, calls_are_bounded);
}

int
main(void)
{
	return unit_run("queue", add_tests);
}
