/*
 * Tests of worker/broker/listing: one list of tools for all who ask, fetched
 * page by page, kept until the server says that it has changed.
 */
#include <time.h>

#include "broker_play.h"

#define ANSWER(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"
#define ASKED(id) ANSWER(id, "\"method\":\"tools/list\"")
#define ONE(name) "\"result\":{\"tools\":[{\"name\":\"" name "\"}]}"
#define LIST(name, alias)                                                      \
	"{\"tools\":[{\"name\":\"" name "\"}],\"aliases\":[\"" alias "\"]}"

static const char changed[] = "{\"jsonrpc\":\"2.0\",\"method\":"
    "\"notifications/tools/list_changed\"}";

static struct play_server gh;
static int relay;

static void
start(void)
{
	play_start();
	relay = play_grant();
	play_serve(&gh);
}

START_TEST(lists_tools)
{
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", "\"result\":{\"tools\":[{\"name\":\"A-b\","
	    "\"inputSchema\":{\"n\":1e400, \"n\":0.10}},7,{\"x\":1},"
	    "{\"name\":\"A-b\"}],\"nextCursor\":\"\\u0000x\"}"));
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
	    "\"tools/list\",\"params\":{\"cursor\":\"\\u0000x\"}}");
	play_say(&gh, ANSWER("3", "\"result\":{\"nextCursor\":\"y\","
	    "\"tools\":[]}"));
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
	    "\"tools/list\",\"params\":{\"cursor\":\"y\"}}");
	play_say(&gh, ANSWER("4", "\"result\":{\"nextCursor\":null,"
	    "\"tools\":[{\"name\":\"a_b\"}]}"));
	play_expect_result(relay, 1, "{\"tools\":[{\"name\":\"A-b\","
	    "\"inputSchema\":{\"n\":1e400, \"n\":0.10}},{\"name\":\"a_b\"}],"
	    "\"aliases\":[\"a_b_2\",\"a_b\"]}");
	play_end();
}
END_TEST

/* Asked for by many at once and again: fetched once. */
/* And with it the shapes of what its tools have returned. */
START_TEST(reports_shapes)
{
	int silent;

	play_remember = 1;
	start();
	play_remember = 0;
	silent = play_grant();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", ONE("talk")));
	play_expect_result(relay, 1, LIST("talk", "talk"));
	play_call(relay, 2, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("3", "\"result\":{\"structuredContent\":"
	    "{\"a\":[1]}}"));
	play_expect_result(relay, 2, "{\"structuredContent\":{\"a\":[1]}}");
	play_list(relay, 3, "gh");
	play_expect_result(relay, 3, "{\"tools\":[{\"name\":\"talk\"}],"
	    "\"aliases\":[\"talk\"],\"shapes\":{\"t\\u0061lk\":\"{a: list "
	    "of int}\"}}");
	play_list(silent, 4, "gh");
	play_expect_result(silent, 4, LIST("talk", "talk"));
	play_end();
}
END_TEST

START_TEST(is_fetched_once)
{
	int other;

	start();
	other = play_grant();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_list(relay, 2, "gh");
	play_list(other, 3, "gh");
	play_sync(relay);
	play_sync(other);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_expect_result(relay, 2, LIST("a", "a"));
	play_expect_result(other, 3, LIST("a", "a"));
	play_list(relay, 4, "gh");
	play_expect_result(relay, 4, LIST("a", "a"));
	play_call(relay, 5, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_end();
}
END_TEST

/* Those who ask before it is there get it when it is. */
START_TEST(waits_for_the_start)
{
	play_start();
	relay = play_grant();
	play_expect_want("gh");
	play_list(relay, 1, "gh");
	play_list(relay, 2, "gh");
	play_sync(relay);
	play_launch(1, &gh);
	play_greet(&gh);
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_expect_result(relay, 2, LIST("a", "a"));
	play_end();
}
END_TEST

START_TEST(is_fetched_again_when_it_changed)
{
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_say(&gh, changed);
	/* The answer to a ping shows that the line before it was read. */
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_list(relay, 2, "gh");
	play_expect_line(&gh, ASKED("3"));
	play_say(&gh, ANSWER("3", ONE("b")));
	play_expect_result(relay, 2, LIST("b", "b"));
	play_end();
}
END_TEST

/* The server has notified the broker that its list has changed. */
static void
change(void)
{
	play_say(&gh, changed);
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
}

/* A flood of changes costs a fetch now and then, which all share. */
START_TEST(changes_again_and_again)
{
	struct timespec before, after;
	int n;

	play_pause_ms = 3000;
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	clock_gettime(CLOCK_MONOTONIC, &before);
	for (n = 0; n < 100; n++)
		change();
	play_list(relay, 2, "gh");
	play_expect_line(&gh, ASKED("3"));
	play_say(&gh, ANSWER("3", ONE("b")));
	play_expect_result(relay, 2, LIST("b", "b"));
	change();
	play_list(relay, 3, "gh");
	play_sync(relay);
	change();
	play_list(relay, 4, "gh");
	play_expect_line(&gh, ASKED("4"));
	clock_gettime(CLOCK_MONOTONIC, &after);
	/* It cannot have been faster. */
	ck_assert_int_ge((after.tv_sec - before.tv_sec) * 1000 +
	    (after.tv_nsec - before.tv_nsec) / 1000000, LISTING_PAUSE_MS);
	play_say(&gh, ANSWER("4", ONE("c")));
	play_expect_result(relay, 3, LIST("c", "c"));
	play_expect_result(relay, 4, LIST("c", "c"));
	play_end();
}
END_TEST

/* Changed while it is fetched: who asks after that gets what came after. */
START_TEST(changes_while_it_is_fetched)
{
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, changed);
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_list(relay, 2, "gh");
	play_sync(relay);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_expect_line(&gh, ASKED("3"));
	play_say(&gh, ANSWER("3", ONE("b")));
	play_expect_result(relay, 2, LIST("b", "b"));
	play_list(relay, 3, "gh");
	play_expect_result(relay, 3, LIST("b", "b"));
	play_end();
}
END_TEST

static void
narrow(const char *deny, size_t len)
{
	struct ipc_define define = { .name = "gh", .alias = "gh",
		.description = "", .deny = { (const uint8_t *)deny, len } };

	play_define_whole(&define);
	play_sync_supervisor();
}

/* Code may call a tool that may have changed since it was described. */
START_TEST(what_was_listed_in_doubt_may_be_called)
{
	start();
	narrow("other", 6);
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, changed);
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("talk")));
	play_expect_result(relay, 1, LIST("talk", "talk"));
	play_call(relay, 2, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_end();
}
END_TEST

/* Without another process: what may be used is for us to say. */
START_TEST(other_tools_may_be_used)
{
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	narrow("a", 2);
	play_list(relay, 2, "gh");
	play_expect_line(&gh, ASKED("3"));
	play_say(&gh, ANSWER("3", ONE("a")));
	play_expect_result(relay, 2, "{\"tools\":[],\"aliases\":[]}");
	play_end();
}
END_TEST

/* The list of a process ends with it. */
START_TEST(belongs_to_its_process)
{
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_list(relay, 2, "gh");
	play_serve(&gh);
	play_expect_line(&gh, ASKED("2"));
	play_die(&gh, "exited with code 1");
	play_expect_refused(relay, 2, "server \"gh\" ended before it "
	    "answered: it exited with code 1");
	play_end();
}
END_TEST

/* Has the server run, tell its list, and end. */
static void
learn(void)
{
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
}

/* The last list is used while no process of the server runs or starts. */
START_TEST(is_remembered)
{
	learn();
	play_recall(relay, 2, "gh");
	play_expect_result(relay, 2, LIST("a", "a"));
	play_load(relay, 3, "gh");
	play_expect(relay, IPC_RESULT);
	play_recall(relay, 4, "gh");
	play_expect_result(relay, 4, LIST("a", "a"));
	play_serve(&gh);
	play_recall(relay, 5, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", ONE("b")));
	play_expect_result(relay, 5, LIST("b", "b"));
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_recall(relay, 6, "gh");
	play_expect_result(relay, 6, LIST("b", "b"));
	play_end();
}
END_TEST

/* It is remembered by what was started, and by nothing else. */
START_TEST(is_remembered_by_its_fingerprint)
{
	int other;

	play_lists_wait_ms = 500;
	learn();
	play_remove("gh");
	play_define("fs");
	play_define_as("gh", "gh_2", "anew");
	other = play_grant_of("fs\0gh", 6, "", 0);
	play_recall(other, 1, "gh");
	play_expect_result(other, 1, LIST("a", "a"));
	play_recall(other, 2, "fs");
	play_expect_want("fs");
	play_end();
}
END_TEST

/* A list that has changed is not used until it was fetched again. */
START_TEST(is_renewed_when_it_changed)
{
	play_renewal_ms = 2000;
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_say(&gh, changed);
	play_say(&gh, changed);
	/* It is not requested. */
	play_expect_line(&gh, ASKED("3"));
	play_say(&gh, ANSWER("3", ONE("b")));
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_recall(relay, 2, "gh");
	play_expect_result(relay, 2, LIST("b", "b"));
	play_end();
}
END_TEST

/* A server of another version has ended before it sent its list. */
START_TEST(does_not_use_a_list_of_another_version)
{
	play_lists_wait_ms = 500;
	learn();
	play_recall(relay, 2, "gh");
	play_expect_result(relay, 2, LIST("a", "a"));
	play_load(relay, 3, "gh");
	play_expect(relay, IPC_RESULT);
	play_launch(play_expect_want("gh"), &gh);
	play_greet_with(&gh, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
	    "\"serverInfo\":{\"name\":\"G\",\"version\":\"2\"}}}");
	play_hear(&gh);
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_recall(relay, 4, "gh");
	play_expect_want("gh");
	play_end();
}
END_TEST

START_TEST(does_not_use_a_list_that_may_have_changed)
{
	play_lists_wait_ms = 500;
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 1, LIST("a", "a"));
	play_say(&gh, changed);
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	play_recall(relay, 2, "gh");
	play_expect_want("gh");
	play_end();
}
END_TEST

/* What is no list is refused, and fetched again when it is asked for again. */
START_TEST(refuses_what_is_no_list)
{
	static const char *const rows[][2] = {
		{ "\"result\":{}",
		  "its answer to \"tools/list\" has no array \"tools\"" },
		{ "\"result\":{\"tools\":{}}",
		  "its answer to \"tools/list\" has no array \"tools\"" },
		{ "\"result\":[]", "its answer to \"tools/list\" cannot be "
		  "used: its result is not an object" },
	};
	auto_free char *answer = mem_printf(ANSWER("2", "%s"), rows[_i][0]);
	auto_free char *words = mem_printf("server \"gh\": %s", rows[_i][1]);

	start();
	play_list(relay, 1, "gh");
	play_list(relay, 2, "gh");
	play_hear(&gh);
	play_sync(relay);
	play_say(&gh, answer);
	play_expect_refused(relay, 1, words);
	play_expect_refused(relay, 2, words);
	play_list(relay, 3, "gh");
	play_expect_line(&gh, ASKED("3"));
	play_end();
}
END_TEST

START_TEST(passes_an_error_on)
{
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", "\"error\":{\"code\":-32601,\"message\":"
	    "\"Method not found\"}"));
	play_expect(relay, IPC_REFUSED);
	ck_assert_str_eq(play_msg.refused.reason,
	    "server \"gh\": Method not found (code -32601)");
	play_expect_blob(&play_msg.refused.error,
	    "{\"code\":-32601,\"message\":\"Method not found\"}");
	play_end();
}
END_TEST

/* What came until then is used. */
START_TEST(a_list_without_an_end_is_cut)
{
	start();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh,
	    ANSWER("2", "\"result\":{\"tools\":[],\"nextCursor\":\"a\"}"));
	play_hear(&gh);
	play_say(&gh,
	    ANSWER("3", "\"result\":{\"tools\":[{\"name\":\"x\"}],"
	    "\"nextCursor\":\"a\"}"));
	play_expect_result(relay, 1,
	    "{\"tools\":[{\"name\":\"x\"}],\"aliases\":[\"x\"]}");
	play_end();
}
END_TEST

/* Says two pages; the third does not come. */
static void
withhold_a_page(void)
{
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh,
	    ANSWER("2", "\"result\":{\"tools\":[],\"nextCursor\":\"a\"}"));
	play_hear(&gh);
	play_say(&gh,
	    ANSWER("3", "\"result\":{\"tools\":[],\"nextCursor\":\"b\"}"));
	play_hear(&gh);
}

/* Who asks later gets a list all the same, and nothing of the one before. */
START_TEST(a_page_that_does_not_come)
{
	play_wait_ms = 3000;
	start();
	play_list(relay, 1, "gh");
	play_list(relay, 2, "gh");
	withhold_a_page();
	play_sync(relay);
	/* A request after the change is another matter. */
	play_say(&gh, changed);
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_list(relay, 3, "gh");
	play_expect_refused(relay, 1,
	    "server \"gh\" did not answer tools/list within 3 seconds");
	play_expect_refused(relay, 2,
	    "server \"gh\" did not answer tools/list within 3 seconds");
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":4,"
	    "\"reason\":\"it takes too long\"}}");
	play_expect_line(&gh, ASKED("5"));
	play_say(&gh, ANSWER("4", ONE("late")));
	play_say(&gh, ANSWER("5", ONE("a")));
	play_expect_result(relay, 3, LIST("a", "a"));
	play_end();
}
END_TEST

/* It is not waited for so long again, until it has answered. */
START_TEST(what_was_silent_is_not_waited_for)
{
	play_wait_ms = 5000;
	play_silent_ms = 200;
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	play_expect_refused(relay, 1,
	    "server \"gh\" did not answer tools/list within 5 seconds");
	play_hear(&gh);
	play_list(relay, 2, "gh");
	play_expect_line(&gh, ASKED("3"));
	play_expect_refused(relay, 2,
	    "server \"gh\" has not answered tools/list for 5 seconds");
	play_list(relay, 3, "gh");
	play_expect_refused(relay, 3,
	    "server \"gh\" has not answered tools/list for 5 seconds");
	/* The fetch has gone on: now that it is there all is well. */
	play_say(&gh, ANSWER("3", ONE("a")));
	play_list(relay, 4, "gh");
	play_expect_result(relay, 4, LIST("a", "a"));
	play_say(&gh, changed);
	play_say(&gh, ANSWER("0", "\"method\":\"ping\""));
	play_hear(&gh);
	play_list(relay, 5, "gh");
	play_expect_line(&gh, ASKED("4"));
	play_say(&gh, ANSWER("4", ONE("b")));
	play_expect_result(relay, 5, LIST("b", "b"));
	play_end();
}
END_TEST

/* Who has asked does not wait any more. */
static void
give_up(uint64_t id)
{
	struct ipc_cancel_call cancel = { .id = id };

	play_send(relay, IPC_CANCEL_CALL, &cancel);
	play_expect_refused(relay, id, "it was cancelled");
}

/* Nor for the rest of the time when the first who asked gives up. */
START_TEST(what_was_given_up_is_not_waited_for)
{
	play_wait_ms = 60000;
	play_silent_ms = 200;
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	broker_clock_pass(300);
	give_up(1);
	play_list(relay, 2, "gh");
	play_expect_refused(relay, 2,
	    "server \"gh\" has not answered tools/list for 0 seconds");
	play_say(&gh, ANSWER("2", ONE("a")));
	play_list(relay, 3, "gh");
	play_expect_result(relay, 3, LIST("a", "a"));
	play_end();
}
END_TEST

/* Who gives up at once says nothing about the server. */
START_TEST(what_was_given_up_soon_is_waited_for)
{
	play_wait_ms = 60000;
	play_silent_ms = 300;
	start();
	play_list(relay, 1, "gh");
	play_expect_line(&gh, ASKED("2"));
	give_up(1);
	play_list(relay, 2, "gh");
	broker_clock_pass(600);
	play_say(&gh, ANSWER("2", ONE("a")));
	play_expect_result(relay, 2, LIST("a", "a"));
	play_end();
}
END_TEST

/* caisson servers --try */

static void
expect_tried(const char *name, unsigned int count, const char *tools,
    size_t len, const char *reason)
{
	auto_free char *copy = NULL;

	play_expect(play_supervisor, IPC_TRIED);
	ck_assert_str_eq(play_msg.tried.name, name);
	ck_assert_uint_eq(play_msg.tried.count, count);
	copy = ipc_blob_copy(&play_msg.tried.tools, NULL);
	ck_assert_uint_eq(play_msg.tried.tools.len, len);
	ck_assert_mem_eq(copy, tools, len);
	ck_assert_str_eq(play_msg.tried.reason, reason);
}

START_TEST(is_tried)
{
	play_start();
	play_try("gh");
	play_serve(&gh);
	play_expect_line(&gh, ASKED("2"));
	play_say(&gh, ANSWER("2", "\"result\":{\"tools\":[{\"name\":\"a\"},"
	    "{\"name\":\"\\u00e4\"},{\"name\":\"\\ud800\"},"
	    "{\"name\":\"\\u0000\"}]}"));
	expect_tried("gh", 4, "a\0\xc3\xa4\0?\0?", 9, "");
	play_end();
}
END_TEST

START_TEST(is_tried_in_vain)
{
	play_start();
	play_try("fs");
	expect_tried("fs", 0, "", 0, "there is no such server");
	play_try("gh");
	play_ended(play_expect_want("gh"), "could not be started: no");
	expect_tried("gh", 0, "", 0, "could not be started: no");
	play_end();
}
END_TEST

START_TEST(is_not_tried_for_ever)
{
	play_wait_ms = 3000;
	play_start();
	play_try("gh");
	play_serve(&gh);
	withhold_a_page();
	expect_tried("gh", 0, "", 0,
	    "did not answer tools/list within 3 seconds");
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, lists_tools);
	tcase_add_test(tc, reports_shapes);
	tcase_add_test(tc, is_fetched_once);
	tcase_add_test(tc, waits_for_the_start);
	tcase_add_test(tc, is_fetched_again_when_it_changed);
	tcase_add_test(tc, changes_again_and_again);
	tcase_add_test(tc, changes_while_it_is_fetched);
	tcase_add_test(tc, what_was_listed_in_doubt_may_be_called);
	tcase_add_test(tc, other_tools_may_be_used);
	tcase_add_test(tc, belongs_to_its_process);
	tcase_add_test(tc, is_remembered);
	tcase_add_test(tc, is_remembered_by_its_fingerprint);
	tcase_add_test(tc, is_renewed_when_it_changed);
	tcase_add_test(tc, does_not_use_a_list_of_another_version);
	tcase_add_test(tc, does_not_use_a_list_that_may_have_changed);
	tcase_add_loop_test(tc, refuses_what_is_no_list, 0, 3);
	tcase_add_test(tc, passes_an_error_on);
	tcase_add_test(tc, a_list_without_an_end_is_cut);
	tcase_add_test(tc, a_page_that_does_not_come);
	tcase_add_test(tc, what_was_silent_is_not_waited_for);
	tcase_add_test(tc, what_was_given_up_is_not_waited_for);
	tcase_add_test(tc, what_was_given_up_soon_is_waited_for);
	tcase_add_test(tc, is_tried);
	tcase_add_test(tc, is_tried_in_vain);
	tcase_add_test(tc, is_not_tried_for_ever);
}

int
main(void)
{
	return unit_run("listing", add_tests);
}
