/*
 * Tests of worker/broker/link/mcp_client, without pipes or a loop: what it
 * says, what it makes of lines, and that each request is answered at most once.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/ask_client.h"
#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/link/link.h"

static struct mcp_client *client;
static const struct buffer no_masks;
static struct buffer said;   /* what the client has written */
static struct buffer events; /* its callbacks */
static int deaf;             /* nothing can be written */

static int
on_write(void *ctx, const char *data, size_t len)
{
	ck_assert_ptr_eq(ctx, &client);
	if (deaf)
		return -1;
	buffer_add(&said, data, len);
	return 0;
}

static int
on_offer(void *ctx, const char *data, size_t len)
{
	return on_write(ctx, data, len) == 0;
}

static void
on_ready(void *ctx)
{
	buffer_add_text(&events, "ready\n");
}

static void
on_changed(void *ctx)
{
	buffer_add_text(&events, "changed\n");
}

static void
on_progress(void *ctx, void *call, struct json_span)
{
	ck_assert_ptr_eq(ctx, &client);
	buffer_printf(&events, "%s progress\n", (char *)call);
}

static void
on_silent(void *ctx)
{
	ck_assert_ptr_eq(ctx, &client);
	buffer_add_text(&events, "silent\n");
}

/* Answers what has a method of this name, at once. */
static int
on_asked(void *ctx, const struct jsonrpc *message, void *)
{
	ck_assert_ptr_eq(ctx, &client);
	/* Or it logs something. */
	ck_assert((message->id.len > 0) == (message->kind == JSONRPC_REQUEST));
	if (!json_span_is(message->method, "ask"))
		return 0;
	mcp_client_reply(client, "7", NULL, "nobody is here");
	mcp_client_reply(client, "8", "{\"a\":1}", NULL);
	return 1;
}

static void
on_unfit(void *ctx, const char *why)
{
	buffer_printf(&events, "unfit: %s\n", why);
}

static void
on_answer(void *ctx, const struct mcp_answer *answer)
{
	if (answer->outcome == MCP_BROKEN)
		buffer_printf(&events, "%s broken: %s\n", (char *)ctx,
		    answer->why);
	else
		buffer_printf(&events, "%s %s: %.*s\n", (char *)ctx,
		    answer->outcome == MCP_RESULT ? "result" : "error",
		    (int)answer->value.len, answer->value.p);
}

static void
expect(struct buffer *buffer, const char *wanted)
{
	buffer_add_text(buffer, "");
	ck_assert_str_eq(buffer->data, wanted);
	buffer_reset(buffer);
}

static void
hear(const char *text)
{
	auto_free char *data = mem_strdup(text);
	struct line line = { .data = data, .len = strlen(text),
		.total = strlen(text) };

	mcp_client_line(client, &line);
}

/* A client that has not said anything yet. */
static void
make(void)
{
	struct mcp_client_ends ends = { on_write, on_offer, on_ready,
		on_changed, on_progress, on_asked, on_silent,
		on_unfit, &client };

	client = mcp_client_new("gh", &no_masks, &ends);
}

/* A client of a server that was greeted. */
static void
make_ready(void)
{
	make();
	mcp_client_greet(client, 0);
	hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	     "{\"protocolVersion\":\"2025-11-25\"}}");
	expect(&events, "ready\n");
	buffer_reset(&said);
}

static uint64_t
ask(const char *params, const char *who)
{
	return mcp_client_ask(client, "x/y",
	    (struct json_span){ params, strlen(params) }, on_answer,
	    (void *)who);
}

/* What a server says it is for: the first line that is no heading. */
static const struct {
	const char *says, *about;
} abouts[] = {
	{ "", "" },
	{ ",\"serverInfo\":{\"name\":\"gh\"}", "gh" },
	{ ",\"serverInfo\":{\"name\":\"gh\",\"title\":\"Forge\"}", "Forge" },
	{ ",\"serverInfo\":{\"name\":\"gh\",\"description\":\"Reads\"}",
	    "Reads" },
	{ ",\"serverInfo\":{\"name\":\"gh\"},\"instructions\":\" \\n\"",
	    "gh" },
	{ ",\"instructions\":\"Reads\\tfiles.\\n\\nMore.\"", "Reads files." },
	{ ",\"instructions\":\"# Forge\\r\\n\\r\\n## Use\\nReads.\\r\\nMore"
	  "\"", "Reads." },
	{ ",\"instructions\":\"\\n## Forge\\n\"", "Forge" },
	{ ",\"instructions\":\"#\"", "" },
};

UNIT_TESTS(keeps_what_a_server_is_for, UNIT_COUNT(abouts))
{
	auto_free char *hello = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"protocolVersion\":\"2025-11-25\"%s}}",
	    abouts[_i].says);
	const struct buffer *about;

	make();
	mcp_client_greet(client, 0);
	hear(hello);
	expect(&events, "ready\n");
	about = &mcp_client_said(client)->about;
	ck_assert_uint_eq(about->len, strlen(abouts[_i].about));
	if (about->len > 0)
		ck_assert_mem_eq(about->data, abouts[_i].about, about->len);
	mcp_client_free(&client);
}

/* Instructions keep their lines, lose what is not shown, and are cut. */
UNIT_TEST(keeps_instructions)
{
	auto_free char *hello = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"protocolVersion\":\"2025-11-25\","
	    "\"instructions\":\"# Use\\n\\tall.\\r\\u0000\\u001b\\u202e"
	    "%0*d\"}}",
	    2 * (int)SERVER_INSTRUCTIONS_MAX, 0);
	const struct buffer *text;

	make();
	mcp_client_greet(client, 0);
	hear(hello);
	expect(&events, "ready\n");
	text = &mcp_client_said(client)->instructions;
	ck_assert_int_eq(strncmp(text->data, "# Use\n\tall.000", 14), 0);
	ck_assert_uint_le(text->len, SERVER_INSTRUCTIONS_MAX);
	ck_assert_uint_gt(text->len, SERVER_INSTRUCTIONS_MAX - 10);
	mcp_client_free(&client);
}

/* After a bad greeting nothing is heard. */
UNIT_TEST(an_unfit_server_is_not_heard)
{
	make();
	mcp_client_greet(client, 0);
	hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}");
	expect(&events, "unfit: refused \"initialize\": an error without a "
	    "message\n");
	buffer_reset(&said);
	hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
	hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	     "{\"protocolVersion\":\"2024-11-05\"}}");
	expect(&said, "");
	expect(&events, "");
	mcp_client_free(&client);
}

UNIT_TEST(asks_and_is_answered_once)
{
	make_ready();
	ck_assert_uint_eq(ask("", "a"), 2);
	ck_assert_uint_eq(ask("{\"n\":1}", "b"), 3);
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x/y\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x/y\","
	    "\"params\":{\"n\":1}}\n");
	/* Its number may be in quotes. */
	hear("{\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{ \"x\" : 1 }}");
	hear("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
	hear("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{}}");
	hear("{\"id\":3}");
	hear("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\xff}");
	/* The other one may be there as null. */
	hear("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null,\"error\":{}}");
	expect(&events, "b result: { \"x\" : 1 }\na error: {}\n");
	mcp_client_free(&client);
}

UNIT_TEST(forgets_a_cancelled_request)
{
	make_ready();
	ask("", "a");
	ask("", "b");
	buffer_reset(&said);
	mcp_client_cancel(client, 2, "no");
	expect(&said, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":2,"
	    "\"reason\":\"no\"}}\n");
	hear("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	hear("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
	expect(&events, "b result: {}\n");
	mcp_client_free(&client);
}

static const struct {
	const char *params;
	const char *event;
} progresses[] = {
	{ "{\"progressToken\":2,\"progress\":1}", "a progress\n" },
	{ "{\"progress\":1,\"progressToken\":\"2\"}", "a progress\n" },
	{ "{\"progressToken\":2.0}", "a progress\n" },
	/* Of what is no call, of nothing, and of what it might be. */
	{ "{\"progressToken\":3}", "" },
	{ "{\"progressToken\":4}", "" },
	{ "{\"progressToken\":0}", "" },
	{ "{\"progressToken\":null}", "" },
	{ "{\"progressToken\":[2]}", "" },
	{ "{\"progressToken\":2,\"progressToken\":2}", "" },
	{ "{}", "" },
	{ "[2]", "" },
};

UNIT_TESTS(reports_progress, UNIT_COUNT(progresses))
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/progress\",\"params\":%s}", progresses[_i].params);

	make_ready();
	ck_assert_uint_eq(mcp_client_call(client, "tools/call",
	    (struct json_span){ "{\"x\":1}", 7 }, 0, on_answer, (void *)"a"),
	    2);
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/call\",\"params\":{\"x\":1,\"_meta\":"
	    "{\"progressToken\":2}}}\n");
	ck_assert_uint_eq(ask("{}", "b"), 3);
	hear(line);
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}");
	expect(&events, progresses[_i].event);
	hear("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	expect(&events, "a result: {}\n");
	hear(line);
	expect(&events, "");
	mcp_client_free(&client);
	buffer_reset(&said);
}

/* A line above the limit: the ends of it are all there is. */
UNIT_TESTS(reads_the_ends_of_long_lines, 8)
{
	static const struct {
		const char *head;
		const char *tail;
		const char *events;
	} rows[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"", "xxx\"}}",
		  "a broken: it has 20000000 bytes, above the limit "
		  "of 16 MiB\n" },
		{ "{\"result\":{\"", "xxx\"},\"jsonrpc\":\"2.0\",\"id\":2}",
		  "a broken: it has 20000000 bytes, above the limit "
		  "of 16 MiB\n" },
		{ "{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {\"",
		  "xxx\"}}", "a broken: it has 20000000 bytes, above the "
		  "limit of 16 MiB\n" },
		{ "{\"id\": 2, \"result\": {\"", "xxx\"}, \"x\": 1}",
		  "a broken: it has 20000000 bytes, above the limit "
		  "of 16 MiB\n" },
		{ "{\"result\":{\"", "xxx\"},\"id\":2,\"jsonrpc\":\"2.0\"}",
		  "a broken: it has 20000000 bytes, above the limit "
		  "of 16 MiB\n" },
		{ "{\"method\":\"y\",\"params\":{",
		  "xxx\"},\"jsonrpc\":\"2.0\",\"id\":2}", "" },
		{ "log: {\"result\":{", "},\"id\":2}", "" },
		{ "xxx", "xxx", "" },
	};
	auto_free char *head = mem_strdup(rows[_i].head);
	struct line line = { .data = head, .len = strlen(head),
		.oversized = true, .tail = rows[_i].tail,
		.tail_len = strlen(rows[_i].tail), .total = 20000000 };

	make_ready();
	ask("", "a");
	mcp_client_line(client, &line);
	expect(&events, rows[_i].events);
	mcp_client_free(&client);
}

/* What is nested too deeply in a tool costs this tool alone. */
UNIT_TEST(prunes_what_is_too_deep)
{
	auto_buffer struct buffer line = { 0 };
	int n;

	make_ready();
	ask("", "a");
	buffer_add_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[{\"x\":\"]\\\"{\"},{\"x\":");
	for (n = 0; n < JSON_DEPTH_MAX; n++)
		buffer_add_text(&line, "[");
	for (n = 0; n < JSON_DEPTH_MAX; n++)
		buffer_add_text(&line, "]");
	buffer_add_text(&line, "},{\"x\":[[]]}]}}");
	hear(line.data);
	buffer_reset(&line);
	buffer_printf(&line, "a result: {\"tools\":[{\"x\":\"]\\\"{\"},"
	    "{\"x\":\"\"%*s},{\"x\":[[]]}]}\n", 2 * JSON_DEPTH_MAX - 2, "");
	expect(&events, line.data);
	mcp_client_free(&client);
}

/* A line that is no JSON shows whose answer it would be, in any order. */
UNIT_TESTS(finds_the_id_of_what_is_no_json, 8)
{
	static const struct {
		const char *line;
		const char *events;
	} rows[] = {
		{ "{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {\"a\": NaN}}",
		  "a broken: " },
		{ "{\"id\":2,\"result\":{\"a\":NaN},\"jsonrpc\":\"2.0\"}",
		  "a broken: " },
		{ "{\"result\":{\"a\":NaN},\"id\":2,\"jsonrpc\":\"2.0\"}",
		  "a broken: " },
		{ "{\"jsonrpc\":\"2.0\",\"result\":{\"a\":NaN},\"id\":2,"
		  "\"_meta\":{}}", "a broken: " },
		{ "{\"error\": {\"code\": Infinity}, \"id\" : 2}",
		  "a broken: " },
		{ " {\"id\":2,\"result\":{\"a", "a broken: " },
		{ "{\"id\":2,\"method\" : \"x\",\"params\":{\"a\":NaN}}", "" },
		{ "{\"params\":{\"a\":NaN},\"id\":2,\"method\":\"x\"}", "" },
	};

	make_ready();
	ask("", "a");
	hear(rows[_i].line);
	buffer_add_text(&events, "");
	ck_assert_msg(strncmp(events.data, rows[_i].events,
	    strlen(rows[_i].events)) == 0 &&
	    (events.len > 0) == (rows[_i].events[0] != '\0'), "%s: %s",
	    rows[_i].line, events.data);
	mcp_client_free(&client);
}

static uint64_t
call(unsigned int level)
{
	return mcp_client_call(client, "x/y", (struct json_span){ "{}", 2 },
	    level << ASK_CLIENT_LEVEL_SHIFT, on_answer, (void *)"call");
}

/* A call waits until its server has learnt from which level it is to log. */
UNIT_TEST(tells_the_level_that_most_is_logged_at)
{
	make();
	mcp_client_greet(client, 0);
	hear("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
	     "\"2025-11-25\",\"capabilities\":{\"logging\":{}}}}");
	buffer_reset(&said);
	ck_assert_uint_eq(call(0), 2);
	buffer_reset(&said);
	ck_assert_uint_eq(call(4), 0);
	ck_assert_uint_eq(call(0), 0);
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
	    "\"logging/setLevel\",\"params\":{\"level\":\"warning\"}}\n");
	/* It may refuse that. */
	hear("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{}}");
	expect(&events, "ready\n");
	ck_assert_uint_eq(call(4), 4);
	ck_assert_uint_eq(call(8), 5);
	ck_assert_uint_eq(call(1), 0);
	/* Nor need it answer at all. */
	mcp_client_time_out(client, 0);
	ck_assert_uint_eq(call(1), 7);
	mcp_client_free(&client);
	buffer_reset(&said);
}

/* The log has how long such a line was, and why it is of no use. */
UNIT_TEST(logs_nothing_that_a_server_says)
{
	char text[1000] = "";
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	log_init("broker", LOG_LEVEL_DEBUG);
	make_ready();
	hear("the password is 12345");
	hear("{\"password\":12345}");
	ck_assert_int_gt(read(fds[0], text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, "broker: server gh: 21 useless bytes "
	    "(1 times so far): 't' where a value should be, at byte 1\n"
	    "broker: server gh: 18 useless bytes (2 times so far): the "
	    "member \"jsonrpc\" must be \"2.0\"\n");
	mcp_client_free(&client);
}

/* An error without an id is of the only request, where that is clear. */
UNIT_TESTS(an_error_without_an_id, 8)
{
	static const struct {
		const char *line;
		const char *events;
	} rows[] = {
		{ "{\"id\":null,\"error\":{\"code\":-32700}}",
		  "a error: {\"code\":-32700}\n" },
		{ "{\"jsonrpc\":\"2.0\",\"error\":{}}", "a error: {}\n" },
		{ "{\"id\":null,\"error\":\"no\"}",
		  "a broken: its error is not an object\n" },
		{ "{\"id\":null,\"result\":{}}", "" },
		{ "{\"id\":[],\"error\":{}}", "" },
		{ "{\"id\":7,\"error\":{}}", "" },
		/* What simple servers say of notifications/initialized. */
		{ "{\"id\":null,\"error\":{\"code\":-32601}}", "" },
		{ "{\"id\":null,\"error\":{\"code\":-32600}}", "" },
	};

	make_ready();
	hear(rows[_i].line); /* of no request in flight */
	mcp_client_free(&client);
	make_ready();
	ask("", "a");
	hear(rows[_i].line);
	expect(&events, rows[_i].events);
	mcp_client_free(&client);
	make_ready();
	ask("", "a");
	ask("", "b");
	hear(rows[_i].line);
	expect(&events, "");
	mcp_client_free(&client);
}

UNIT_TESTS(a_question_with_a_wrong_id, 4)
{
	static const char *const ids[] = { "null", "{}", "true", "1.5" };
	auto_buffer struct buffer line = { 0 };

	make_ready();
	buffer_reset(&said);
	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,"
	    "\"method\":\"roots/list\"}", ids[_i]);
	hear(line.data);
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
	    "-32600,\"message\":\"the id must be a string or an integer\"}}\n");
	mcp_client_free(&client);
}

UNIT_TEST(handles_a_batch)
{
	make_ready();
	ask("", "a");
	ask("", "b");
	ask("", "c");
	buffer_reset(&said);
	hear("[{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}},7,[],"
	     "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"} ,\r"
	     "[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}],"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}]");
	expect(&events,
	    "c result: {}\na broken: its result is not an object\n");
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n");
	hear("[]");
	hear("[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]");
	expect(&events, "b result: {}\n");
	mcp_client_free(&client);
}

UNIT_TESTS(a_batch_is_bounded, 2)
{
	auto_buffer struct buffer line = { 0 };
	int n;

	make_ready();
	ask("", "a");
	buffer_add_text(&line, "[");
	for (n = 0; n < SERVER_BATCH_MAX - 1 + _i; n++)
		buffer_add_text(&line, "0,");
	buffer_add_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
	hear(line.data);
	expect(&events, _i == 0 ? "a result: {}\n" : "");
	mcp_client_free(&client);
}

/* Of a server that is ready. */
UNIT_TEST(is_asked)
{
	make_ready();
	hear("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ask\"}");
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":"
	    "{\"code\":-32603,\"message\":\"nobody is here\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"a\":1}}\n");
	mcp_client_free(&client);
}

/* Only at the very beginning. */
UNIT_TESTS(skips_a_byte_order_mark, 2)
{
	make();
	mcp_client_greet(client, 0);
	if (_i == 1)
		hear("starting");
	hear("\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	     "{\"protocolVersion\":\"2025-11-25\"}}");
	expect(&events, _i == 0 ? "ready\n" : "");
	mcp_client_free(&client);
}

/* Lets so many requests time out, as unanswered as they are. */
static void
time_out(int count)
{
	for (; count > 0; count--)
		mcp_client_time_out(client, ask("{}", "a"));
}

/* In a row, in which it has not answered anything: then it gets a ping. */
UNIT_TESTS(silence_is_doubted, 5)
{
	static const char *const signs[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":NaN}}",
		/* Of one that is given up: it is only slow. */
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
		/* In brackets, as clang takes it for a missing comma else. */
		("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
		 "\"params\":{\"progressToken\":4}}"),
	};
	static const struct json_span params = { "{}", 2 };

	make_ready();
	time_out(SERVER_SILENCES_MAX - 1);
	ck_assert_uint_eq(mcp_client_call(
	    client, "prompts/list", params, 0, on_answer, "b"), 4);
	hear(signs[_i]);
	buffer_reset(&events);
	time_out(SERVER_SILENCES_MAX - 1);
	ck_assert(!mcp_client_is_silent(client));
	buffer_reset(&said);
	mcp_client_time_out(client, 0);
	expect(&said, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n");
	expect(&events, "silent\n");
	time_out(1);
	ck_assert(mcp_client_is_silent(client));
	/* Neither of these is an answer. */
	hear("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
	hear("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}");
	ck_assert(mcp_client_is_silent(client));
	hear("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
	ck_assert(!mcp_client_is_silent(client));
	expect(&events, "");
	mcp_client_free(&client);
	buffer_reset(&said);
	buffer_reset(&events);
}

/* A ping is not what it is there for. */
UNIT_TEST(a_pong_is_no_use)
{
	make_ready();
	time_out(SERVER_SILENCES_MAX);
	hear("{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32601}}");
	ck_assert(!mcp_client_is_silent(client));
	ck_assert(!mcp_client_said(client)->answered);
	mcp_client_free(&client);
	buffer_reset(&said);
	buffer_reset(&events);
}
