/*
 * Tests of worker/broker/server: when a server is started, who waits for it
 * and for how long, how it is started again when it fails, and what becomes of
 * one that is no longer configured.
 */
#include <sys/resource.h>
#include <time.h>

#include "broker_play.h"

static struct play_server gh;

START_TEST(starts_what_is_loaded_in_parallel)
{
	struct play_server fs;
	uint64_t first, second;
	int relay;

	play_start();
	play_define("fs");
	relay = play_session_of("fs\0gh", 6, "gh\0fs", 6);
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
	one = play_session();
	play_serve(&gh);
	close(one);
	two = play_session();
	play_call(two, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/* The start goes on after nobody has the patience any more. */
START_TEST(patience_ends)
{
	const char *after;
	int relay;

	play_wait_ms = 3000;
	play_start();
	relay = play_session();
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
	relay = play_session();
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
START_TEST(tells_why_a_start_failed)
{
	uint64_t link;
	int relay;

	play_start();
	relay = play_session();
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

/* Fails the start that is wanted next. */
static void
fail_start(const char *how)
{
	play_ended(play_expect_want("gh"), how);
	play_sync_supervisor();
}

/* The same, which costs a call. */
static void
fail_call(int relay, uint64_t id, const char *how)
{
	auto_free char *words = mem_printf("server \"gh\" %s", how);

	play_call(relay, id, "gh");
	fail_start(how);
	play_expect_refused(relay, id, words);
}

/* The first time at once, then later and later. */
START_TEST(pauses_between_failures)
{
	struct timespec before, after;
	int relay;

	play_wait_ms = 6000;
	play_start();
	relay = play_session();
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
	/* 500 ms, 1 s, 2 s and 4 s: it cannot have been faster. */
	ck_assert_int_ge(after.tv_sec - before.tv_sec, 7);
	/* Eight seconds are more than the patience. */
	play_call(relay, 6, "gh");
	play_expect_refused(relay, 6, "server \"gh\" failed 6 times in a row "
	    "and can be started again in ");
	ck_assert_ptr_nonnull(strstr(
	    play_msg.refused.reason, "; at last it failed 6"));
	play_call(relay, 7, "gh");
	play_expect_want("gh");
	play_end();
}
END_TEST

/* Who only looks for tools is told of the pause; who calls waits for it. */
START_TEST(a_look_does_not_wait_for_a_pause)
{
	static const char words[] = "server \"gh\" failed 4 times in a row and "
	    "can be started again in ";
	int relay;

	/* Nobody knows of a list; the pause that is met is four times that. */
	play_lists_wait_ms = 200;
	play_failed_ms = 1500;
	play_start();
	relay = play_session();
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
	    play_msg.refused.reason, "; at last it failed again"));
	play_call(relay, 5, "gh");
	play_recall(relay, 6, "gh");
	play_expect_refused(relay, 6, words);
	fail_start("failed 5");
	play_expect_refused(relay, 5, "server \"gh\" failed 5");
	play_end();
}
END_TEST

/* Its output ends before it does; how that was is told to who asks later. */
START_TEST(a_pause_tells_how_it_ended)
{
	int relay, n;

	play_lists_wait_ms = 200;
	play_failed_ms = 1500;
	play_start();
	relay = play_session();
	for (n = 0; n < 4; n++) {
		if (n > 0)
			play_call(relay, 1, "gh");
		play_launch(play_expect_want("gh"), &gh);
		if (n == 0)
			play_call(relay, 1, "gh");
		play_die(&gh, "exited with code 3");
		play_expect_refused(relay, 1, "server \"gh\" did not start");
	}
	play_recall(relay, 2, "gh");
	play_expect_refused(relay, 2, "server \"gh\" failed 4 times");
	ck_assert_ptr_nonnull(strstr(
	    play_msg.refused.reason, "; at last it exited with code 3"));
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
	relay = play_session();
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
	relay = play_session();
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
	relay = play_session();
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
	relay = play_session_of("a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0gh", 27,
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
	ck_assert_str_eq(play_msg.tried.reason, words);
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
	relay = play_session();
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
	relay = play_session();
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

/* The server answers the call of this number; a relay hears of it. */
static void
answer_call(struct play_server *server, uint64_t number, int relay, uint64_t id)
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%d,"
	    "\"result\":{}}", (int)number);

	play_say(server, line);
	play_expect_result(relay, id, "{}");
}

#define PLAY_GIVEN_UP(id)                                                      \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":" id ",\"reason\":\"the execution that "    \
	"asked has ended\"}}"

/* What was asked of it is answered, also of executions that only read. */
START_TEST(a_removed_server_finishes)
{
	int relay, reader;

	play_start();
	relay = play_session();
	reader = play_session_of("gh", 3, "", 0);
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_hear(&gh);
	play_list(reader, 2, "gh");
	play_hear(&gh);
	play_remove("gh");
	play_sync_supervisor();
	close(relay);
	play_expect_line(&gh, PLAY_GIVEN_UP("2"));
	play_list_servers(reader, 3);
	play_expect_result(reader, 3, "[]");
	play_list(reader, 4, "gh");
	play_expect_refused(
	    reader, 4, "server \"gh\" is no longer configured");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":"
	    "{\"tools\":[]}}");
	play_expect_result(reader, 2, "{\"tools\":[],\"aliases\":[]}");
	play_expect_let_go(gh.link);
	ck_assert_int_eq(read(gh.in, gh.line, 1), 0);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

#define GH_LOADED "[{\"name\":\"gh\",\"alias\":\"gh\",\"description\":"        \
	"\"does things\",\"loaded\":true}]"

/* It goes on for those who have loaded it, until the last of them ends. */
START_TEST(a_removed_server_is_kept)
{
	int one, two;

	play_start();
	one = play_session();
	two = play_session_of("gh", 3, "", 0);
	play_load(two, 1, "gh");
	play_expect(two, IPC_RESULT);
	play_serve(&gh);
	play_remove("gh");
	play_sync_supervisor();
	play_list_servers(one, 2);
	play_expect_result(one, 2, GH_LOADED);
	play_load(one, 3, "gh");
	play_expect(one, IPC_RESULT);
	play_call(one, 4, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	answer_call(&gh, 2, one, 4);
	play_recall(one, 5, "gh");
	play_hear(&gh);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":"
	    "{\"tools\":[]}}");
	play_expect_result(one, 5, "{\"tools\":[],\"aliases\":[]}");
	close(one);
	play_call(two, 6, "gh");
	play_expect_line(&gh, PLAY_CALLED("4"));
	answer_call(&gh, 4, two, 6);
	close(two);
	play_expect_let_go(gh.link);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

/* With nobody to keep it, it goes at once. */
START_TEST(a_removed_server_ends)
{
	play_start();
	close(play_session());
	play_serve(&gh);
	play_sync_supervisor();
	play_remove("gh");
	play_expect_let_go(gh.link);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

/* Each execution has the one that it has loaded; each asks for its own. */
START_TEST(a_server_is_defined_anew)
{
	struct play_server servers[3];
	int relays[3], n;

	play_start();
	for (n = 0; n < 3; n++) {
		if (n > 0) {
			play_remove("gh");
			play_define("gh");
		}
		relays[n] = play_session();
		play_launch(play_expect_want("gh"), &servers[n]);
		ck_assert_uint_eq(play_msg.want.definition, play_definitions);
		play_greet(&servers[n]);
	}
	for (n = 2; n >= 0; n--) {
		play_call(relays[n], 1, "gh");
		play_expect_line(&servers[n], PLAY_CALLED("2"));
		answer_call(&servers[n], 2, relays[n], 1);
	}
	for (n = 0; n < 2; n++) {
		close(relays[n]);
		play_expect_let_go(servers[n].link);
		play_die(&servers[n], "exited with code 0");
	}
	play_call(relays[2], 1, "gh");
	play_expect_line(&servers[2], PLAY_CALLED("3"));
	play_end();
}
END_TEST

/* What was removed is not started again: who had it gets what is there now. */
START_TEST(a_kept_server_that_ends_is_not_started_again)
{
	struct play_server old;
	int relay;

	play_start();
	relay = play_session();
	play_serve(&old);
	play_remove("gh");
	play_call(relay, 1, "gh");
	play_hear(&old);
	play_die(&old, "exited with code 1");
	play_expect_refused(relay, 1, "server \"gh\" ended before it answered");
	play_call(relay, 2, "gh");
	play_expect_refused(
	    relay, 2, "server \"gh\" is no longer configured");
	play_define("gh");
	play_sync_supervisor();
	play_call(relay, 3, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	/* That one is kept now. */
	play_remove("gh");
	play_sync_supervisor();
	play_call(relay, 4, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_end();
}
END_TEST

/* While it starts, with and without somebody who waits for it. */
START_TEST(a_starting_server_is_removed)
{
	uint64_t link;
	int relay;

	play_start();
	relay = play_session();
	link = play_expect_want("gh");
	if (_i == 1) {
		play_call(relay, 1, "gh");
		play_recall(relay, 2, "gh");
		play_sync(relay);
	}
	play_remove("gh");
	play_sync_supervisor();
	play_list_servers(relay, 3);
	play_expect_result(relay, 3, GH_LOADED);
	play_launch(link, &gh);
	play_greet(&gh);
	if (_i == 1) {
		play_hear(&gh);
		play_expect_line(&gh, PLAY_CALLED("3"));
		answer_call(&gh, 3, relay, 1);
		play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
		    "{\"tools\":[]}}");
		play_expect_result(relay, 2, "{\"tools\":[],\"aliases\":[]}");
	}
	close(relay);
	play_expect_let_go(link);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

/* Trust that is lost */

#define STOPPED "server \"gh\" was stopped: its file \\x1b is bad"

/* Everything that was asked of it ends at once, and so does the process. */
START_TEST(a_server_is_revoked)
{
	int relay, other, reader;

	play_start();
	relay = play_session();
	other = play_session();
	reader = play_session_of("gh", 3, "", 0);
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_hear(&gh);
	play_list(other, 1, "gh");
	play_hear(&gh);
	play_put(gh.errors, "a word\n");
	if (_i == 1)
		play_remove("gh");
	play_revoke(1, "its file \x1b is bad");
	play_expect_let_go(gh.link);
	play_expect_refused(relay, 1, STOPPED "; the call was sent and may "
	    "have run");
	ck_assert_ptr_null(strstr(play_msg.refused.reason, "a word"));
	play_expect_refused(other, 1, STOPPED);
	ck_assert_int_eq(read(gh.in, gh.line, 1), 0);
	play_call(relay, 2, "gh");
	play_expect_refused(relay, 2, STOPPED);
	play_list(reader, 3, "gh");
	play_expect_refused(reader, 3, STOPPED);
	play_list_servers(reader, 4);
	play_expect_result(reader, 4, "[]");
	play_die(&gh, "exited with code 0");
	/* Twice is once. */
	play_revoke(1, "its file is bad");
	play_define("gh");
	play_sync_supervisor();
	play_call(relay, 5, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}
END_TEST

/* One of two that have the same name. */
START_TEST(a_kept_server_is_revoked)
{
	struct play_server old;
	int relay, other;

	play_start();
	relay = play_session();
	play_serve(&old);
	play_remove("gh");
	play_define("gh");
	other = play_session();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_hear(&old);
	play_revoke(1, "its file \x1b is bad");
	play_expect_let_go(old.link);
	play_expect_refused(relay, 1, STOPPED);
	play_call(other, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_die(&old, "exited with code 0");
	/* Nothing of that is said of the other one. */
	close(other);
	play_expect_line(&gh, PLAY_GIVEN_UP("2"));
	play_remove("gh");
	play_expect_let_go(gh.link);
	play_call(relay, 2, "gh");
	play_expect_refused(
	    relay, 2, "server \"gh\" is no longer configured");
	play_end();
}
END_TEST

/* In every state on the way: wanted, launched, and waiting to be wanted. */
START_TEST(a_starting_server_is_revoked)
{
	uint64_t link = 0;
	int relay;

	play_failed_ms = 20000;
	play_start();
	relay = play_session();
	if (_i == 2) {
		fail_start("failed once");
		fail_call(relay, 1, "failed twice");
	} else {
		link = play_expect_want("gh");
	}
	if (_i == 1)
		play_launch(link, &gh);
	play_call(relay, 2, "gh");
	play_sync(relay);
	play_revoke(1, "its file \x1b is bad");
	if (_i == 1)
		play_expect_let_go(link);
	play_expect_refused(relay, 2, STOPPED);
	play_call(relay, 3, "gh");
	play_expect_refused(relay, 3, STOPPED);
	if (_i == 0) {
		play_launch(link, &gh);
		play_expect_let_go(link);
	}
	if (_i < 2)
		play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_end();
}
END_TEST

/* What is asked for a TRY ends, too. */
START_TEST(a_tried_server_is_revoked)
{
	play_start();
	play_try("gh");
	play_expect_want("gh");
	play_revoke(1, "its file is bad");
	play_expect(play_supervisor, IPC_TRIED);
	ck_assert_str_eq(play_msg.tried.reason,
	    "server \"gh\" was stopped: its file is bad");
	play_end();
}
END_TEST

/* Whether it is used or not, and whoever holds it at the end of the broker. */
START_TEST(ends_with_servers_that_are_kept)
{
	int one, two;

	play_start();
	one = play_session();
	play_serve(&gh);
	play_remove("gh");
	play_define("gh");
	two = play_session();
	play_expect_want("gh");
	play_remove("gh");
	play_call(two, 1, "gh");
	play_sync(two);
	play_sync(one);
	play_end();
}
END_TEST

START_TEST(a_pausing_server_is_removed)
{
	int relay;

	play_failed_ms = 20000;
	play_start();
	relay = play_session();
	fail_start("failed once");
	fail_call(relay, 1, "failed twice");
	play_call(relay, 2, "gh");
	play_sync(relay);
	play_remove("gh");
	play_expect_refused(
	    relay, 2, "server \"gh\" is no longer configured");
	play_end();
}
END_TEST

/* What is described anew stays what it is. */
START_TEST(a_server_is_described_anew)
{
	int relay;

	play_start();
	relay = play_session();
	play_serve(&gh);
	play_define_as("gh", "gh_2", "does more");
	play_sync_supervisor();
	play_list_servers(relay, 1);
	play_expect_result(relay, 1, "[{\"name\":\"gh\",\"alias\":\"gh_2\","
	    "\"description\":\"does more\",\"loaded\":true}]");
	play_call(relay, 2, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_remove("nobody");
	play_end();
}
END_TEST

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
	a = play_session();
	b = play_session();
	c = play_session();
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
	a = play_session();
	b = play_session();
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
	relay = play_session();
	other = play_session();
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
START_TEST(a_server_dies_while_calls_wait)
{
	int relay, other;

	play_start();
	relay = play_session();
	other = play_session();
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
	relay = play_session();
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
	one = play_session_of("fs\0gh", 6, "fs\0gh", 6);
	play_expect_want("fs");
	play_serve(&gh);
	two = play_session_of("fs\0gh", 6, "fs\0gh", 6);
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
	tcase_add_test(tc, starts_what_is_loaded_in_parallel);
	tcase_add_test(tc, stays_warm);
	tcase_add_test(tc, patience_ends);
	tcase_add_loop_test(tc, a_start_ends, 0, 2);
	tcase_add_loop_test(tc, tells_why_a_start_failed, 0, 2);
	tcase_add_test(tc, pauses_between_failures);
	tcase_add_test(tc, a_look_does_not_wait_for_a_pause);
	tcase_add_test(tc, a_pause_tells_how_it_ended);
	tcase_add_test(tc, a_look_waits_for_a_start);
	tcase_add_test(tc, a_look_waits_less_after_a_failure);
	tcase_add_test(tc, is_started_again);
	tcase_add_test(tc, bounds_what_runs);
	tcase_add_loop_test(tc, is_started_again_and_again, 0, 2);
	tcase_add_loop_test(tc, an_answer_must_be_of_use, 0, 2);
	tcase_add_test(tc, a_removed_server_finishes);
	tcase_add_test(tc, a_removed_server_is_kept);
	tcase_add_test(tc, a_removed_server_ends);
	tcase_add_test(tc, a_server_is_defined_anew);
	tcase_add_test(tc, a_kept_server_that_ends_is_not_started_again);
	tcase_add_loop_test(tc, a_starting_server_is_removed, 0, 2);
	tcase_add_loop_test(tc, a_server_is_revoked, 0, 2);
	tcase_add_test(tc, a_kept_server_is_revoked);
	tcase_add_loop_test(tc, a_starting_server_is_revoked, 0, 3);
	tcase_add_test(tc, a_tried_server_is_revoked);
	tcase_add_test(tc, ends_with_servers_that_are_kept);
	tcase_add_test(tc, a_pausing_server_is_removed);
	tcase_add_test(tc, a_server_is_described_anew);
	tcase_add_test(tc, an_execution_leaves_places);
	tcase_add_test(tc, executions_take_turns);
	tcase_add_loop_test(tc, places_are_free_again, 0, 2);
	tcase_add_test(tc, a_server_dies_while_calls_wait);
	tcase_add_test(tc, bounds_what_waits);
	tcase_add_test(tc, bounds_what_waits_for_all);
}

int
main(void)
{
	return unit_run("server", add_tests);
}
