/*
 * Tests of supervisor/front/mcp: calls whose servers are only known when the
 * configuration has been read, and clients that do not wait for that.
 */
#include "mcp_play.h"

/* Servers, and the time it takes to know which ones there are */

START_TEST(checks_the_servers_of_a_call)
{
	start();
	say(CALL_WITH("1", "\"gh\",\"fs\""));
	ck_assert_uint_eq(ncalls, 1);
	ck_assert_uint_eq(calls[0].run.servers_len, 6);
	ck_assert_mem_eq(calls[0].run.servers, "gh\0fs", 6);
	say(CALL_WITH("2", "\"gone\""));
	answered(INVALID("2", "unknown server: gone") "\n");
	ck_assert_uint_eq(ncalls, 1);
	conclude(0, "x");
	answered(PRINTED("1", "x") "\n");
	ck_assert_int_eq(idles, 0);
	close_session();
}
END_TEST

START_TEST(a_call_waits_for_the_configuration)
{
	start();
	config_is_slow = 1;
	say(CALL("1", "one"));
	say(CALL_WITH("2", "\"gone\""));
	say(CALL("3", "three"));
	say(CALL("1", "again"));
	answered(ERROR("1", "-32600",
	    "this id belongs to a request that is still running") "\n");
	say(REQUEST("4", "\"ping\""));
	answered(RESULT("4", "{}") "\n");
	ck_assert_uint_eq(ncalls, 0);
	configure();
	ck_assert_uint_eq(ncalls, 2);
	answered(INVALID("2", "unknown server: gone") "\n");
	ck_assert_str_eq(calls[0].run.code, "one");
	conclude(0, "first");
	conclude(1, "third");
	answered(PRINTED("1", "first") "\n" PRINTED("3", "third") "\n");
	close_session();
}
END_TEST

/* Those that were read at once are handled within one sharing, in order. */
START_TEST(lines_come_together)
{
	static const char *const texts[] = { CALL("1", "one"),
		REQUEST("2", "\"ping\""), CALL("3", "three") };
	struct line lines[UNIT_COUNT(texts)] = { 0 };
	size_t i;

	start();
	for (i = 0; i < UNIT_COUNT(texts); i++) {
		lines[i].data = (char *)texts[i];
		lines[i].len = lines[i].total = strlen(texts[i]);
	}
	say_lines(lines, UNIT_COUNT(lines));
	answered(RESULT("2", "{}") "\n");
	ck_assert_uint_eq(ncalls, 2);
	ck_assert_str_eq(calls[0].run.code, "one");
	ck_assert_str_eq(calls[1].run.code, "three");
	conclude(0, "a");
	conclude(1, "b");
	answered(PRINTED("1", "a") "\n" PRINTED("3", "b") "\n");
	say_lines(NULL, 0);
	answered("");
	close_session();
}
END_TEST

/* When it is known, there may be no room any more. */
START_TEST(a_call_may_wait_in_vain)
{
	start();
	config_is_slow = 1;
	say(CALL("1", "one"));
	calls_refused = 1;
	configure();
	answered(REFUSED("1", "busy: everything is taken") "\n");
	ck_assert_int_eq(idles, 0);
	close_session();
}
END_TEST

START_TEST(a_call_may_be_cancelled_before_it_is_one)
{
	start();
	config_is_slow = 1;
	say(CALL("1", "one"));
	say(CALL("2", "two"));
	say(CANCEL("1"));
	say(CANCEL("1"));
	/* Its id is free again. */
	say(CALL("1", "again"));
	configure();
	answered("");
	ck_assert_uint_eq(ncalls, 2);
	ck_assert_str_eq(calls[0].run.code, "two");
	ck_assert_str_eq(calls[1].run.code, "again");
	ck_assert_uint_eq(calls[0].cancels + calls[1].cancels, 0);
	conclude(1, "again");
	conclude(0, "second");
	answered(PRINTED("1", "again") "\n" PRINTED("2", "second") "\n");
	close_session();
}
END_TEST

/* The program waits for the reader, and starts nothing without need. */
START_TEST(a_client_may_leave_before_there_is_a_call)
{
	open_session();
	initialize("2025-03-26");
	config_is_slow = 1;
	say(CALL("1", "one"));
	say("[" CALL("2", "two") "," REQUEST("3", "\"ping\"") "]");
	mcp_on_end(mcp, MCP_DISCONNECTED);
	runs.draining = _i;
	configure();
	ck_assert_uint_eq(ncalls, 0);
	/* The caller that waits for the end learns that no call is left. */
	ck_assert_int_eq(idles, _i == 0 ? 0 : 2);
	answered("[" RESULT("3", "{}") "]\n");
	close_session();
}
END_TEST

START_TEST(an_end_refuses_what_is_no_call_yet)
{
	start();
	config_is_slow = 1;
	say(CALL("1", "one"));
	say(CALL("2", "two"));
	say(CANCEL("2"));
	runs.draining = 1;
	configure();
	answered(REFUSED("1", "Caisson is shutting down") "\n");
	ck_assert_uint_eq(ncalls, 0);
	ck_assert_int_eq(idles, 2);
	close_session();
}
END_TEST

START_TEST(a_session_may_be_forgotten_before_there_is_a_call)
{
	open_session();
	initialize("2025-03-26");
	config_is_slow = 1;
	say(CALL("1", "one"));
	say("[" CALL("2", "two") "," CALL_WITH("3", "\"gh\"") "]");
	say(CANCEL("2"));
	close_session();
	configure();
	ck_assert_uint_eq(ncalls, 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, checks_the_servers_of_a_call);
	tcase_add_test(tc, a_call_waits_for_the_configuration);
	tcase_add_test(tc, lines_come_together);
	tcase_add_test(tc, a_call_may_wait_in_vain);
	tcase_add_test(tc, a_call_may_be_cancelled_before_it_is_one);
	tcase_add_loop_test(
	    tc, a_client_may_leave_before_there_is_a_call, 0, 2);
	tcase_add_test(tc, an_end_refuses_what_is_no_call_yet);
	tcase_add_test(tc, a_session_may_be_forgotten_before_there_is_a_call);
}

int
main(void)
{
	return unit_run("mcp_waiting", add_tests);
}
