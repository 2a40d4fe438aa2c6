/*
 * Tests of supervisor/front/mcp: batches, which one version of the protocol
 * has, and how they are answered as a whole.
 */
#include "mcp_play.h"

/* Batches: one version has them */

#define NOTIFICATION "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}"

static const struct exchange batches[] = {
	{ "[" REQUEST("1", "\"ping\"") "]", "[" RESULT("1", "{}") "]\n" },
	{ " [ " REQUEST("1", "\"ping\"") " , " REQUEST("2", "\"ping\"") " ] ",
	    "[" RESULT("1", "{}") "," RESULT("2", "{}") "]\n" },
	{ "[" NOTIFICATION "," REQUEST("1", "\"ping\"") "," NOTIFICATION "]",
	    "[" RESULT("1", "{}") "]\n" },
	{ "[" NOTIFICATION "," NOTIFICATION "]", "" },
	{ "[]", NO_OBJECT "\n" },
	{ "[1,[],\"x\"]", "[" NO_OBJECT "," NO_OBJECT "," NO_OBJECT "]\n" },
	{ "[[" REQUEST("1", "\"ping\"") "]]", "[" NO_OBJECT "]\n" },
	{ "[" REQUEST("1", "\"initialize\",\"params\":{\"protocolVersion\":"
	    "\"2025-11-25\"}") "]", "[" ERROR("1", "-32600",
	    "initialize must not be part of a batch") "]\n" },
	{ "[" REQUEST("1", "\"ping\"") ",", PARSE_ERROR("the text ends where "
	    "a value should be, at byte 43") },
};

START_TEST(answers_a_batch)
{
	open_session();
	initialize("2025-03-26");
	say(batches[_i].line);
	answered(batches[_i].answer);
	say(REQUEST("\"alive\"", "\"ping\""));
	answered(RESULT("\"alive\"", "{}") "\n");
	close_session();
}
END_TEST

/* It is answered as a whole, when the last of its calls has ended. */
START_TEST(answers_a_batch_of_calls)
{
	open_session();
	initialize("2025-03-26");
	say("[" CALL("1", "one") "," REQUEST("2", "\"ping\"") ","
	    CALL("3", "three") "," CALL("4", "four") "]");
	answered("");
	say(REQUEST("5", "\"ping\""));
	answered(RESULT("5", "{}") "\n");
	conclude(2, "4");
	say(CANCEL("3"));
	conclude(1, "3");
	answered("");
	conclude(0, "1");
	answered("[" RESULT("2", "{}") "," PRINTED("4", "4") ","
	    PRINTED("1", "1") "]\n");
	close_session();
}
END_TEST

START_TEST(a_batch_waits_for_the_configuration)
{
	open_session();
	initialize("2025-03-26");
	config_is_slow = 1;
	say("[" CALL("1", "one") "," CALL_WITH("2", "\"gone\"") ","
	    REQUEST("3", "\"ping\"") "," CALL("4", "four") "]");
	say(CANCEL("4"));
	answered("");
	configure();
	ck_assert_uint_eq(ncalls, 1);
	answered("");
	conclude(0, "1");
	answered("[" RESULT("3", "{}") ","
	    INVALID("2", "unknown server: gone") "," PRINTED("1", "1") "]\n");
	close_session();
}
END_TEST

/* Every one of its calls was refused or cancelled when that was known. */
START_TEST(a_batch_may_come_to_nothing)
{
	open_session();
	initialize("2025-03-26");
	config_is_slow = 1;
	say("[" CALL("1", "one") "," CALL_WITH("2", "\"gone\"") "]");
	say(CANCEL("1"));
	if (_i == 1)
		say(CANCEL("2"));
	configure();
	answered(_i == 1 ? "" :
	    "[" INVALID("2", "unknown server: gone") "]\n");
	close_session();
}
END_TEST

/* The answers to all of it are kept until the last. */
START_TEST(bounds_a_batch)
{
	auto_buffer struct buffer line = { 0 };
	int n, count = CLIENT_BATCH_MAX + _i;

	open_session();
	initialize("2025-03-26");
	for (n = 0; n < count; n++)
		buffer_printf(&line, "%s" NOTIFICATION, n > 0 ? "," : "[");
	buffer_add_text(&line, "]");
	say(line.data);
	answered(_i == 0 ? "" : ERROR("null", "-32600", "too many messages in "
	    "one batch: send them in several") "\n");
	close_session();
}
END_TEST

START_TEST(a_batch_may_end_without_an_answer)
{
	open_session();
	initialize("2025-03-26");
	say("[" CALL("1", "one") "," CANCEL("1") "]");
	ck_assert_uint_eq(calls[0].cancels, 1);
	conclude(0, "x");
	answered("");
	close_session();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, a_batch_waits_for_the_configuration);
	tcase_add_loop_test(tc, a_batch_may_come_to_nothing, 0, 2);
	tcase_add_loop_test(tc, answers_a_batch, 0, UNIT_COUNT(batches));
	tcase_add_test(tc, answers_a_batch_of_calls);
	tcase_add_loop_test(tc, bounds_a_batch, 0, 2);
	tcase_add_test(tc, a_batch_may_end_without_an_answer);
}

int
main(void)
{
	return unit_run("mcp_batch", add_tests);
}
