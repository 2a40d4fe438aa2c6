/*
 * Tests of worker/broker/link/server: when a server is started, how long
 * requests wait for it, and how it is started again when it fails.
 */
#include <sys/resource.h>
#include <time.h>

#include "../server_play.h"

static struct play_server gh;

/* One that never says a word is let go, also without a process yet. */
UNIT_TESTS(a_start_ends, 2)
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

/* The first time at once, then later and later. */
UNIT_TEST(pauses_between_failures)
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

/* A list of tools fails with the pause as its cause; a call waits for it. */
UNIT_TEST(a_look_does_not_wait_for_a_pause)
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

/* The broker may have so few descriptors, and goes on with what runs. */
UNIT_TEST(bounds_what_runs)
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
