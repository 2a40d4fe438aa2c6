/*
 * Tests of relay/calls, on_broker and on_store, and of how relay/relay meets
 * and loses broker and store: what the code asks for reaches them and their
 * answers reach the box, byte for byte; every bound holds; and one of them that
 * ends, or a box that does not read, costs what it must and no more. The test
 * is the box, the broker and the store.
 */
#include "calls_play.h"

/* Requests and answers */

START_TEST(each_request_has_its_message)
{
	open_calls();
	ask(1, CALL("\"read\"", "{\"path\":\"x\"}"));
	expect(IPC_CALL_TOOL);
	ck_assert(msg.call_tool.id == 1);
	ck_assert_str_eq(msg.call_tool.server, "fs");
	ck_assert_uint_eq(msg.call_tool.tool.len, 6);
	ck_assert_mem_eq(msg.call_tool.tool.data, "\"read\"", 6);
	ask(REQUEST_ID_MAX, "{\"type\":\"list_tools\",\"server\":\"\\u0061\"}");
	expect(IPC_LIST_TOOLS);
	ck_assert(msg.list_tools.id == REQUEST_ID_MAX);
	ck_assert_str_eq(msg.list_tools.server, "a");
	ck_assert_uint_eq(msg.list_tools.remembered, 0);
	ask(9, "{\"type\":\"list_tools\",\"server\":\"a\","
	    "\"remembered\":true}");
	expect(IPC_LIST_TOOLS);
	ck_assert_uint_eq(msg.list_tools.remembered, 1);
	ask(2, LIST_SERVERS);
	expect(IPC_LIST_SERVERS);
	ck_assert(msg.list_servers.id == 2);
	ask(3, "{\"type\":\"load_server\",\"server\":\"b c\"}");
	expect(IPC_LOAD_SERVER);
	ck_assert(msg.load_server.id == 3);
	ck_assert_str_eq(msg.load_server.server, "b c");
	expect_nothing();
	/* Only calls of tools are counted. */
	ck_assert(calls_made(relay.calls) == 1);
	close_calls();
}
END_TEST

/* The relay answers by itself. */
START_TEST(questions_about_the_output_are_answered)
{
	open_calls();
	ask(1, "{\"type\":\"printed\",\"text\":\"a.png\"}");
	box_reads("{\"type\":\"rpc_response\",\"id\":1,\"success\":true,"
	    "\"payload\":false}\n");
	printed = 1;
	ask(2, "{\"type\":\"printed\",\"text\":\"a.png\"}");
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":true}\n");
	ask(3, "{\"type\":\"printed\",\"text\":\"\\ud800\"}");
	box_reads_last(REFUSED_FRAME("3", "the text of an echo has at most "
	    "2048 bytes of UTF-8"));
	close_calls();
}
END_TEST

START_TEST(echoes_are_answered)
{
	auto_buffer struct buffer large = { 0 };

	open_calls();
	ask(1, "{\"type\":\"echo\"}");
	box_reads("{\"type\":\"rpc_response\",\"id\":1,\"success\":true,"
	    "\"payload\":true}\n");
	ck_assert_uint_eq(echoed.len, 0);
	ask(2, "{\"type\":\"echo\",\"text\":\"\\u00e4 \\n\"}");
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":true}\n");
	ck_assert_str_eq(echoed.data, "\xc3\xa4 \n");
	printed = 1;
	ask(3, "{\"type\":\"echo\"}");
	box_reads("{\"type\":\"rpc_response\",\"id\":3,\"success\":true,"
	    "\"payload\":false}\n");
	buffer_add_text(&large, "{\"type\":\"echo\",\"text\":\"");
	while (large.len < ECHO_MAX + 30)
		buffer_add_text(&large, "x");
	buffer_add_text(&large, "\"}");
	ask(4, large.data);
	box_reads(REFUSED_FRAME("4", "the text of an echo has at most 2048 "
	    "bytes of UTF-8"));
	expect_nothing();
	buffer_reset(&echoed);
	close_calls();
}
END_TEST

#define PICTURE "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIA"
#define SHOW(data)                                                             \
	"{\"type\":\"show\",\"kind\":\"png\",\"title\":\"a\",\"data\":\"" data \
	"\"}"
#define SHOWN_FRAME(id)                                                        \
	"{\"type\":\"rpc_response\",\"id\":" id ",\"success\":true,"           \
	"\"payload\":true}\n"

/* The relay answers by itself, whether there are servers or not. */
START_TEST(pictures_are_answered)
{
	static const struct {
		const char *payload, *refusal; /* NULL: it is shown */
	} cases[] = {
		{ SHOW(PICTURE), NULL },
		{ "{\"data\":\"" PICTURE "\",\"kind\":\"png\","
		  "\"type\":\"show\"}", NULL },
		{ SHOW(""), "a picture that is not base64" },
		{ SHOW(PICTURE "QQ"), "a picture that is not base64" },
		{ SHOW("iVBORw0KGgoAAAANSUhEUgAAB9EAAAACCAIA"),
		    "a picture has sides of 1 to 2000 pixels, and this one is "
		    "2001 x 2: scale it" },
		{ SHOW("iVBORw0KGgoAAAANSUhEUgAA"),
		    "the header of this PNG picture is damaged or incomplete: "
		    "save the picture again" },
		{ SHOW("QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD"),
		    "the data does not start like a PNG picture" },
		{ "{\"type\":\"show\",\"kind\":\"jpeg\",\"data\":\"" PICTURE
		  "\"}", "the data does not start like a JPEG picture" },
		{ "{\"type\":\"show\",\"kind\":\"png\",\"data\":\"" PICTURE
		  "\",\"title\":\"\\u0000\"}",
		    "the title of a picture must be text without NUL" },
	};
	size_t i;

	open_calls();
	calls_close(relay.calls, ROLE_BROKER, CALLS_NO_SERVERS);
	for (i = 0; i < UNIT_COUNT(cases); i++) {
		auto_free char *refused = cases[i].refusal == NULL ? NULL :
		    mem_printf(REFUSED_FRAME("1", "%s"), cases[i].refusal);

		ask(1, cases[i].payload);
		box_reads(refused == NULL ? SHOWN_FRAME("1") : refused);
	}
	ck_assert_uint_eq(relay.pictures, 2);
	expect_nothing();
	close_calls();
	relay.pictures = relay.pictures_bytes = 0;
}
END_TEST

START_TEST(pictures_are_few)
{
	int n;

	open_calls();
	for (n = 0; n < PICTURES_MAX; n++) {
		ask(1, SHOW(PICTURE));
		box_reads(SHOWN_FRAME("1"));
	}
	for (n = 0; n < 10; n++) {
		ask(1, SHOW(PICTURE));
		box_reads(REFUSED_FRAME("1", "an answer has at most 8 "
		    "pictures: show fewer, or several in one"));
	}
	close_calls();
	relay.pictures = relay.pictures_bytes = 0;
}
END_TEST

/* Of one and of all: to the byte. */
START_TEST(pictures_are_small)
{
	size_t sizes[] = { PICTURE_MAX + 4, PICTURE_MAX, PICTURE_MAX,
		PICTURE_MAX, PICTURE_MAX - 40, 44, 40 };
	auto_buffer struct buffer payload = { 0 };
	size_t i;

	open_calls();
	for (i = 0; i < UNIT_COUNT(sizes); i++) {
		payload.len = 0;
		buffer_add_text(&payload, "{\"type\":\"show\",\"kind\":"
		    "\"png\",\"data\":\"" PICTURE);
		memset(buffer_reserve(&payload, sizes[i] + 3), 'A', sizes[i]);
		payload.len += sizes[i] - strlen(PICTURE);
		buffer_add_text(&payload, "\"}");
		ask(1, payload.data);
		box_reads(i == 0 ? REFUSED_FRAME("1", "a picture has at most "
		    "1024 KiB as base64, and this one 1048580 bytes: make it "
		    "smaller") : i == 5 ? REFUSED_FRAME("1", "the pictures of "
		    "an answer have at most 4096 KiB as base64: show fewer, or "
		    "several in one") : SHOWN_FRAME("1"));
	}
	ck_assert_uint_eq(relay.pictures_bytes, PICTURES_BYTES_MAX);
	close_calls();
	relay.pictures = relay.pictures_bytes = 0;
}
END_TEST

/* No frame of honest code. */
START_TEST(bad_pictures_are_faults)
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
END_TEST

#define TELL(rest) "{\"type\":\"progress\"" rest "}"

START_TEST(progress_is_reported)
{
	static const struct {
		const char *payload;
		uint64_t done, total;
		const char *text, *refusal; /* NULL: it is told */
	} cases[] = {
		{ TELL(",\"done\":5"), 5, 0, "", NULL },
		{ TELL(",\"done\":0,\"total\":7,\"text\":\"a\""),
		    0, 7, "a", NULL },
		{ TELL(",\"done\":1000000000000000,"
		  "\"total\":1000000000000000"), PROGRESS_MAX, PROGRESS_MAX,
		    "", NULL },
		{ TELL(",\"done\":5,\"text\":\"\\u0000\""), 0, 0, NULL,
		    "the text of progress must be text without NUL" },
		{ TELL(",\"done\":5,\"text\":\"\\ud800\""), 0, 0, NULL,
		    "the text of progress must be text without NUL" },
	};
	size_t i;

	open_calls();
	calls_close(relay.calls, ROLE_BROKER, CALLS_NO_SERVERS);
	for (i = 0; i < UNIT_COUNT(cases); i++) {
		auto_free char *refused = cases[i].refusal == NULL ? NULL :
		    mem_printf(REFUSED_FRAME("1", "%s"), cases[i].refusal);

		tellings = 0;
		ask(1, cases[i].payload);
		box_reads(refused == NULL ? SHOWN_FRAME("1") : refused);
		ck_assert_int_eq(tellings, refused == NULL);
		if (refused != NULL)
			continue;
		ck_assert_uint_eq(told.done, cases[i].done);
		ck_assert_uint_eq(told.total, cases[i].total);
		ck_assert_str_eq(told.text, cases[i].text);
	}
	expect_nothing();
	close_calls();
}
END_TEST

/* In whole characters. */
START_TEST(long_words_of_progress_are_cut)
{
	auto_buffer struct buffer payload = { 0 };
	size_t n;

	open_calls();
	buffer_add_text(&payload, "{\"type\":\"progress\",\"done\":1,"
	    "\"text\":\"x");
	for (n = 0; n < 100000; n++)
		buffer_add_text(&payload, "\xc3\xa9");
	buffer_add_text(&payload, "\"}");
	ask(1, payload.data);
	box_reads(SHOWN_FRAME("1"));
	ck_assert_uint_eq(strlen(told.text), PROGRESS_TEXT_MAX - 1);
	close_calls();
}
END_TEST

static const struct {
	const char *payload, *err;
} bad_progress[] = {
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

START_TEST(bad_progress_is_a_fault)
{
	struct err err;

	open_calls();
	ck_assert_int_eq(ask_with(1, bad_progress[_i].payload, &err), -1);
	ck_assert_str_eq(err.text, bad_progress[_i].err);
	close_calls();
}
END_TEST

static const char *const awkward[] = {
	"{}",
	"{\"n\":18446744073709551616,\"f\":0.1,\"e\":1e400,\"m\":-0}",
	"{\"z\":1,\"a\":{\"z\":\"\\u0000\",\"a\":[ ]},\"z\":1.0}",
	"{ \"\\ud800\" : \"\\/\xe2\x80\xa8\xf0\x9f\x98\x80\" }",
};

START_TEST(bytes_are_kept)
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
END_TEST

/* Above IPC_INLINE_MAX both ways go by memfd, up to the largest. */
START_TEST(large_ones_go_by_memfd)
{
	const size_t len = _i == 0 ? IPC_INLINE_MAX + 1 : RESULT_MAX;
	auto_free char *object = make_object(len);
	auto_free char *payload = mem_printf("{\"type\":\"call_tool\","
	    "\"server\":\"s\",\"tool\":\"t\",\"arguments\":%s}", object);
	auto_free char *frame = mem_printf("{\"type\":\"rpc_response\","
	    "\"id\":5,\"success\":true,\"payload\":%s}\n", object);
	auto_free char *arguments = NULL;

	open_calls();
	ask(5, payload);
	expect(IPC_CALL_TOOL);
	arguments = ipc_blob_copy(&msg.call_tool.arguments, NULL);
	ck_assert_uint_eq(msg.call_tool.arguments.len, len);
	ck_assert_mem_eq(arguments, object, len);
	ipc_message_close(IPC_CALL_TOOL, &msg);
	answer(5, object, len);
	box_reads_last(frame);
	close_calls();
}
END_TEST

START_TEST(refusals_of_the_broker)
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
END_TEST

/* A large error object goes its way as a large result does. */
START_TEST(refusals_with_large_errors)
{
	auto_free char *error = make_object(RESULT_MAX);
	auto_free char *frame = mem_printf("{\"type\":\"rpc_response\","
	    "\"id\":1,\"success\":false,\"error\":{\"message\":\"no\","
	    "\"error\":%s}}\n", error);

	open_calls();
	ask(1, LIST_SERVERS);
	refuse(1, "no", error);
	box_reads_last(frame);
	close_calls();
}
END_TEST

/* What is refused here does not reach the broker. */
START_TEST(mistakes_are_refused)
{
	open_calls();
	ask(1, "{\"type\":\"list_tools\",\"server\":\"\"}");
	box_reads(REFUSED_FRAME("1", "unknown server: the name of a server "
	    "has 1 to 128 bytes of UTF-8 without NUL"));
	ask(1, CALL("\"t\"", "[]"));
	box_reads_last(REFUSED_FRAME("1", "the arguments of a call must be an "
	    "object: a name and a value for each"));
	expect_nothing();
	ck_assert(calls_made(relay.calls) == 0);
	close_calls();
}
END_TEST

START_TEST(long_frames_are_refused)
{
	static char head[] = "{\"type\":\"rpc_request\",\"id\":8,\"payload\":";
	struct line line = { .data = head, .len = strlen(head),
		.oversized = 1, .total = 17000000 };
	struct err err;

	open_calls();
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), 0);
	box_reads_last(REFUSED_FRAME("8", "the arguments of a call have at "
	    "most 16 MiB as JSON; these need 17000000 bytes"));
	line.len -= 3;
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), -1);
	ck_assert_str_eq(err.text, "a frame of 17000000 bytes");
	/* Nor may it take the id of another. */
	line.len += 3;
	ask(8, LIST_SERVERS);
	ck_assert_int_eq(calls_oversized(relay.calls, &line, &err), -1);
	ck_assert_str_eq(
	    err.text, "a request with the id of one in flight");
	close_calls();
}
END_TEST

START_TEST(ids_are_unique)
{
	struct err err;

	open_calls();
	ask(1, LIST_SERVERS);
	ask(2, LIST_SERVERS);
	ck_assert_int_eq(ask_with(1, LIST_SERVERS, &err), -1);
	ck_assert_str_eq(
	    err.text, "a request with the id of one in flight");
	answer_text(1, "[]");
	ask(1, LIST_SERVERS);
	ck_assert_int_eq(ask_with(2, CALL("\"t\"", "{}"), &err), -1);
	ck_assert_int_eq(ask_with(0, LIST_SERVERS, &err), -1);
	ck_assert_str_eq(err.text, "a request with an invalid id");
	close_calls();
}
END_TEST

/* Returns what a frame that cancels this id comes to. */
static int
cancel(const char *id, struct err *err)
{
	auto_free char *frame =
	    mem_printf("{\"type\":\"cancel\",\"id\":%s}", id);
	struct json_span span;

	ck_assert_int_eq(
	    json_span_parse(frame, strlen(frame), &span, err), 0);
	return calls_cancel(relay.calls, span, err);
}

/* The broker hears of it once, and answers as it would have. */
START_TEST(cancels_what_is_under_way)
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
END_TEST

/* The answer may have crossed it: that is no fault. */
START_TEST(cancels_nothing_that_is_answered)
{
	struct err err;

	open_calls();
	ask(1, CALL("\"t\"", "{}"));
	expect(IPC_CALL_TOOL);
	answer_text(1, "{}");
	ck_assert_int_eq(cancel("1", &err), 0);
	ck_assert_int_eq(cancel("2", &err), 0);
	expect_nothing();
	ask(2, CALL("\"t\"", "{}"));
	expect(IPC_CALL_TOOL);
	fd_close(&broker);
	ck_assert_int_eq(cancel("2", &err), 0);
	settle();
	ck_assert_int_eq(cancel("2", &err), 0);
	close_calls();
}
END_TEST

static const char *const bad_ids[] = {
	"0", "-1", "1.0", "\"1\"", "null", "9007199254740993", "1,\"id\":1",
};

START_TEST(a_bad_cancel_is_a_fault)
{
	struct err err;

	open_calls();
	ask(1, LIST_SERVERS);
	ck_assert_int_eq(cancel(bad_ids[_i], &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "id"));
	close_calls();
}
END_TEST

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
START_TEST(reports_what_is_waited_for)
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
	ck_assert_str_eq(
	    text.data, "fs.a (0 s), \"fs.b (x), fs.c\" (0 s)");
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
END_TEST

/* Bounds */

#define TOO_MANY                                                               \
	"more than 128 calls are in flight; await some before making more"

START_TEST(so_many_are_under_way)
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
END_TEST

/* An answer that the box has not read holds its place. */
START_TEST(unread_answers_hold_their_places)
{
	auto_free char *object = make_object(IPC_INLINE_MAX + 1);
	uint64_t id;

	open_calls();
	for (id = 1; id <= REQUESTS_MAX; id++) {
		ask(id, LIST_SERVERS);
		expect(IPC_LIST_SERVERS);
		answer(id, object, IPC_INLINE_MAX + 1);
	}
	/* The pipe has taken the first ones. */
	ck_assert_uint_lt(outbox_answers(relay.outbox), REQUESTS_MAX);
	while (outbox_answers(relay.outbox) < REQUESTS_MAX) {
		ask(id, LIST_SERVERS);
		answer_text(id++, "1");
	}
	ask(id, LIST_SERVERS);
	ck_assert_uint_eq(outbox_answers(relay.outbox), REQUESTS_MAX);
	for (; id > 1; id--) {
		auto_buffer struct buffer line = { 0 };

		read_line(&line);
	}
	box_reads_last(REFUSED_FRAME("132", TOO_MANY));
	close_calls();
}
END_TEST

/* Four answers of this size are just below the bound, as the pipe has some. */
START_TEST(unread_answers_are_bounded)
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
END_TEST

/*
 * The number of unread refusals is unlimited, but not their size: first no new
 * request is read, then the box is at fault.
 */
START_TEST(unread_refusals_are_bounded)
{
	struct err err;
	uint64_t id = 1, made = 0;

	open_calls();
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
END_TEST

/* The relay keeps them in memory, which is not that of the box. */
START_TEST(arguments_under_way_are_bounded)
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
END_TEST

/* A broker that does not read: a full queue is not the end of anything. */
START_TEST(a_slow_broker_is_waited_for)
{
	auto_free char *object = make_object(IPC_INLINE_MAX);
	auto_free char *payload = mem_printf("{\"type\":\"call_tool\","
	    "\"server\":\"s\",\"tool\":\"t\",\"arguments\":%s}", object);
	uint64_t id;

	open_calls();
	for (id = 1; id <= REQUESTS_MAX; id++)
		ask(id, payload);
	for (id = 1; id <= REQUESTS_MAX; id++) {
		expect(IPC_CALL_TOOL);
		ck_assert(msg.call_tool.id == id);
	}
	expect_nothing();
	close_calls();
}
END_TEST

/* Ends */

START_TEST(without_servers_there_are_none)
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
END_TEST

/* The broker ends: in order (0), with half a message (1) or a wrong one (2). */
START_TEST(a_broker_may_end)
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
END_TEST

/* Its end is not noticed yet: no call is lost, and none is made. */
START_TEST(a_broker_may_just_have_ended)
{
	struct err err;

	open_calls();
	ask(1, CALL("\"t\"", "{}"));
	fd_close(&broker);
	ck_assert_int_eq(ask_with(2, CALL("\"t\"", "{}"), &err), 0);
	box_reads(REFUSED_FRAME("2", CALLS_BROKER_LOST));
	box_reads_last(REFUSED_FRAME("1", CALLS_BROKER_LOST));
	ck_assert(calls_made(relay.calls) == 1);
	close_calls();
}
END_TEST

/* Out of descriptors: large arguments cannot go now, small ones can. */
START_TEST(a_send_may_fail)
{
	auto_free char *object = make_object(IPC_INLINE_MAX + 1);
	auto_free char *payload = mem_printf("{\"type\":\"call_tool\","
	    "\"server\":\"s\",\"tool\":\"t\",\"arguments\":%s}", object);
	struct rlimit old, none;

	open_calls();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){ 3, old.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ask(1, payload);
	ask(2, CALL("\"t\"", "{}"));
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	box_reads_last(REFUSED_FRAME("1", "the connection to the servers "
	    "failed: "
	    "create a memfd: Too many open files"));
	expect(IPC_CALL_TOOL);
	ck_assert(msg.call_tool.id == 2);
	ck_assert(calls_made(relay.calls) == 1);
	close_calls();
}
END_TEST

/* It asked and went: what comes for it is dropped, large or small. */
START_TEST(a_box_may_end)
{
	auto_free char *object = make_object(RESULT_MAX);
	int fds;

	open_calls();
	ask(1, LIST_SERVERS);
	ask(2, LIST_SERVERS);
	ask(3, LIST_SERVERS);
	fd_close(&box_in);
	fds = unit_open_fds();
	answer(1, object, RESULT_MAX);
	answer_text(2, "1");
	refuse(3, "no", object);
	ck_assert_int_eq(unit_open_fds(), fds - 1);
	ck_assert_uint_eq(outbox_unread(relay.outbox), 0);
	close_calls();
}
END_TEST

/* A violation by a more trusted peer: the relay cannot continue. */
START_TEST(an_answer_to_nothing_is_fatal)
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
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, each_request_has_its_message);
	tcase_add_test(tc, questions_about_the_output_are_answered);
	tcase_add_test(tc, echoes_are_answered);
	tcase_add_test(tc, pictures_are_answered);
	tcase_add_test(tc, pictures_are_few);
	tcase_add_test(tc, pictures_are_small);
	tcase_add_loop_test(tc, bad_pictures_are_faults, 0, 6);
	tcase_add_test(tc, progress_is_reported);
	tcase_add_test(tc, long_words_of_progress_are_cut);
	tcase_add_loop_test(
	    tc, bad_progress_is_a_fault, 0, UNIT_COUNT(bad_progress));
	tcase_add_loop_test(tc, bytes_are_kept, 0, UNIT_COUNT(awkward));
	tcase_add_loop_test(tc, large_ones_go_by_memfd, 0, 2);
	tcase_add_test(tc, refusals_of_the_broker);
	tcase_add_test(tc, refusals_with_large_errors);
	tcase_add_test(tc, mistakes_are_refused);
	tcase_add_test(tc, long_frames_are_refused);
	tcase_add_test(tc, ids_are_unique);
	tcase_add_test(tc, cancels_what_is_under_way);
	tcase_add_test(tc, reports_what_is_waited_for);
	tcase_add_test(tc, cancels_nothing_that_is_answered);
	tcase_add_loop_test(tc, a_bad_cancel_is_a_fault, 0,
	    UNIT_COUNT(bad_ids));
	tcase_add_test(tc, so_many_are_under_way);
	tcase_add_test(tc, unread_answers_hold_their_places);
	tcase_add_test(tc, unread_answers_are_bounded);
	tcase_add_test(tc, unread_refusals_are_bounded);
	tcase_add_test(tc, arguments_under_way_are_bounded);
	tcase_add_test(tc, a_slow_broker_is_waited_for);
	tcase_add_test(tc, without_servers_there_are_none);
	tcase_add_loop_test(tc, a_broker_may_end, 0, 3);
	tcase_add_test(tc, a_broker_may_just_have_ended);
	tcase_add_test(tc, a_send_may_fail);
	tcase_add_test(tc, a_box_may_end);
	tcase_add_loop_exit_test(
	    tc, an_answer_to_nothing_is_fatal, FATAL_EXIT_STATUS, 0, 2);
}

int
main(void)
{
	return unit_run("calls", add_tests);
}
