/*
 * Tests of worker/broker/server: which calls have a place, in which turns of
 * their executions, and how many may wait.
 */
#include "server_play.h"

static struct play_server gh;

/* Makes so many calls, from this id on, which the server gets at once. */
static void
call_many(int relay, uint64_t id, uint64_t count)
{
	for (; count > 0; count--) {
		play_call(relay, id++, "gh");
		ck_assert_ptr_nonnull(strstr(play_hear(&gh), "tools/call"));
	}
}

/* Whatever the calls of one execution do: those of others have places. */
START_TEST(an_execution_leaves_places)
{
	int a, b, c;

	play_start();
	a = play_grant();
	b = play_grant();
	c = play_grant();
	play_serve(&gh);
	call_many(a, 1, REQUESTS_MAX);
	call_many(b, 1, REQUESTS_MAX / 2);
	call_many(c, 1, 1);
	answer_call(&gh, 2 + REQUESTS_MAX, b, 1);
	play_end();
}
END_TEST

/* Who has all its places gets one for each that comes back, in turns. */
START_TEST(executions_take_turns)
{
	const uint64_t half = REQUESTS_MAX / 2;
	int a, b;

	play_start();
	a = play_grant();
	b = play_grant();
	play_serve(&gh);
	call_many(a, 1, REQUESTS_MAX);
	call_many(b, 1, half);
	play_call(b, half + 1, "gh");
	play_call(b, half + 2, "gh");
	play_sync(b);
	answer_call(&gh, 2, a, 1);
	play_expect_line(&gh, PLAY_CALLED("194"));
	answer_call(&gh, 3, a, 2);
	answer_call(&gh, REQUESTS_MAX + 2, b, 1);
	play_expect_line(&gh, PLAY_CALLED("195"));
	/* One who has more than the others leave must give some back first. */
	play_call(a, 1, "gh");
	play_sync(a);
	answer_call(&gh, 4, a, 3);
	answer_call(&gh, REQUESTS_MAX + 3, b, 2);
	play_call(b, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("196"));
	play_end();
}
END_TEST

/* A place is free again when a call is cancelled, or its execution ends. */
START_TEST(places_are_free_again)
{
	const uint64_t half = REQUESTS_MAX / 2;
	struct ipc_cancel_call cancel = { .id = 2 };
	uint64_t n;
	int relay, other;

	play_start();
	relay = play_grant();
	other = play_grant();
	play_serve(&gh);
	call_many(relay, 1, REQUESTS_MAX);
	call_many(other, 2, half);
	play_call(other, 1, "gh");
	play_sync(other);
	if (_i == 0) {
		play_send(other, IPC_CANCEL_CALL, &cancel);
		play_expect_refused(other, 2, "it was cancelled");
		play_hear(&gh);
	} else {
		close(relay);
		for (n = 0; n < REQUESTS_MAX; n++)
			ck_assert_ptr_nonnull(strstr(
			    play_hear(&gh), "notifications/cancelled"));
	}
	play_expect_line(&gh, PLAY_CALLED("194"));
	answer_call(&gh, REQUESTS_MAX + half + 2, other, 1);
	play_end();
}
END_TEST

/* What waits for a place ends with the server, too. */
START_TEST(a_server_exits_while_calls_wait)
{
	int relay, other;

	play_start();
	relay = play_grant();
	other = play_grant();
	play_serve(&gh);
	call_many(relay, 1, REQUESTS_MAX);
	call_many(other, 2, REQUESTS_MAX / 2);
	play_call(other, 1, "gh");
	play_sync(other);
	play_die(&gh, "exited with code 1");
	do
		play_expect(other, IPC_REFUSED);
	while (play_msg.refused.id != 1);
	ck_assert_ptr_nonnull(
	    strstr(play_msg.refused.reason, " ended before it answered"));
	play_call(other, 1, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/* What waits for a start is bounded in bytes, too: half of them are for one. */
START_TEST(bounds_what_waits)
{
	auto_buffer struct buffer arguments = { 0 };
	uint64_t id;
	int relay;

	play_start();
	relay = play_grant();
	play_expect_want("gh");
	buffer_add_text(&arguments, "{\"text\":\"");
	memset(buffer_reserve(&arguments, 15 * MIB), 'x', 15 * MIB);
	arguments.len += 15 * MIB;
	buffer_add_text(&arguments, "\"}");
	for (id = 1; id <= 5; id++)
		play_call_with(
		    relay, id, "gh", arguments.data, arguments.len);
	play_expect_refused(relay, 5, "server \"gh\" is still starting, and "
	    "too much waits for it already");
	play_end();
}
END_TEST

/*
 * And in bytes of all servers: those that are gone, or that a server that ends
 * had not read, make room again.
 */
START_TEST(bounds_what_waits_for_all)
{
	const size_t len = 15 * MIB;
	int one, two;

	play_unwritten_max = 64 * MIB;
	play_start();
	play_define("fs");
	one = play_grant_of("fs\0gh", 6, "fs\0gh", 6);
	play_expect_want("fs");
	play_serve(&gh);
	two = play_grant_of("fs\0gh", 6, "fs\0gh", 6);
	/* Of this one the server gets a part. */
	play_call_large(one, 1, "gh", len);
	play_call_large(one, 2, "fs", len);
	play_call_large(one, 3, "fs", len);
	play_expect_refused(
	    one, 3, "server \"fs\" cannot be called now: 313");
	play_call(one, 3, "gh");
	play_sync(one);
	play_call_large(two, 1, "gh", len);
	play_call_large(two, 2, "gh", len);
	play_expect_refused(
	    two, 2, "server \"gh\" cannot be called now: 471");
	close(one);
	play_sync_supervisor();
	/* What is half sent stays. */
	play_call_large(two, 2, "fs", len);
	play_call_large(two, 3, "fs", len);
	play_expect_refused(
	    two, 3, "server \"fs\" cannot be called now: 471");
	play_die(&gh, "exited with code 0");
	play_expect_refused(two, 1, "server \"gh\" ended before it answered");
	play_call_large(two, 1, "fs", len);
	play_sync(two);
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, an_execution_leaves_places);
	tcase_add_test(tc, executions_take_turns);
	tcase_add_loop_test(tc, places_are_free_again, 0, 2);
	tcase_add_test(tc, a_server_exits_while_calls_wait);
	tcase_add_test(tc, bounds_what_waits);
	tcase_add_test(tc, bounds_what_waits_for_all);
}

int
main(void)
{
	return unit_run("turns", add_tests);
}
