/*
 * Tests of worker/broker/server: when a server is started, how long requests
 * wait for it, and how it is started again when it fails.
 */
#include <sys/resource.h>
#include <time.h>

#include "server_play.h"

static struct play_server gh;

START_TEST(starts_what_is_loaded_in_parallel)
{
	struct play_server fs;
	uint64_t first, second;
	int relay;

	play_start();
	play_define("fs");
	relay = play_grant_of("fs\0gh", 6, "gh\0fs", 6);
	first = play_expect_want("gh");
	second = play_expect_want("fs");
	ck_assert_uint_gt(second, first);
	/* A server that hangs fails alone. */
	play_launch(first, &gh);
	play_launch(second, &fs);
	play_greet(&fs);
	play_call(relay, 1, "gh");
	play_call(relay, 2, "fs");
	play_expect_line(&fs, PLAY_CALLED("2"));
	play_say(&fs, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_expect_result(relay, 2, "{}");
	play_greet(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

START_TEST(stays_warm)
{
	int one, two;

	play_start();
	one = play_grant();
	play_serve(&gh);
	close(one);
	two = play_grant();
	play_call(two, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/* The start continues when no call waits for it any more. */
START_TEST(patience_ends)
{
	const char *after;
	int relay;

	play_wait_ms = 3000;
	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	play_put(gh.errors, "fetching \x1b[1mall\r\n50 %\n");
	play_call(relay, 1, "gh");
	play_expect_refused(
	    relay, 1, "server \"gh\" is still starting after ");
	/* It was starting before the call came. */
	after = play_msg.refused.reason +
	    strlen("server \"gh\" is still starting after ");
	ck_assert_uint_ge(strtoul(after, NULL, 10), 3);
	ck_assert_str_eq(after + strspn(after, "0123456789"), " seconds: it "
	    "has not answered \"initialize\"; its standard error says: "
	    "50 %");
	play_greet(&gh);
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/* One that never says a word is let go, also without a process yet. */
START_TEST(a_start_ends)
{
	uint64_t link;
	int relay;

	play_wait_ms = 3000;
	play_start_ms = 6000;
	play_start();
	relay = play_grant();
	link = play_expect_want("gh");
	if (_i == 1) {
		play_launch(link, &gh);
		play_hear(&gh);
		play_expect_let_go(link);
		ck_assert_int_eq(read(gh.in, gh.line, 1), 0);
		play_ended(link, "was killed");
	} else {
		/* The refusal of this one comes with the end of the start. */
		play_call(relay, 1, "gh");
		play_expect_refused(relay, 1, "server \"gh\" is still");
		play_call(relay, 2, "gh");
		play_expect_refused(relay, 2, "server \"gh\" did not answer "
		    "\"initialize\" within 6 seconds");
		play_launch(link, &gh);
		play_expect_let_go(link);
		play_ended(link, "was killed");
	}
	play_call(relay, 3, "gh");
	ck_assert_uint_gt(play_expect_want("gh"), link);
	play_end();
}
END_TEST

/* Not one that cannot be started at all is forgotten. */
START_TEST(reports_why_a_start_failed)
{
	uint64_t link;
	int relay;

	play_start();
	relay = play_grant();
	link = play_expect_want("gh");
	play_call(relay, 1, "gh");
	play_list(relay, 2, "gh");
	play_sync(relay);
	if (_i == 0) {
		play_ended(link, "could not be started: no such file");
		play_expect_refused(relay, 1,
		    "server \"gh\" could not be started: no such file");
		play_expect_refused(relay, 2, "server \"gh\" could not be");
	} else {
		play_launch(link, &gh);
		play_put(gh.errors, "TypeError: bad\n    at x.js:1\n");
		play_die(&gh, "exited with code 3");
		play_expect_refused(relay, 1, "server \"gh\" did not start: "
		    "it exited with code 3; its standard error says: "
		    "TypeError: bad");
		play_expect_refused(relay, 2, "server \"gh\" did not start: ");
	}
	play_end();
}
END_TEST

/* The first time at once, then later and later. */
START_TEST(pauses_between_failures)
{
	struct timespec before, after;
	int relay;

	play_wait_ms = 3500;
	play_failed_ms = 250;
	play_start();
	relay = play_grant();
	fail_start("failed once");
	play_call(relay, 1, "gh");
	clock_gettime(CLOCK_MONOTONIC, &before);
	fail_start("failed twice");
	play_expect_refused(relay, 1, "server \"gh\" failed twice");
	fail_call(relay, 2, "failed thrice");
	fail_call(relay, 3, "failed again");
	fail_call(relay, 4, "failed 5");
	fail_call(relay, 5, "failed 6");
	clock_gettime(CLOCK_MONOTONIC, &after);
	/* 250 ms, 500 ms, 1 s and 2 s: it cannot have been faster. */
	ck_assert_int_ge(after.tv_sec - before.tv_sec, 3);
	/* Four seconds are more than the patience. */
	play_call(relay, 6, "gh");
	play_expect_refused(relay, 6, "server \"gh\" failed 6 times in a row "
	    "and can be started again in ");
	ck_assert_ptr_nonnull(strstr(
	    play_msg.refused.reason, "; the last time it failed 6"));
	play_call(relay, 7, "gh");
	play_expect_want("gh");
	play_end();
}
END_TEST

/* A list of tools fails with the pause as its cause; a call waits for it. */
START_TEST(a_look_does_not_wait_for_a_pause)
{
	static const char words[] = "server \"gh\" failed 4 times in a row and "
	    "can be started again in ";
	int relay;

	/* No list is known; the pause that is met is four times that. */
	play_lists_wait_ms = 200;
	play_failed_ms = 1500;
	play_start();
	relay = play_grant();
	fail_start("failed once");
	/* No pause before this one. */
	play_recall(relay, 1, "gh");
	fail_start("failed twice");
	play_expect_refused(relay, 1, "server \"gh\" failed twice");
	fail_call(relay, 2, "failed thrice");
	fail_call(relay, 3, "failed again");
	play_recall(relay, 4, "gh");
	play_expect_refused(relay, 4, words);
	ck_assert_ptr_nonnull(strstr(
	    play_msg.refused.reason, "; the last time it failed again"));
	play_call(relay, 5, "gh");
	play_recall(relay, 6, "gh");
	play_expect_refused(relay, 6, words);
	fail_start("failed 5");
	play_expect_refused(relay, 5, "server \"gh\" failed 5");
	play_end();
}
END_TEST

/* Its output ends before it does; later requests fail with the status. */
START_TEST(a_pause_reports_how_it_ended)
{
	int relay, n;

	play_lists_wait_ms = 200;
	play_failed_ms = 1500;
	play_start();
	relay = play_grant();
	for (n = 0; n < 4; n++) {
		if (n > 0)
			play_call(relay, 1, "gh");
		play_launch(play_expect_want("gh"), &gh);
		if (n == 0)
			play_call(relay, 1, "gh");
		/* It must not come behind the end. */
		play_sync(relay);
		play_die(&gh, "exited with code 3");
		play_expect_refused(relay, 1, "server \"gh\" did not start");
	}
	play_recall(relay, 2, "gh");
	play_expect_refused(relay, 2, "server \"gh\" failed 4 times");
	ck_assert_ptr_nonnull(strstr(
	    play_msg.refused.reason, "; the last time it exited with code 3"));
	play_end();
}
END_TEST

/* However many look: one start keeps them waiting for so long together. */
START_TEST(a_look_waits_for_a_start)
{
	int relay;

	play_lists_wait_ms = 200;
	play_look_ms = 2000;
	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	play_recall(relay, 1, "gh");
	play_expect_refused(
	    relay, 1, "server \"gh\" is still starting after ");
	ck_assert_ptr_nonnull(strstr(play_msg.refused.reason, " seconds"));
	play_recall(relay, 2, "gh");
	play_call(relay, 3, "gh");
	play_expect_refused(
	    relay, 2, "server \"gh\" is still starting after ");
	play_recall(relay, 4, "gh");
	play_expect_refused(
	    relay, 4, "server \"gh\" is still starting after ");
	play_greet(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_recall(relay, 5, "gh");
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
	    "\"tools/list\"}");
	play_end();
}
END_TEST

/* One that failed before is given less. */
START_TEST(a_look_waits_less_after_a_failure)
{
	const char *words = "server \"gh\" is still starting after ";
	int relay;

	play_lists_wait_ms = 200;
	play_look_ms = 8000;
	play_start();
	relay = play_grant();
	fail_start("failed once");
	play_recall(relay, 1, "gh");
	play_launch(play_expect_want("gh"), &gh);
	play_expect_refused(relay, 1, words);
	ck_assert_int_lt(
	    atoi(play_msg.refused.reason + strlen(words)), 8);
	play_greet(&gh);
	play_recall(relay, 2, "gh");
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/list\"}");
	play_end();
}
END_TEST

/* The call that met the death gets an error, the next one works. */
START_TEST(is_started_again)
{
	int relay;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_hear(&gh);
	play_put(gh.errors, "gone\n");
	play_die(&gh, "was killed by signal 9 (Killed)");
	play_expect_refused(relay, 1, "server \"gh\" ended before it answered: "
	    "it was killed by signal 9 (Killed); the call was sent and may "
	    "have run; its standard error says: gone");
	play_call(relay, 2, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_expect_result(relay, 2, "{}");
	play_end();
}
END_TEST

/* The broker may have so few descriptors, and goes on with what runs. */
START_TEST(bounds_what_runs)
{
	static const char words[] = "server \"gh\" cannot be started: 12 "
	    "servers run, and with a limit of 48 open files there is no room "
	    "for more (see \"ulimit -n\")";
	struct rlimit before, limit;
	struct play_server servers[12];
	char name[] = "a";
	int relay, n;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 48;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	play_start();
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	relay = play_grant_of("a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0gh", 27,
	    "", 0);
	for (n = 0; n < 12; n++, name[0]++) {
		play_define(name);
		play_sync_supervisor();
		play_load(relay, 1, name);
		play_expect(relay, IPC_RESULT);
		play_launch(play_expect_want(name), &servers[n]);
	}
	play_load(relay, 1, "gh");
	play_expect(relay, IPC_RESULT);
	play_call(relay, 2, "gh");
	play_expect_refused(relay, 2, words);
	play_list(relay, 3, "gh");
	play_expect_refused(relay, 3, words);
	play_try("gh");
	play_expect(play_supervisor, IPC_TRIED);
	/* Without the name of the server. */
	ck_assert_str_eq(
	    play_msg.tried.reason, words + strlen("server \"gh\" "));
	/* One that is kept counts, as it runs. */
	play_remove("f");
	play_sync_supervisor();
	play_call(relay, 4, "gh");
	play_expect_refused(relay, 4, words);
	play_die(&servers[5], "exited with code 0");
	play_sync_supervisor();
	play_call(relay, 4, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/*
 * However often: one that has answered did not fail to start. The pauses of as
 * many failures would be longer than a call waits.
 */
START_TEST(is_started_again_and_again)
{
	uint64_t id;
	int relay;

	play_start();
	relay = play_grant();
	for (id = 1; id <= 16; id += 2) {
		if (id > 1)
			play_call(relay, id, "gh");
		play_serve(&gh);
		if (id == 1)
			play_call(relay, id, "gh");
		play_expect_line(&gh, PLAY_CALLED("2"));
		play_say(&gh, _i == 0
		    ? "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"
		    : "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{}}");
		play_expect(relay, _i == 0 ? IPC_RESULT : IPC_REFUSED);
		play_call(relay, id + 1, "gh");
		play_expect_line(&gh, PLAY_CALLED("3"));
		play_die(&gh, "exited with code 1");
		play_expect_refused(relay, id + 1, "server \"gh\" ended before "
		    "it answered: it exited with code 1");
	}
	play_end();
}
END_TEST

/* What answers nothing, or with what cannot be used, has failed. */
START_TEST(an_answer_must_be_of_use)
{
	struct timespec before, after;
	int relay, n;

	play_start();
	relay = play_grant();
	for (n = 1; n <= 2; n++) {
		if (n > 1)
			play_call(relay, 1, "gh");
		play_serve(&gh);
		if (n == 1)
			play_call(relay, 1, "gh");
		play_expect_line(&gh, PLAY_CALLED("2"));
		if (_i == 0)
			play_say(&gh, "{\"id\":2}");
		clock_gettime(CLOCK_MONOTONIC, &before);
		play_die(&gh, "exited with code 1");
		play_expect(relay, IPC_REFUSED);
	}
	play_load(relay, 3, "gh");
	play_expect_want("gh");
	clock_gettime(CLOCK_MONOTONIC, &after);
	/* The pause before a third start: it cannot have been faster. */
	ck_assert_int_ge((after.tv_sec - before.tv_sec) * 1000 +
	    (after.tv_nsec - before.tv_nsec) / 1000000,
	    SERVER_PAUSE_FIRST_MS - 50);
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, starts_what_is_loaded_in_parallel);
	tcase_add_test(tc, stays_warm);
	tcase_add_test(tc, patience_ends);
	tcase_add_loop_test(tc, a_start_ends, 0, 2);
	tcase_add_loop_test(tc, reports_why_a_start_failed, 0, 2);
	tcase_add_test(tc, pauses_between_failures);
	tcase_add_test(tc, a_look_does_not_wait_for_a_pause);
	tcase_add_test(tc, a_pause_reports_how_it_ended);
	tcase_add_test(tc, a_look_waits_for_a_start);
	tcase_add_test(tc, a_look_waits_less_after_a_failure);
	tcase_add_test(tc, is_started_again);
	tcase_add_test(tc, bounds_what_runs);
	tcase_add_loop_test(tc, is_started_again_and_again, 0, 2);
	tcase_add_loop_test(tc, an_answer_must_be_of_use, 0, 2);
}

int
main(void)
{
	return unit_run("server", add_tests);
}
