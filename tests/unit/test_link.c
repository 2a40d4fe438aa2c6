/*
 * Tests of worker/broker/link and on_supervisor: one process of a server from
 * its launch to its end, and every way in which it may misbehave. Whatever it
 * does, each call is answered once, and the next one works.
 */
#include <poll.h>

#include "broker_play.h"

#define ANSWER(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"

static struct play_server gh;
static int relay;

/* A broker with a server that has been asked once: request 2, call 1. */
static void
start_call(void)
{
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
}

/* The server goes on: call 2 of the relay is request 3. */
static void
end_working(void)
{
	play_call(relay, 2, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_say(&gh, ANSWER("3", "\"result\":{}"));
	play_expect_result(relay, 2, "{}");
	play_end();
}

static void
expect_error(const char *words, const char *error)
{
	play_expect(relay, IPC_REFUSED);
	ck_assert_uint_eq(play_msg.refused.id, 1);
	ck_assert_str_eq(play_msg.refused.reason, words);
	ck_assert_uint_eq(play_msg.refused.reached, 2);
	play_expect_blob(&play_msg.refused.error, error);
}

/* Answers */

START_TEST(passes_errors_on)
{
	static const char *const rows[][3] = {
		{ "{\"code\":-32602,\"message\":\"no\\u0007 \xc2\x9b such\\n"
		  "tool\",\"data\":1e400}", ": no\\x07 \\u009b such\n"
		  "tool (code -32602)" },
		{ "{}", ": an error without a message" },
		{ "{\"message\":7,\"code\":\"x\"}",
		  ": an error without a message" },
		{ "{\"message\":\"a\\ud800b\",\"code\":1}",
		  ": \"a\\ud800b\" (code 1)" },
	};
	auto_free char *line = mem_printf(
	    ANSWER("2", "\"error\":%s"), rows[_i][0]);
	auto_free char *words = mem_printf("server \"gh\"%s", rows[_i][1]);

	start_call();
	play_say(&gh, line);
	expect_error(words, rows[_i][0]);
	end_working();
}
END_TEST

START_TEST(a_long_message_is_cut)
{
	auto_buffer struct buffer line = { 0 };

	start_call();
	buffer_add_text(&line, ANSWER("2", "\"error\":{\"message\":\""));
	line.len--; /* the brace of the macro */
	memset(buffer_reserve(&line, 100 * KIB), 'x', 100 * KIB);
	line.len += 100 * KIB;
	buffer_add_text(&line, "\"}}");
	play_say(&gh, line.data);
	play_expect(relay, IPC_REFUSED);
	ck_assert_uint_eq(strlen(play_msg.refused.reason),
	    strlen("server \"gh\": ") + REFUSED_FOREIGN_MAX +
	        strlen(" [...]"));
	ck_assert_uint_gt(play_msg.refused.error.len, 100 * KIB);
	ipc_message_close(IPC_REFUSED, &play_msg);
	end_working();
}
END_TEST

/* Lines that cannot be an answer, but show whose answer they would be. */
START_TEST(a_broken_answer_fails_its_call)
{
	static const char *const rows[][2] = {
		{ ANSWER("2", "\"result\":[]"), "its result is not an object" },
		{ ANSWER("2", "\"result\":null"),
		  "its result is not an object" },
		{ ANSWER("2", "\"error\":\"x\""),
		  "its error is not an object" },
		{ ANSWER("2", "\"result\":{},\"error\":{}"),
		  "it has more than one result or error" },
		{ ANSWER("2", "\"result\":{},\"result\":{}"),
		  "it has more than one result or error" },
		{ ANSWER("2", "\"x\":1"),
		  "it has neither a result nor an error" },
		{ "{\"id\":2}", "it has neither a result nor an error" },
		{ ANSWER("\"\\u0032\"", "\"error\":{}"),
		  "its id is \"\\u0032\" and should be 2" },
		{ ANSWER("2.0", "\"result\":{}"),
		  "its id is 2.0 and should be 2" },
		{ ANSWER("0.2e1", "\"result\":{}"),
		  "its id is 0.2e1 and should be 2" },
		{ ANSWER("2", "\"id\":2,\"result\":{}"),
		  "the member \"id\" is there 2 times" },
		{ ANSWER("2", "\"i\\u0064\":\"2\",\"result\":{}"),
		  "the member \"id\" is there 2 times" },
		{ "{\"id\":\"2\"}", "it has neither a result nor an error" },
		{ ANSWER("\"2\"", "\"result\":{\"a\":NaN}"), "" },
		{ ANSWER("2", "\"result\":{\"a\":NaN}"), "" },
		{ ANSWER("2", "\"result\":{\"a\":\"\xff\"}"), "" },
		{ "{\"result\":{\"a\":\"\xff\"},\"jsonrpc\":\"2.0\",\"id\":2}",
		  "" },
	};
	auto_free char *words = mem_printf("server \"gh\": its answer cannot "
	    "be used: %s", rows[_i][1]);

	start_call();
	play_say(&gh, rows[_i][0]);
	play_expect_refused(relay, 1, words);
	end_working();
}
END_TEST

START_TEST(garbage_is_skipped)
{
	static const char *const rows[] = { "", "starting up", "{", "[]",
		"[[" ANSWER("2", "\"result\":{}") "]]", "12", "null",
		"sent " ANSWER("2", "\"result\":{}"),
		ANSWER("\" 2\"", "\"result\":{}"),
		ANSWER("\"\\ud800\"", "\"result\":{}"),
		ANSWER("2.5", "\"result\":{}"),
		ANSWER("2e400", "\"result\":{}"),
		ANSWER("[2]", "\"result\":{}"), ANSWER("02", "\"result\":{}"),
		ANSWER("-2", "\"result\":{}"), ANSWER("99", "\"result\":{}"),
		ANSWER("99999999999999999999999", "\"result\":{}"),
		ANSWER("1", "\"result\":{}"), ANSWER("null", "\"result\":{}"),
		ANSWER("2", "\"id\":3,\"result\":{}"),
		"{\"id\":2,\"method\":\"x\"}",
		"{\"method\":\"\xff\",\"jsonrpc\":\"2.0\",\"id\":2}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}",
		"\x1b]0;title\x07\xff\xfe" };

	start_call();
	play_say(&gh, rows[_i]);
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	end_working();
}
END_TEST

/* Says a result with so many bytes of text. */
static void
say_long(size_t len)
{
	auto_buffer struct buffer line = { 0 };

	buffer_add_text(&line, ANSWER("2", "\"result\":{\"text\":\""));
	line.len--; /* the brace of the macro */
	memset(buffer_reserve(&line, len), 'x', len);
	line.len += len;
	buffer_add_text(&line, "\"}}");
	play_say(&gh, line.data);
}

/* A result may have 16 MiB: eleven of them are not the text's. */
START_TEST(a_result_has_a_limit)
{
	static const struct {
		size_t len;
		const char *words;
	} rows[] = {
		{ RESULT_MAX - 11, NULL },
		{ RESULT_MAX - 10, "server \"gh\": its result has 16777217 "
		    "bytes, above the limit of 16 MiB" },
		{ 20 * MIB, "server \"gh\": its answer cannot be used: it has "
		    "20971565 bytes, above the limit of 16 MiB" },
	};

	start_call();
	say_long(rows[_i].len);
	if (rows[_i].words != NULL) {
		play_expect_refused(relay, 1, rows[_i].words);
	} else {
		play_expect(relay, IPC_RESULT);
		ck_assert_uint_eq(play_msg.result.payload.len, RESULT_MAX);
		ipc_message_close(IPC_RESULT, &play_msg);
	}
	end_working();
}
END_TEST

/* What a server asks of us */

START_TEST(answers_a_server)
{
	start_call();
	play_say(&gh, ANSWER("\"a\\u0062\"", "\"method\":\"ping\""));
	play_expect_line(&gh, ANSWER("\"a\\u0062\"", "\"result\":{}"));
	play_say(&gh, ANSWER("2", "\"method\":\"sampling/createMessage\""));
	play_expect_line(&gh, ANSWER("2", "\"error\":{\"code\":-32601,"
	    "\"message\":\"this client does not support this method\"}"));
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	end_working();
}
END_TEST

/* One that asks, and asks, and does not read: our memory is not its. */
START_TEST(a_flood_of_requests_ends)
{
	auto_buffer struct buffer line = { 0 };
	size_t len = 8 * MIB;

	start_call();
	buffer_add_text(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\","
	    "\"id\":\"");
	memset(buffer_reserve(&line, len), 'x', len);
	line.len += len;
	buffer_add_text(&line, "\"}\n");
	while (write(gh.out, line.data, line.len) > 0)
		;
	ck_assert_int_eq(errno, EPIPE);
	play_expect_refused(relay, 1, "server \"gh\" ended before it answered: "
	    "it sent more and more requests without reading the answers; "
	    "the call was sent and may have run");
	play_expect_let_go(gh.link);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

START_TEST(a_flood_of_notifications_is_harmless)
{
	auto_buffer struct buffer lines = { 0 };
	int n;

	start_call();
	for (n = 0; n < 100000; n++)
		buffer_add_text(&lines, "{\"jsonrpc\":\"2.0\",\"method\":"
		    "\"notifications/tools/list_changed\"}\n");
	play_put(gh.out, lines.data);
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	end_working();
}
END_TEST

/* One that does not read its calls: those above a bound are refused. */
START_TEST(bounds_what_is_not_read)
{
	auto_buffer struct buffer arguments = { 0 };
	uint64_t id;

	start_call();
	buffer_add_text(&arguments, "{\"text\":\"");
	memset(buffer_reserve(&arguments, 15 * MIB), 'x', 15 * MIB);
	arguments.len += 15 * MIB;
	buffer_add_text(&arguments, "\"}");
	for (id = 2; id <= 7; id++)
		play_call_with(
		    relay, id, "gh", arguments.data, arguments.len);
	play_expect_refused(relay, 7, "server \"gh\" is busy, and too much "
	    "waits for it already: 629");
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	play_end();
}
END_TEST

/* The greeting */

START_TEST(versions_that_are_spoken)
{
	static const char *const versions[] = { "2024-11-05", "2025-03-26",
		"2025-06-18", "2025-11-25" };
	auto_free char *answer = mem_printf(
	    ANSWER("1", "\"result\":{\"protocolVersion\":\"%s\"}"),
	    versions[_i]);

	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	play_greet_with(&gh, answer);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/initialized\"}");
	play_end();
}
END_TEST

START_TEST(a_bad_greeting_ends_it)
{
	static const char *const rows[][2] = {
		{ "\"error\":{\"code\":-32600,\"message\":\"not you\"}",
		  "it refused \"initialize\": not you (code -32600)" },
		{ "\"result\":{\"protocolVersion\":\"1999-01-01\"}",
		  "it speaks version \"1999-01-01\" of the protocol, which is "
		  "not one of 2024-11-05 to 2025-11-25" },
		{ "\"result\":{}",
		  "it did not report its version of the protocol" },
		{ "\"result\":{\"protocolVersion\":1}",
		  "it did not report its version of the protocol" },
		{ "\"result\":[]", "it answered \"initialize\" with an "
		  "invalid message: its result is not an object" },
		{ "\"id\":1,\"result\":{}", "it answered \"initialize\" with "
		  "an invalid message: the member \"id\" is there 2 times" },
		{ "\"result\":{\"a\":NaN}", "it answered \"initialize\" with "
		  "an invalid message: 'N' where a value should be, at byte "
		  "39" },
	};
	auto_free char *answer = mem_printf(ANSWER("1", "%s"), rows[_i][0]);
	auto_free char *words = mem_printf(
	    "server \"gh\" did not start: %s; its standard error says: hm",
	    rows[_i][1]);

	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	play_call(relay, 1, "gh");
	play_sync(relay);
	play_put(gh.errors, "hm\n");
	play_greet_with(&gh, answer);
	play_expect_refused(relay, 1, words);
	play_expect_let_go(gh.link);
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

/* Ends */

/* Its last answers count, whichever of its ends is seen first. */
START_TEST(hears_the_last_words)
{
	start_call();
	play_call(relay, 2, "gh");
	play_hear(&gh);
	play_say(&gh, ANSWER("2", "\"result\":{\"n\":1}"));
	play_put(gh.out, ANSWER("3", "\"result\":"));
	play_put(gh.errors, "so long\xff\n");
	if (_i == 0)
		play_ended(gh.link, "exited with code 0");
	play_close(&gh);
	if (_i == 1)
		play_ended(gh.link, "exited with code 0");
	play_expect_result(relay, 1, "{\"n\":1}");
	play_expect_refused(relay, 2, "server \"gh\" ended before it answered: "
	    "it exited with code 0; the call was sent and may have run; its "
	    "standard error says: so long\xef\xbf\xbd");
	play_end();
}
END_TEST

/* One that only closes its output is let go, and not waited for too long. */
START_TEST(closing_the_output_is_an_end)
{
	if (_i == 0)
		play_end_wait_ms = 2000;
	start_call();
	fd_close(&gh.out);
	play_expect_let_go(gh.link);
	ck_assert_int_eq(read(gh.in, gh.line, 1), 0);
	play_put(gh.errors, "closing down\n");
	if (_i == 0) {
		play_expect_refused(relay, 1, "server \"gh\" ended before it "
		    "answered: it closed its standard output; the call was "
		    "sent and may have run; its standard error says: closing "
		    "down");
		play_ended(gh.link, "exited with code 3");
	} else {
		play_ended(gh.link, "exited with code 3");
		play_expect_refused(relay, 1, "server \"gh\" ended before it "
		    "answered: it exited with code 3; the call was sent and "
		    "may have run; its standard error says: closing down");
	}
	play_end();
}
END_TEST

/* Calls that come between its end and the word of it: another process. */
START_TEST(the_next_call_does_not_wait_for_the_end)
{
	struct play_server old;

	start_call();
	old = gh;
	fd_close(&old.out);
	play_expect_let_go(old.link);
	play_call(relay, 2, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	if (_i == 0) {
		play_die(&old, "exited with code 3");
		play_expect(relay, IPC_REFUSED);
	}
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 2, "{}");
	if (_i == 1) {
		play_die(&old, "exited with code 3");
		play_expect(relay, IPC_REFUSED);
	}
	play_end();
}
END_TEST

START_TEST(closing_the_input_is_an_end)
{
	play_end_wait_ms = 500;
	start_call();
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	fd_close(&gh.in);
	play_call(relay, 2, "gh");
	play_expect_let_go(gh.link);
	play_expect_refused(relay, 2, "server \"gh\" ended before it answered: "
	    "it closed its standard input; the call was not sent");
	play_die(&gh, "exited with code 0");
	play_end();
}
END_TEST

/* Of long standard error the end is kept, and reported as one line. */
START_TEST(keeps_the_end_of_the_errors)
{
	int n;

	start_call();
	play_put(gh.errors, "Error: too long ago\n");
	for (n = 0; n < 5000; n++) {
		auto_free char *line = mem_printf("line %d\n", n);

		play_put(gh.errors, line);
	}
	play_die(&gh, "exited with code 1");
	play_expect_refused(relay, 1, "server \"gh\" ended before it answered: "
	    "it exited with code 1; the call was sent and may have run; its "
	    "standard error says: line 4999");
	play_end();
}
END_TEST

/* A grant that ends between the end of a server and the word of it. */
START_TEST(a_grant_ends_in_between)
{
	start_call();
	fd_close(&gh.out);
	play_expect_let_go(gh.link);
	close(relay);
	play_sync_supervisor();
	play_die(&gh, "exited with code 3");
	relay = play_grant();
	play_expect_want("gh");
	play_end();
}
END_TEST

/* Silence */

static const char silence[] = "{\"jsonrpc\":\"2.0\",\"method\":"
    "\"notifications/cancelled\",\"params\":{\"requestId\":2,"
    "\"reason\":\"it takes too long\"}}";
static const char progress[] = "{\"jsonrpc\":\"2.0\",\"method\":"
    "\"notifications/progress\",\"params\":{\"progressToken\":2,"
    "\"progress\":1}}";

/* The server may stop, and its late answer is dropped. */
START_TEST(a_silent_call_ends)
{
	play_tool_seconds = 3;
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_expect_refused(relay, 1, "server \"gh\" did not answer the call "
	    "of its tool \"talk\" within 3 seconds (CAISSON_TOOL_TIMEOUT); "
	    "the call was sent and may have run");
	play_expect_line(&gh, silence);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
	play_expect_result(relay, 1, "{}");
	play_end();
}
END_TEST

/* Whether the relay has an answer half a second later. */
static int
is_answered(void)
{
	struct pollfd poll_relay = { .fd = relay, .events = POLLIN };

	broker_clock_pass(500);
	return poll(&poll_relay, 1, 0) == 1;
}

/* It may take longer then, but not for ever; and then be silent again. */
START_TEST(progress_keeps_a_call)
{
	int n;

	play_tool_seconds = 4;
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	/* Longer than the silence that is allowed. */
	for (n = 0; n < 10; n++) {
		play_say(&gh, progress);
		ck_assert(!is_answered());
	}
	switch (_i) {
	case 0:
		play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
		play_expect_result(relay, 1, "{}");
		break;
	case 1:
		play_expect_refused(relay, 1, "server \"gh\" did not answer "
		    "the call of its tool \"talk\", and reported no progress "
		    "for 4 seconds (CAISSON_TOOL_TIMEOUT)");
		play_expect_line(&gh, silence);
		break;
	default:
		while (!is_answered())
			play_say(&gh, progress);
		play_expect_refused(relay, 1, "server \"gh\" did not answer "
		    "the call of its tool \"talk\" within 16 seconds, the "
		    "maximum even with progress reports "
		    "(CAISSON_TOOL_TIMEOUT)");
		play_expect_line(&gh, silence);
		break;
	}
	play_end();
}
END_TEST

/*
 * The server does not read: of a call it has a part in its pipe, of the next
 * one nothing. That is never sent, however it ends; the other is, as a whole.
 */
START_TEST(what_was_not_sent_is_dropped)
{
	static const char why[] = "server \"gh\" did not read the call of its "
	    "tool \"talk\" within 3 seconds (CAISSON_TOOL_TIMEOUT); the "
	    "call was not sent";
	struct ipc_cancel_call cancel = { .id = 2 };
	auto_free char *line = NULL;
	int other;

	play_tool_seconds = _i == 0 ? 3 : 100;
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_tool_seconds = 100;
	other = play_grant();
	play_call_large(other, 1, "gh", MIB);
	play_sync(other);
	play_call(relay, 2, "gh");
	play_sync(relay);
	if (_i == 0) {
		play_expect_refused(relay, 2, why);
	} else if (_i == 1) {
		play_send(relay, IPC_CANCEL_CALL, &cancel);
		play_expect_refused(relay, 2, "it was cancelled before it was "
		    "answered; the call was not sent");
	} else {
		close(relay);
		relay = play_grant();
		play_sync(relay);
	}
	play_call(relay, 3, "gh");
	line = play_hear_long(&gh, MIB);
	ck_assert_uint_gt(strlen(line), MIB);
	/* Not a word of it, and not that it is over. */
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_say(&gh, ANSWER("3", "\"result\":{}"));
	play_expect_result(relay, 3, "{}");
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(other, 1, "{}");
	play_end();
}
END_TEST

/* One of which the server has a part is completed, and called off then. */
START_TEST(what_is_half_sent_is_completed)
{
	struct ipc_cancel_call cancel = { .id = 1 };
	auto_free char *line = NULL;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call_large(relay, 1, "gh", MIB);
	play_call(relay, 2, "gh");
	play_send(relay, IPC_CANCEL_CALL, &cancel);
	play_expect_refused(relay, 1, "it was cancelled before it was "
	    "answered; the call was sent and may have run");
	line = play_hear_long(&gh, MIB);
	ck_assert_uint_gt(strlen(line), MIB);
	ck_assert_str_eq(line + strlen(line) - strlen("x\"},"
	    "\"_meta\":{\"progressToken\":2}}}"),
	    "x\"},\"_meta\":{\"progressToken\":2}}}");
	ck_assert_ptr_nonnull(
	    strstr(play_hear(&gh), "\"params\":{\"requestId\":2,"));
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_say(&gh, ANSWER("3", "\"result\":{}"));
	play_expect_result(relay, 2, "{}");
	play_end();
}
END_TEST

/* When it ends, each answer says whether the call may have run. */
START_TEST(the_end_reports_what_was_not_sent)
{
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call_large(relay, 1, "gh", MIB);
	play_call(relay, 2, "gh");
	play_sync(relay);
	play_die(&gh, "exited with code 3");
	play_expect_refused(relay, 1, "server \"gh\" ended before it answered: "
	    "it exited with code 3; the call was sent and may have run");
	play_expect_refused(relay, 2, "server \"gh\" ended before it answered: "
	    "it exited with code 3; the call was not sent");
	play_end();
}
END_TEST

/* Three calls that are not answered, and then the ping. */
static void
be_silent(void)
{
	uint64_t id;

	play_tool_seconds = 1;
	play_start();
	relay = play_grant();
	play_serve(&gh);
	for (id = 1; id <= SERVER_SILENCES_MAX; id++) {
		play_call(relay, id, "gh");
		ck_assert_ptr_nonnull(strstr(play_hear(&gh), "tools/call"));
		play_expect_refused(relay, id, "server \"gh\" did not answer");
		ck_assert_ptr_nonnull(strstr(play_hear(&gh), "cancelled"));
	}
	play_expect_line(
	    &gh, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}");
}

/* Calls in flight fail with the cause; the next call gets another process. */
START_TEST(a_hung_server_is_replaced)
{
	struct play_server old;
	int other, log[2];
	ssize_t n;

	ck_assert_int_eq(pipe2(log, O_CLOEXEC | O_NONBLOCK), 0);
	play_log = log[1];
	play_ping_ms = 3000;
	be_silent();
	play_tool_seconds = 100;
	other = play_grant();
	play_call(other, 1, "gh");
	play_expect_refused(other, 1, "server \"gh\" ended before it answered: "
	    "it was stopped because it answered none of the last 3 requests "
	    "in time, nor a ping; the call was sent and may have run");
	play_expect_let_go(gh.link);
	old = gh;
	play_call(other, 2, "gh");
	play_serve(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_die(&old, "was killed");
	play_say(&gh, ANSWER("2", "\"result\":{}"));
	play_expect_result(other, 2, "{}");
	play_end();
	n = read(log[0], gh.line, sizeof(gh.line) - 1);
	ck_assert_int_gt(n, 0);
	gh.line[n] = '\0';
	ck_assert_ptr_nonnull(strstr(gh.line, "server gh was stopped because "
	    "it answered none of the last 3 requests in time, nor a ping; it "
	    "is restarted on the next call\n"));
}
END_TEST

/* What the log has, once the broker has ended. */
static const char *
logged(int log)
{
	static char text[4096];
	ssize_t n = read(log, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The error of the calls in flight is logged once, as a warning. */
START_TEST(a_failure_is_logged)
{
	static const char end[] = "server \"gh\" ended before it answered: it "
	    "exited with code 3; the call was sent and may have run; its "
	    "standard error says: Error: no disk";
	const char *text, *first;
	int log[2];

	ck_assert_int_eq(pipe2(log, O_CLOEXEC | O_NONBLOCK), 0);
	play_log = log[1];
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_call(relay, 2, "gh");
	play_expect_line(&gh, PLAY_CALLED("3"));
	play_put(gh.errors, "at start\nError: no disk\n");
	play_die(&gh, "exited with code 3");
	play_expect_refused(relay, 1, end);
	play_expect_refused(relay, 2, end);
	play_end();
	text = logged(log[0]);
	first = strstr(text, end);
	ck_assert_msg(first != NULL, "%s", text);
	ck_assert_ptr_null(strstr(first + 1, end));
}
END_TEST

/* A banner, or a command that is no server, says why it did not start. */
START_TEST(what_is_no_protocol_is_shown)
{
	auto_free char *long_line = mem_alloc(301);
	auto_free char *cut = NULL;

	memset(long_line, 'x', 300);
	cut = mem_printf("server \"gh\" did not start: it exited with code 0; "
	    "it wrote \"%.200s\" instead of MCP", long_line);
	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	play_call(relay, 1, "gh");
	play_sync(relay);
	play_say(&gh, " \t");
	play_say(&gh, _i == 0 ? "uid=0(root)\t\033[2J " : long_line);
	play_say(&gh, "more");
	play_die(&gh, "exited with code 0");
	play_expect_refused(relay, 1, _i == 0 ? "server \"gh\" did not start: "
	    "it exited with code 0; it wrote \"uid=0(root)\\x09\\x1b[2J\""
	    " instead of MCP" : cut);
	play_end();
}
END_TEST

/* One that answers the ping, or anything else, goes on. */
START_TEST(a_server_that_answers_a_ping_is_not_replaced)
{
	play_ping_ms = 500;
	be_silent();
	play_say(&gh, ANSWER("5", "\"result\":{}"));
	/* This takes longer than the ping may. */
	play_call(relay, 1, "gh");
	ck_assert_ptr_nonnull(strstr(play_hear(&gh), "tools/call"));
	play_expect_refused(relay, 1, "server \"gh\" did not answer");
	ck_assert_ptr_nonnull(strstr(play_hear(&gh), "cancelled"));
	play_call(relay, 1, "gh");
	play_expect_line(&gh, PLAY_CALLED("7"));
	play_say(&gh, ANSWER("7", "\"result\":{}"));
	play_expect_result(relay, 1, "{}");
	play_end();
}
END_TEST

/* One that hangs without having been of use is not started at once. */
START_TEST(a_server_that_only_hangs_has_failed)
{
	play_failed_ms = 20000;
	play_ping_ms = 1000;
	play_wait_ms = 2000;
	be_silent();
	play_expect_let_go(gh.link);
	play_die(&gh, "was killed");
	play_call(relay, 1, "gh");
	play_ended(play_expect_want("gh"), "failed");
	play_expect_refused(relay, 1, "server \"gh\" failed");
	play_call(relay, 1, "gh");
	play_expect_refused(
	    relay, 1, "server \"gh\" failed 2 times in a row and can be");
	play_end();
}
END_TEST

/* A call that waits for the start of its server is not silent yet. */
START_TEST(the_start_is_no_silence)
{
	uint64_t link;
	int n;

	play_tool_seconds = 3;
	play_start();
	relay = play_grant();
	link = play_expect_want("gh");
	play_call(relay, 1, "gh");
	/* More than the silence that is allowed, less than the patience. */
	for (n = 0; n < 7; n++)
		ck_assert(!is_answered());
	play_launch(link, &gh);
	play_greet(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_expect_result(relay, 1, "{}");
	play_end();
}
END_TEST

/* Violations by a more trusted peer */

START_TEST(violations_by_the_supervisor_end_it)
{
	struct ipc_grant_servers grant = { .execution = 1, .owner = "",
		.tool_seconds = 1 };
	int pair[2];

	play_start();
	relay = play_grant();
	play_launch(play_expect_want("gh"), &gh);
	switch (_i) {
	case 0:
		play_ended(77, "exited with code 0");
		break;
	case 1:
		play_launch(77, &gh);
		break;
	case 2:
		play_launch(gh.link, &gh);
		break;
	case 3:
		play_ended(gh.link, "exited with code 0");
		play_ended(gh.link, "exited with code 0");
		break;
	case 4: /* a name without an end */
	case 5: /* loaded, but not allowed */
		ck_assert_int_eq(
		    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
		grant.relay = pair[0];
		grant.allowed = (struct ipc_blob){ (const uint8_t *)"gh",
			_i == 4 ? 2 : 3, -1 };
		grant.loaded =
		    (struct ipc_blob){ (const uint8_t *)"fs", 3, -1 };
		play_send(play_supervisor, IPC_GRANT_SERVERS, &grant);
		break;
	default:
		ck_assert_int_eq(send(play_supervisor, "abc", 3, 0), 3);
	}
	play_expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, passes_errors_on, 0, 4);
	tcase_add_test(tc, a_long_message_is_cut);
	tcase_add_loop_test(tc, a_broken_answer_fails_its_call, 0, 17);
	tcase_add_loop_test(tc, garbage_is_skipped, 0, 24);
	tcase_add_loop_test(tc, a_result_has_a_limit, 0, 3);
	tcase_add_test(tc, answers_a_server);
	tcase_add_test(tc, a_flood_of_requests_ends);
	tcase_add_test(tc, a_flood_of_notifications_is_harmless);
	tcase_add_test(tc, bounds_what_is_not_read);
	tcase_add_loop_test(tc, versions_that_are_spoken, 0, 4);
	tcase_add_loop_test(tc, a_bad_greeting_ends_it, 0, 7);
	tcase_add_loop_test(tc, hears_the_last_words, 0, 2);
	tcase_add_loop_test(tc, closing_the_output_is_an_end, 0, 2);
	tcase_add_loop_test(tc, the_next_call_does_not_wait_for_the_end, 0, 2);
	tcase_add_test(tc, closing_the_input_is_an_end);
	tcase_add_test(tc, keeps_the_end_of_the_errors);
	tcase_add_test(tc, a_grant_ends_in_between);
	tcase_add_test(tc, a_silent_call_ends);
	tcase_add_loop_test(tc, progress_keeps_a_call, 0, 3);
	tcase_add_loop_test(tc, what_was_not_sent_is_dropped, 0, 3);
	tcase_add_test(tc, what_is_half_sent_is_completed);
	tcase_add_test(tc, the_end_reports_what_was_not_sent);
	tcase_add_test(tc, a_hung_server_is_replaced);
	tcase_add_test(tc, a_failure_is_logged);
	tcase_add_loop_test(tc, what_is_no_protocol_is_shown, 0, 2);
	tcase_add_test(tc, a_server_that_answers_a_ping_is_not_replaced);
	tcase_add_test(tc, a_server_that_only_hangs_has_failed);
	tcase_add_test(tc, the_start_is_no_silence);
	tcase_add_loop_test(tc, violations_by_the_supervisor_end_it, 0, 7);
}

int
main(void)
{
	return unit_run("link", add_tests);
}
