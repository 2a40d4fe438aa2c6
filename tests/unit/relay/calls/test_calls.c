/*
 * Tests of relay/calls/calls, on_broker and on_store, and of how relay/relay
 * meets and loses broker and store: what the code asks for reaches them and
 * their answers reach the box, byte for byte; every bound holds; and one of
 * them that ends, or a box that does not read, costs what it must and no more.
 * The test is the box, the broker and the store.
 */
#include <stdbool.h>

#include "calls_play.h"

/* No frame of honest code. */
UNIT_TESTS(bad_pictures_are_faults, 6)
{
	static const struct {
		const char *payload, *err;
	} cases[] = {
		{ "{\"type\":\"show\"}",
		    "a request without a valid \"kind\"" },
		{ "{\"type\":\"show\",\"kind\":\"svg\",\"data\":\"\"}",
		    "a picture of an unknown kind" },
		{ "{\"type\":\"show\",\"kind\":1,\"data\":\"\"}",
		    "a request without a valid \"kind\"" },
		{ "{\"type\":\"show\",\"kind\":\"png\",\"data\":1}",
		    "a request without a valid \"data\"" },
		{ "{\"type\":\"show\",\"kind\":\"png\"}",
		    "a request without a valid \"data\"" },
		{ "{\"type\":\"show\",\"kind\":\"png\",\"data\":\"\","
		  "\"title\":1}",
		    "a request without a valid \"title\"" },
	};
	struct err err;

	open_calls();
	ck_assert_int_eq(ask_with(1, cases[_i].payload, &err), -1);
	ck_assert_str_eq(err.text, cases[_i].err);
	close_calls();
}

#define TELL(rest) "{\"type\":\"progress\"" rest "}"
#define RESPOND(status, head, form, body)                                      \
	"{\"type\":\"response\",\"status\":" status ",\"head\":\"" head       \
	"\",\"form\":\"" form "\",\"body\":\"" body "\"}"
#define BAD_RESPONSE "a response with an invalid head or body"

static const struct {
	const char *payload, *err;
} bad_local[] = {
	{ RESPOND("199", "", "text", ""), BAD_RESPONSE },
	{ RESPOND("600", "", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", "a: b", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", "A: b\\n", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", ": b\\n", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", "b: 1\\na: 2\\n", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", "a: \\u0000\\n", "text", ""), BAD_RESPONSE },
	{ RESPOND("200", "a: 1\\na: 2\\nab: 3\\n", "base64", "x"),
	    "a response with an invalid body" },
	{ RESPOND("200", "", "file", "../a"),
	    "a response with an invalid body" },
	{ RESPOND("200", "", "html", ""), "a response with an invalid body" },
	{ TELL(""), "a request without a valid \"done\"" },
	{ TELL(",\"done\":\"5\""), "a request without a valid \"done\"" },
	{ TELL(",\"done\":-1"), "a request with an invalid done" },
	{ TELL(",\"done\":1.5"), "a request with an invalid done" },
	{ TELL(",\"done\":1e5"), "a request with an invalid done" },
	{ TELL(",\"done\":1000000000000001"), "a request with an invalid "
	    "done" },
	{ TELL(",\"done\":99999999999999999999999"),
	    "a request with an invalid done" },
	{ TELL(",\"done\":1,\"done\":2"),
	    "a request without a valid \"done\"" },
	{ TELL(",\"done\":1,\"total\":null"),
	    "a request without a valid \"total\"" },
	{ TELL(",\"done\":1,\"total\":1000000000000001"),
	    "a request with an invalid total" },
	{ TELL(",\"done\":1,\"text\":1"),
	    "a request without a valid \"text\"" },
};

UNIT_TESTS(bad_local_is_a_fault, UNIT_COUNT(bad_local))
{
	struct err err;

	open_calls();
	ck_assert_int_eq(ask_with(1, bad_local[_i].payload, &err), -1);
	ck_assert_str_eq(err.text, bad_local[_i].err);
	close_calls();
}

static const char *const awkward[] = {
	"{}",
	"{\"n\":18446744073709551616,\"f\":0.1,\"e\":1e400,\"m\":-0}",
	"{\"z\":1,\"a\":{\"z\":\"\\u0000\",\"a\":[ ]},\"z\":1.0}",
	"{ \"\\ud800\" : \"\\/\xe2\x80\xa8\xf0\x9f\x98\x80\" }",
};

UNIT_TESTS(bytes_are_kept, UNIT_COUNT(awkward))
{
	auto_free char *frame = mem_printf("{\"type\":\"rpc_response\","
	    "\"id\":5,\"success\":true,\"payload\":%s}\n", awkward[_i]);
	auto_free char *payload = mem_printf("{\"type\":\"call_tool\","
	    "\"server\":\"fs\",\"tool\":\"\\u0000\",\"arguments\": %s }",
	    awkward[_i]);

	open_calls();
	ask(5, payload);
	expect(IPC_CALL_TOOL);
	ck_assert_uint_eq(msg.call_tool.tool.len, 8);
	ck_assert_mem_eq(msg.call_tool.tool.data, "\"\\u0000\"", 8);
	ck_assert_uint_eq(msg.call_tool.arguments.len, strlen(awkward[_i]));
	ck_assert_mem_eq(msg.call_tool.arguments.data, awkward[_i],
	    strlen(awkward[_i]));
	answer_text(5, awkward[_i]);
	box_reads_last(frame);
	close_calls();
}

UNIT_TEST(refusals_of_the_broker)
{
	static char reason[REFUSED_REASON_MAX + 1];
	auto_buffer struct buffer line = { 0 };

	open_calls();
	ask(1, LIST_SERVERS);
	ask(2, CALL("\"t\"", "{}"));
	ask(3, LIST_SERVERS);
	refuse(3, "it said \"no\"\n", "");
	box_reads(REFUSED_FRAME("3", "it said \\\"no\\\"\\n"));
	refuse(2, "it failed", "{\"code\":-32000,\"data\":1e400}");
	box_reads_last("{\"type\":\"rpc_response\",\"id\":2,\"success\":false,"
	    "\"error\":{\"message\":\"it failed\",\"error\":"
	    "{\"code\":-32000,\"data\":1e400}}}\n");
	/* The longest sentence, each byte of which becomes six. */
	memset(reason, 1, REFUSED_REASON_MAX);
	refuse(1, reason, "");
	read_line(&line);
	ck_assert_uint_eq(line.len,
	    strlen(REFUSED_FRAME("1", "")) + 6 * REFUSED_REASON_MAX);
	close_calls();
}

UNIT_TEST(long_frames_are_refused)
{
	static char head[] = "{\"type\":\"rpc_request\",\"id\":8,\"payload\":";
	struct line line = { .data = head, .len = strlen(head),
		.oversized = true, .total = 17000000 };
	struct err err;

	open_calls();
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), 0);
	box_reads_last(REFUSED_FRAME("8", "the arguments of a call may have "
	    "at most 16 MiB as JSON, not 17000000 bytes"));
	line.len -= 3;
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), -1);
	ck_assert_str_eq(err.text, "a frame of 17000000 bytes");
	/* Nor may it take the id of another. */
	line.len += 3;
	ask(8, LIST_SERVERS);
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), -1);
	ck_assert_str_eq(err.text, "a request with the id of one in flight");
	close_calls();
}

UNIT_TEST(ids_are_unique)
{
	struct err err;

	open_calls();
	ask(1, LIST_SERVERS);
	ask(2, LIST_SERVERS);
	ck_assert_int_eq(ask_with(1, LIST_SERVERS, &err), -1);
	ck_assert_str_eq(err.text, "a request with the id of one in flight");
	answer_text(1, "[]");
	ask(1, LIST_SERVERS);
	ck_assert_int_eq(ask_with(2, CALL("\"t\"", "{}"), &err), -1);
	ck_assert_int_eq(ask_with(0, LIST_SERVERS, &err), -1);
	ck_assert_str_eq(err.text, "a request with an invalid id");
	close_calls();
}

/* Returns what a frame that cancels this id comes to. */
static int
cancel(const char *id, struct err *err)
{
	auto_free char *frame =
	    mem_printf("{\"type\":\"cancel\",\"id\":%s}", id);
	struct json_span span;

	ck_assert_int_eq(json_span_parse(frame, strlen(frame), &span, err), 0);
	return calls_cancel(relay.calls, span, err);
}

static const char *const bad_ids[] = {
	"0", "-1", "1.0", "\"1\"", "null", "9007199254740993", "1,\"id\":1",
};

UNIT_TESTS(a_bad_cancel_is_a_fault, UNIT_COUNT(bad_ids))
{
	struct err err;

	open_calls();
	ask(1, LIST_SERVERS);
	ck_assert_int_eq(cancel(bad_ids[_i], &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "id"));
	close_calls();
}

/* What is waited for, as if no time had passed. */
static void
look(struct buffer *text)
{
	char *p;

	buffer_reset(text);
	calls_add_waiting(relay.calls, text);
	for (p = text->data; p != NULL && (p = strstr(p, " s)")) != NULL; p++)
		p[-1] = '0';
}

/* At the end: the oldest first, and no more than fit. */
UNIT_TEST(reports_what_is_waited_for)
{
	auto_buffer struct buffer text = { 0 };
	auto_free char *tool = NULL;
	struct err err;
	uint64_t id;

	open_calls();
	look(&text);
	ck_assert_uint_eq(text.len, 0);
	ask(2, CALL("\"b (x), fs.c\"", "{}"));
	ask(1, CALL("\"a\"", "{}"));
	ask(3, LIST_SERVERS);
	ask(4, CALL("\"c\"", "{}"));
	ck_assert_int_eq(cancel("4", &err), 0);
	look(&text);
	ck_assert_str_eq(text.data, "fs.a (0 s), \"fs.b (x), fs.c\" (0 s)");
	answer_text(1, "{}");
	look(&text);
	ck_assert_str_eq(text.data, "\"fs.b (x), fs.c\" (0 s)");
	/* The first use of a server, which may be starting. */
	ask(1, "{\"type\":\"list_tools\",\"server\":\"fs\"}");
	look(&text);
	ck_assert_str_eq(
	    text.data, "tools/list of fs (0 s), \"fs.b (x), fs.c\" (0 s)");
	answer_text(1, "{}");
	/* A name that is cut within a character. */
	tool = mem_printf("\"%056d\xc3\xa9x\"", 0);
	for (id = 5; id <= REQUESTS_MAX; id++) {
		auto_free char *call = mem_printf(CALL("%s", "{}"), tool);

		ask(id, call);
	}
	look(&text);
	ck_assert_uint_le(text.len, DONE_WAITING_MAX);
	ck_assert_ptr_nonnull(strstr(text.data, "00 (0 s), fs.00"));
	ck_assert_ptr_nonnull(strstr(text.data, "00 (0 s) and 120 more"));
	close_calls();
}

/* Bounds */

#define TOO_MANY                                                               \
	"more than 128 calls are in flight; await some before making more"

UNIT_TEST(so_many_are_under_way)
{
	uint64_t id;

	open_calls();
	for (id = 1; id <= REQUESTS_MAX; id++)
		ask(id, LIST_SERVERS);
	ask(200, LIST_SERVERS);
	box_reads_last(REFUSED_FRAME("200", TOO_MANY));
	for (id = 1; id <= REQUESTS_MAX; id++) {
		expect(IPC_LIST_SERVERS);
		ck_assert(msg.list_servers.id == id);
	}
	expect_nothing();
	/* Answered in another order; one that is answered makes room. */
	answer_text(70, "[]");
	ask(200, LIST_SERVERS);
	ask(201, LIST_SERVERS);
	box_reads("{\"type\":\"rpc_response\",\"id\":70,\"success\":true,"
	    "\"payload\":[]}\n");
	box_reads_last(REFUSED_FRAME("201", TOO_MANY));
	for (id = REQUESTS_MAX; id > 0; id--)
		if (id != 70)
			answer_text(id, "[]");
	answer_text(200, "[]");
	close_calls();
}

/* Four answers of this size are just below the bound, as the pipe has some. */
UNIT_TEST(unread_answers_are_bounded)
{
	auto_free char *object = make_object(RESULT_MAX);
	auto_buffer struct buffer line = { 0 };
	int fds;

	open_calls();
	fds = unit_open_fds();
	for (uint64_t id = 1; id <= 5; id++) {
		ask(id, LIST_SERVERS);
		answer(id, object, RESULT_MAX);
	}
	ck_assert_uint_eq(outbox_answers(relay.outbox), 4);
	ck_assert_int_eq(unit_open_fds(), fds + 4);
	ask(6, LIST_SERVERS);
	refuse(6, "no", object);
	ask(7, LIST_SERVERS);
	answer_text(7, "1");
	for (int n = 1; n <= 4; n++) {
		buffer_reset(&line);
		read_line(&line);
		ck_assert_uint_gt(line.len, RESULT_MAX);
	}
	box_reads(REFUSED_FRAME("5", "result discarded: with its 16777273 "
	    "bytes more than 64 MiB of answers would be unread; await calls "
	    "before making more"));
	box_reads(REFUSED_FRAME("6", "result discarded: with its 16777297 "
	    "bytes more than 64 MiB of answers would be unread; await calls "
	    "before making more"));
	box_reads_last("{\"type\":\"rpc_response\",\"id\":7,\"success\":true,"
	    "\"payload\":1}\n");
	close_calls();
}

/*
 * The number of unread refusals is unlimited, but not their size: first no new
 * request is read, then the box is at fault.
 */
UNIT_TEST(unread_refusals_are_bounded)
{
	auto_free char *object = make_object(RESULT_MAX);
	struct err err;
	uint64_t id = 1, made = 0;

	open_calls();
	for (; id <= ANSWERS_UNREAD_MAX / RESULT_MAX; id++) {
		ask(id, LIST_SERVERS);
		expect(IPC_LIST_SERVERS);
		answer(id, object, RESULT_MAX);
	}
	while (outbox_unread(relay.outbox) < ANSWERS_UNREAD_MAX)
		ck_assert_int_eq(ask_with(id++, CALL("\"t\"", "1"), &err), 0);
	ck_assert_int_eq(ask_with(id++, LIST_SERVERS, &err), 0);
	expect_nothing();
	while (ask_with(id++, CALL("\"t\"", "{}"), &err) == 0)
		made++;
	ck_assert_str_eq(err.text, "too many requests without reading any "
	    "answer");
	ck_assert_uint_gt(made, 50000);
	ck_assert_uint_gt(outbox_unread(relay.outbox),
	    ANSWERS_UNREAD_MAX + REFUSALS_UNREAD_MAX);
	ck_assert_uint_lt(outbox_unread(relay.outbox),
	    ANSWERS_UNREAD_MAX + REFUSALS_UNREAD_MAX + KIB);
	expect_nothing();
	ck_assert(calls_made(relay.calls) == 0);
	close_calls();
}

/* The relay keeps them in memory, which is not that of the box. */
UNIT_TEST(arguments_under_way_are_bounded)
{
	auto_free char *object = make_object(TOOL_ARGUMENTS_MAX);
	auto_free char *payload = mem_printf("{\"type\":\"call_tool\","
	    "\"server\":\"s\",\"tool\":\"t\",\"arguments\":%s}", object);
	int n;

	open_calls();
	for (n = 1; n <= 4; n++)
		ask((uint64_t)n, payload);
	ask(5, CALL("\"t\"", "{}"));
	box_reads_last(REFUSED_FRAME("5", "the arguments of the calls in "
	    "flight have more than 64 MiB; await some before making more"));
	ask(6, LIST_SERVERS);
	for (n = 1; n <= 4; n++) {
		expect(IPC_CALL_TOOL);
		ipc_message_close(IPC_CALL_TOOL, &msg);
	}
	expect(IPC_LIST_SERVERS);
	answer_text(2, "1");
	ask(5, CALL("\"t\"", "{}"));
	expect(IPC_CALL_TOOL);
	ck_assert(calls_made(relay.calls) == 5);
	close_calls();
}

/* The broker hears of it once, and answers as it would have. */
UNIT_TEST(cancels_what_is_under_way)
{
	struct err err;

	open_calls();
	ask(1, CALL("\"t\"", "{}"));
	expect(IPC_CALL_TOOL);
	ck_assert_int_eq(cancel("1", &err), 0);
	ck_assert_int_eq(cancel("1", &err), 0);
	expect(IPC_CANCEL_CALL);
	ck_assert(msg.cancel_call.id == 1);
	expect_nothing();
	/* It has its number until then. */
	ck_assert_int_eq(ask_with(1, LIST_SERVERS, &err), -1);
	refuse(1, "it was cancelled", "");
	box_reads_last(REFUSED_FRAME("1", "it was cancelled"));
	ask(1, LIST_SERVERS);
	expect(IPC_LIST_SERVERS);
	close_calls();
}

/* Ends */
UNIT_TEST(without_servers_there_are_none)
{
	open_calls();
	calls_close(relay.calls, ROLE_BROKER, CALLS_NO_SERVERS);
	ask(1, CALL("\"t\"", "{}"));
	box_reads(REFUSED_FRAME("1", CALLS_NO_SERVERS));
	ask(1, LIST_SERVERS);
	box_reads_last("{\"type\":\"rpc_response\",\"id\":1,"
	    "\"success\":true,\"payload\":[]}\n");
	/* The value of the last expression needs none. */
	ask(1, "{\"type\":\"echo\",\"text\":\"\\ud800\"}");
	box_reads_last(REFUSED_FRAME("1", "the text of an echo has at most "
	    "2048 bytes of UTF-8"));
	expect_nothing();
	close_calls();
}

/* The broker ends: in order (0), with half a message (1) or a wrong one (2). */
UNIT_TESTS(a_broker_may_end, 3)
{
	static const uint8_t wrong[] = { IPC_RUNNING, 0, 0, 0 };
	int n;

	open_calls();
	silence();
	for (n = 1; n <= 3; n++)
		ask((uint64_t)n, CALL("\"t\"", "{}"));
	answer_text(2, "1"); /* this one is not lost */
	if (_i > 0)
		ck_assert_int_gt(send(broker, wrong, _i == 1 ? 2 : 4, 0), 0);
	else
		fd_close(&broker);
	settle();
	ck_assert_ptr_null(relay.broker);
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":1}\n");
	box_reads(REFUSED_FRAME("3", CALLS_BROKER_LOST));
	box_reads(REFUSED_FRAME("1", CALLS_BROKER_LOST));
	ask(1, LIST_SERVERS);
	box_reads_last(REFUSED_FRAME("1", CALLS_BROKER_LOST));
	ck_assert(calls_made(relay.calls) == 3);
	close_calls();
}

/* A violation by a more trusted peer: the relay cannot continue. */
UNIT_EXITS(an_answer_to_nothing_is_fatal, FATAL_EXIT_STATUS, 2)
{
	open_calls();
	silence();
	ask(1, LIST_SERVERS);
	answer_text(1, "1");
	if (_i == 0)
		answer_text(1, "1");
	else
		refuse(2, "no", "");
}
