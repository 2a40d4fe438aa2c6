/*
 * Tests of worker/broker/server: what becomes of a server that is no longer
 * configured, is defined anew, or has lost its trust.
 */
#include "server_play.h"

static struct play_server gh;

#define PLAY_GIVEN_UP(id)                                                      \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":" id ",\"reason\":\"the execution that "    \
	"made the request has ended\"}}"

/* What was asked of it is answered, also of executions that only read. */
START_TEST(a_removed_server_finishes)
{
	int relay, reader;

	play_start();
	relay = play_grant();
	reader = play_grant_of("gh", 3, "", 0);
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
	one = play_grant();
	two = play_grant_of("gh", 3, "", 0);
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

/* Without an execution that uses it, it goes at once. */
START_TEST(a_removed_server_ends)
{
	play_start();
	close(play_grant());
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
		relays[n] = play_grant();
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
	relay = play_grant();
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

/* While it starts, with and without a waiting call. */
START_TEST(a_starting_server_is_removed)
{
	uint64_t link;
	int relay;

	play_start();
	relay = play_grant();
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
	relay = play_grant();
	other = play_grant();
	reader = play_grant_of("gh", 3, "", 0);
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
	relay = play_grant();
	play_serve(&old);
	play_remove("gh");
	play_define("gh");
	other = play_grant();
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
	relay = play_grant();
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
	ck_assert_str_eq(
	    play_msg.tried.reason, "was stopped: its file is bad");
	play_end();
}
END_TEST

/* Whether it is used or not, and by any holder at the end of the broker. */
START_TEST(ends_with_servers_that_are_kept)
{
	int one, two;

	play_start();
	one = play_grant();
	play_serve(&gh);
	play_remove("gh");
	play_define("gh");
	two = play_grant();
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
	relay = play_grant();
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

/* A server with a new description stays the same. */
START_TEST(a_server_is_described_anew)
{
	int relay;

	play_start();
	relay = play_grant();
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

static void
add_tests(TCase *tc)
{
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
}

int
main(void)
{
	return unit_run("removal", add_tests);
}
