/*
 * Tests of supervisor/front/mcp: what is answered to every line of a client,
 * when, and what is not answered at all. The client, the calls and the
 * configuration are stand-ins.
 */
#include "supervisor/box/language.h"
#include "mcp_play.h"

/* Before initialize */
#define TEMPLATES                                                              \
	"{\"resourceTemplates\":[{\"uriTemplate\":"                            \
	"\"resource://caisson/files/{name}\",\"name\":\"files\","             \
	"\"title\":\"The newest version of a file that code has left in "     \
	"/workspace/out\"}]}"

static const struct exchange early[] = {
	{ REQUEST("1", "\"ping\""), RESULT("1", "{}") "\n" },
	{ REQUEST("1", "\"tools/list\""), NOT_INITIALIZED },
	{ REQUEST("1", "\"resources/list\""), NOT_INITIALIZED },
	{ REQUEST("1", "\"resources/templates/list\""), NOT_INITIALIZED },
	{ REQUEST("1", "\"resources/read\""), NOT_INITIALIZED },
	{ CALL("1", "x"), NOT_INITIALIZED },
	{ REQUEST("1", "\"initialize\""),
	    ERROR("1", "-32602", NO_VERSION) "\n" },
	{ REQUEST("1", "\"initialize\",\"params\":{}"),
	    ERROR("1", "-32602", NO_VERSION) "\n" },
	{ REQUEST("1", "\"initialize\",\"params\":{\"protocolVersion\":1}"),
	    ERROR("1", "-32602", NO_VERSION) "\n" },
	{ REQUEST("1", "\"initialize\",\"params\":[]"),
	    ERROR("1", "-32602", "params must be an object") "\n" },
	{ REQUEST("1", "\"prompts/list\""),
	    ERROR("1", "-32601", "Method not found") "\n" },
	{ "[]", NO_OBJECT "\n" },
	{ "[" REQUEST("1", "\"ping\"") "]", NO_OBJECT "\n" },
	{ CANCEL("1"), "" },
};

START_TEST(before_initialize)
{
	open_session();
	say(early[_i].line);
	answered(early[_i].answer);
	ck_assert_uint_eq(ncalls, 0);
	ck_assert_uint_eq(begun, 0);
	close_session();
}
END_TEST

static const struct exchange versions[] = {
	{ "2025-11-25", "2025-11-25" },
	{ "2025-06-18", "2025-06-18" },
	{ "2025-03-26", "2025-03-26" },
	{ "2024-11-05", "2024-11-05" },
	{ "2025\\u002d06-18", "2025-06-18" },
	{ "2026-07-28", "2025-11-25" },
	{ "1999-01-01", "2025-11-25" },
	{ "", "2025-11-25" },
};

START_TEST(negotiates_a_version)
{
	auto_free char *line = mem_printf(REQUEST("1", "\"initialize\","
	    "\"params\":{\"protocolVersion\":\"%s\"}"), versions[_i].line);
	auto_free char *answer = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"protocolVersion\":\"%s\",", versions[_i].answer);

	open_session();
	say(line);
	ck_assert_int_eq(strncmp(sent.data, answer, strlen(answer)), 0);
	/* Once more is no harm: a client may try again. */
	sent.len = 0;
	say(line);
	ck_assert_int_eq(strncmp(sent.data, answer, strlen(answer)), 0);
	close_session();
}
END_TEST

/* In a session: one line, and all that is answered at once */
static const struct exchange talks[] = {
	/* Not JSON: the id is unknown. */
	{ "garbage", PARSE_ERROR("'g' where a value should be, at byte 1") },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
	    PARSE_ERROR("the text ends where a comma or } should be, at byte "
	    "40") },
	{ REQUEST("1", "\"ping\"") " x",
	    PARSE_ERROR("'x' where the end should be, at byte 42") },
	{ "{} {}", PARSE_ERROR("'{' where the end should be, at byte 4") },
	{ "5 5", PARSE_ERROR("'5' where the end should be, at byte 3") },
	{ "\"\xff\"", PARSE_ERROR("bytes that are not UTF-8 at byte 2") },
	{ "'", PARSE_ERROR("''' where a value should be, at byte 1") },
	{ "\"", PARSE_ERROR("the text ends where the end of a string should "
	    "be, at byte 2") },
	/* Blank lines are ignored. */
	{ "", "" },
	{ " \t\r", "" },
	{ "\r", "" },
	/* JSON, but no request. */
	{ "1", NO_OBJECT "\n" },
	{ "null", NO_OBJECT "\n" },
	{ "[]", NO_OBJECT "\n" },
	{ "[" REQUEST("1", "\"ping\"") "]", NO_OBJECT "\n" },
	{ "{}", ERROR("null", "-32600",
	    "the member \\\"jsonrpc\\\" must be \\\"2.0\\\"") "\n" },
	{ "{\"id\":\"a\",\"method\":\"ping\"}", ERROR("\"a\"", "-32600",
	    "the member \\\"jsonrpc\\\" must be \\\"2.0\\\"") "\n" },
	{ REQUEST("null", "\"ping\""), ERROR("null", "-32600",
	    "the id must be a string or an integer") "\n" },
	/* Answers to what we never asked, and notifications. */
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":7}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", "" },
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":[1]}", "" },
	{ CANCEL("5"), "" },
	{ CANCEL("null"), "" },
	/* Ids come back as the bytes they came in. */
	{ REQUEST("-0", "\"ping\""), RESULT("-0", "{}") "\n" },
	{ REQUEST("\"\\u0000\\ud800\"", "\"ping\""),
	    RESULT("\"\\u0000\\ud800\"", "{}") "\n" },
	{ REQUEST("123456789012345678901234567890", "\"ping\""),
	    RESULT("123456789012345678901234567890", "{}") "\n" },
	/* Methods */
	{ REQUEST("1", "\"pi\\u006eg\",\"params\":{\"_meta\":{}}"),
	    RESULT("1", "{}") "\n" },
	{ REQUEST("1", "\"ping\",\"params\":[]"),
	    ERROR("1", "-32602", "params must be an object") "\n" },
	{ REQUEST("1", "\"notifications/cancelled\""),
	    ERROR("1", "-32601", "Method not found") "\n" },
	{ REQUEST("1", "\"tools/List\""),
	    ERROR("1", "-32601", "Method not found") "\n" },
	{ REQUEST("1", "\"tools/list\",\"params\":{\"cursor\":\"x\"}"),
	    ERROR("1", "-32602", NO_CURSOR) "\n" },
	{ REQUEST("1", "\"resources/list\",\"params\":{\"cursor\":7}"),
	    ERROR("1", "-32602", NO_CURSOR) "\n" },
	{ REQUEST("1", "\"resources/templates/list\","
	    "\"params\":{\"cursor\":null}"),
	    RESULT("1", TEMPLATES) "\n" },
	{ REQUEST("1", "\"resources/templates/list\","
	    "\"params\":{\"cursor\":\"x\"}"),
	    ERROR("1", "-32602", NO_CURSOR) "\n" },
	{ REQUEST("1", "\"resources/templates/list\""),
	    RESULT("1", TEMPLATES) "\n" },
	{ REQUEST("1", "\"resources/read\""),
	    ERROR("1", "-32602", "resources/read needs params.uri, a string")
	    "\n" },
	{ REQUEST("1", "\"resources/read\",\"params\":{\"uri\":1}"),
	    ERROR("1", "-32602", "resources/read needs params.uri, a string")
	    "\n" },
	{ REQUEST("1", "\"resources/read\",\"params\":{\"uri\":"
	    "\"file:///etc/passwd\\u0000\"}"),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002,"
	    "\"message\":\"Resource not found; there is "
	    "resource://caisson/capabilities, and resources/list lists the "
	    "files\",\"data\":{\"uri\":"
	    "\"file:///etc/passwd\\u0000\"}}}\n" },
	/* Calls that are none */
	{ REQUEST("1", "\"tools/call\""),
	    ERROR("1", "-32602", NO_NAME) "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{}"),
	    ERROR("1", "-32602", NO_NAME) "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{\"name\":null}"),
	    ERROR("1", "-32602", NO_NAME) "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{\"name\":\"run_python\","
	    "\"name\":\"run_python\"}"),
	    ERROR("1", "-32602", NO_NAME) "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{\"name\":\"rm\"}"),
	    ERROR("1", "-32602", NO_TOOL) "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{\"name\":\"run_python\"}"),
	    INVALID("1", "code is missing: give the Python source to run as a "
	    "string") "\n" },
	{ REQUEST("1", "\"tools/call\",\"params\":{\"name\":\"run_python\","
	    "\"arguments\":{\"code\":\"x\",\"y\":1}}"),
	    INVALID("1", "unknown argument \\\"y\\\": run_python takes code, "
	    "servers and timeout") "\n" },
	/* A notification asks for nothing, so nothing runs. */
	{ "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":"
	    "\"run_python\",\"arguments\":{\"code\":\"x\"}}}", "" },
};

START_TEST(answers_a_line)
{
	start();
	say(talks[_i].line);
	answered(talks[_i].answer);
	ck_assert_uint_eq(ncalls, 0);
	/* The session lives on. */
	say(REQUEST("\"alive\"", "\"ping\""));
	answered(RESULT("\"alive\"", "{}") "\n");
	close_session();
}
END_TEST

/* An id is kept until its answer, so one of any size would cost memory. */
START_TEST(limits_an_id)
{
	size_t len = CLIENT_ID_MAX - 2 + (size_t)(_i > 0);
	auto_free char *id = mem_alloc(len + 1);
	auto_free char *line = NULL;
	auto_free char *answer = NULL;

	memset(id, 'a', len);
	line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", id,
	    _i < 2 ? "\"method\":\"ping\"" : "\"result\":{}");
	answer = mem_printf(
	    "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{}}\n", id);
	start();
	say(line);
	answered(_i == 0 ? answer : _i == 2 ? "" :
	        ERROR("null", "-32600", "the id is too long") "\n");
	close_session();
}
END_TEST

START_TEST(lists_what_there_is)
{
	static const struct {
		const char *line, *member;
	} lists[] = {
		{ REQUEST("1", "\"tools/list\""), "tools" },
		{ REQUEST("1", "\"resources/list\",\"params\":{}"),
		    "resources" },
		{ REQUEST("1", "\"resources/read\",\"params\":{\"uri\":"
		    "\"resource://caisson/capabilities\"}"), "contents" },
	};
	json_t *json;

	start();
	say(lists[_i].line);
	json = json_loads(sent.data, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(json);
	ck_assert_uint_eq(json_array_size(json_object_get(
	    json_object_get(json, "result"), lists[_i].member)), 1);
	json_decref(json);
	close_session();
}
END_TEST

/* Calls */

START_TEST(runs_a_call)
{
	start();
	say(REQUEST("\"x\"", "\"tools/call\",\"params\":{\"arguments\":{"
	    "\"timeout\":5,\"code\":\"a\\nb\"},\"name\":\"run_python\","
	    "\"_meta\":{\"progressToken\":1}}"));
	answered(""); /* only when it has ended */
	ck_assert_uint_eq(ncalls, 1);
	ck_assert_str_eq(calls[0].run.code, "a\nb");
	ck_assert_uint_eq(calls[0].run.code_len, 3);
	ck_assert_uint_eq(calls[0].run.timeout, 5);
	ck_assert_uint_eq(calls[0].run.servers_len, 0);
	conclude(0, "done");
	answered(PRINTED("\"x\"", "done") "\n");
	close_session();
}
END_TEST

/* Tools that are not in force are unknown; each answers to two names. */
START_TEST(tools_are_those_that_are_in_force)
{
	static const struct {
		const char *name, *arguments, *code;
	} rows[] = {
		{ "run_python", "\"code\":\"a\"", "a" },
		{ "run_code", "\"code\":\"a\",\"language\":\"python\"", "a" },
		{ "sandbox.run_code", "\"language\":\"PY\",\"code\":\"a\"",
		    "a" },
		{ "list_runners", "", NULL },
		{ "sandbox.list_runners", "", NULL },
	};
	unsigned int tool = _i == 0 ? 1 : _i < 3 ? 2 : 4;
	size_t count;
	auto_free char *line = mem_printf(REQUEST("1", "\"tools/call\","
	    "\"params\":{\"name\":\"%s\",\"arguments\":{%s}}"),
	    rows[_i].name, rows[_i].arguments);

	start();
	options.tools = tool;
	say(line);
	ck_assert_uint_eq(ncalls, 1);
	ck_assert_ptr_eq(calls[0].run.language, language_at(0));
	if (rows[_i].code != NULL)
		ck_assert_str_eq(calls[0].run.code, rows[_i].code);
	conclude(0, "3.11.2\n");
	if (rows[_i].code == NULL) {
		ck_assert_ptr_eq(calls[1].run.language, language_at(1));
		conclude(1, "5.2\n");
		answered(RESULT("1", "{\"content\":[{\"type\":\"text\","
		    "\"text\":\"{\\\"languages\\\":[{\\\"language\\\":"
		    "\\\"python\\\",\\\"runtime\\\":\\\"native\\\","
		    "\\\"version\\\":\\\"3.11.2\\\"},{\\\"language\\\":"
		    "\\\"shell\\\",\\\"runtime\\\":\\\"native\\\","
		    "\\\"version\\\":\\\"5.2\\\"}]}\"}],"
		    "\"isError\":false}")
		    "\n");
	}
	count = ncalls;
	sent.len = 0;
	options.tools = 7 & ~tool;
	say(line);
	ck_assert_uint_eq(ncalls, count);
	ck_assert_ptr_nonnull(
	    strstr(sent.data, "Unknown tool: the tools are "));
	close_session();
}
END_TEST

/* What is missing is said, with the reason and what would mend it. */
START_TEST(failing_languages_are_listed)
{
	struct call_result result = { .status = CALL_ERROR,
		.error = (char *)"there is none",
		.unrunnable = 1 };

	start();
	options.tools = 4;
	options.structured = 1;
	say(REQUEST("1", "\"tools/call\",\"params\":"
	    "{\"name\":\"list_runners\"}"));
	conclude_with(0, &result);
	conclude(1, "5.2\n");
	ck_assert_ptr_nonnull(strstr(sent.data, "\"structuredContent\":"
	    "{\"languages\":[{\"language\":\"shell\",\"runtime\":"
	    "\"native\",\"version\":\"5.2\"}],\"missing\":["
	    "{\"language\":\"python\","
	    "\"runtime\":\"native\",\"error\":\"there is none\","
	    "\"fix\":\"set CAISSON_PYTHON"));
	options.structured = 0;
	sent.len = 0;
	say(REQUEST("2", "\"tools/call\",\"params\":"
	    "{\"name\":\"list_runners\",\"arguments\":{\"a\":1}}"));
	answered(INVALID("2", "list_runners takes no arguments: give {}") "\n");
	say(REQUEST("3", "\"tools/call\",\"params\":"
	    "{\"name\":\"list_runners\",\"arguments\":[]}"));
	answered(INVALID("3", "arguments must be an object: list_runners takes "
	    "{}") "\n");
	/* Whether it works is not known. */
	result.unrunnable = 0;
	say(REQUEST("5", "\"tools/call\",\"params\":"
	    "{\"name\":\"list_runners\"}"));
	sent.len = 0;
	conclude_with(2, &result);
	ck_assert_ptr_nonnull(strstr(sent.data, "error: there is none"));
	ck_assert_ptr_null(strstr(sent.data, "missing"));
	sent.len = 0;
	/* Cancelled: no answer, and no further language is tried. */
	say(REQUEST("4", "\"tools/call\",\"params\":"
	    "{\"name\":\"list_runners\"}"));
	say(CANCEL("4"));
	ck_assert_uint_eq(ncalls, 4);
	conclude(3, "x");
	answered("");
	ck_assert_uint_eq(ncalls, 4);
	close_session();
}
END_TEST

/* Answers come as calls end, and what is asked between is answered at once. */
START_TEST(runs_calls_side_by_side)
{
	start();
	say(CALL("1", "one"));
	say(CALL("2", "two"));
	say(CALL("\"1\"", "three"));
	ck_assert_uint_eq(ncalls, 3);
	say(REQUEST("4", "\"ping\""));
	answered(RESULT("4", "{}") "\n");
	conclude(1, "second");
	answered(PRINTED("2", "second") "\n");
	conclude(2, "third");
	conclude(0, "first");
	answered(PRINTED("\"1\"", "third") "\n" PRINTED("1", "first") "\n");
	close_session();
}
END_TEST

START_TEST(an_id_is_used_once_at_a_time)
{
	start();
	say(CALL("1", "one"));
	say(CALL("1", "two"));
	answered(ERROR("1", "-32600",
	    "this id belongs to a request that is still running") "\n");
	ck_assert_uint_eq(ncalls, 1);
	conclude(0, "first");
	answered(PRINTED("1", "first") "\n");
	say(CALL("1", "two"));
	ck_assert_uint_eq(ncalls, 2);
	conclude(1, "second");
	answered(PRINTED("1", "second") "\n");
	close_session();
}
END_TEST

#define CALL_META(id, meta)                                                    \
	REQUEST(id, "\"tools/call\",\"params\":{\"name\":\"run_python\","      \
	    "\"_meta\":" meta ",\"arguments\":{\"code\":\"x\"}}")
#define NOTED(token, rest)                                                     \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","          \
	"\"params\":{\"progressToken\":" token ",\"progress\":" rest "}}\n"

/* Only one with a token has its client hear of progress. */
static const struct exchange tokens[] = {
	{ CALL_META("1", "{\"progressToken\":\"a\\u0000b\"}"),
	    "\"a\\u0000b\"" },
	{ CALL_META("1", "{\"progressToken\":7}"), "7" },
	{ CALL_META("1", "{\"progressToken\":null}"), NULL },
	{ CALL_META("1", "{\"progressToken\":{}}"), NULL },
	{ CALL_META("1", "{\"progressToken\":1,\"progressToken\":2}"), NULL },
	{ CALL_META("1", "{}"), NULL },
	{ CALL_META("1", "7"), NULL },
	{ CALL("1", "x"), NULL },
};

START_TEST(progress_needs_a_token)
{
	struct box_progress progress = { .done = 1000 };
	auto_free char *noted = tokens[_i].answer == NULL ? NULL :
	    mem_printf(NOTED("%s", "1"), tokens[_i].answer);

	start();
	say(tokens[_i].line);
	if (noted == NULL) {
		ck_assert(calls[0].run.progressed == NULL);
	} else {
		calls[0].run.progressed(calls[0].ctx, &progress);
		answered(noted);
	}
	conclude(0, "1");
	answered(PRINTED("1", "1") "\n");
	close_session();
}
END_TEST

/* A token is kept as long as its call, so one of any size would cost memory. */
START_TEST(limits_a_progress_token)
{
	size_t len = CLIENT_ID_MAX - 2 + (size_t)_i;
	auto_free char *token = mem_alloc(len + 1);
	auto_free char *line = NULL;

	memset(token, 'a', len);
	line = mem_printf(
	    CALL_META("1", "{\"progressToken\":\"%s\"}"), token);
	start();
	say(line);
	ck_assert_int_eq(calls[0].run.progressed == NULL, _i > 0);
	conclude(0, "1");
	answered(PRINTED("1", "1") "\n");
	close_session();
}
END_TEST

/* The output so far, with numbers below those of the code. */
START_TEST(progress_has_the_output)
{
	struct box_progress progress = { .output = (char *)"a\0\"\n",
		.output_len = 4 };
	call_progressed *progressed;
	void *ctx;
	int n;

	start();
	say(CALL_META("1", "{\"progressToken\":7}"));
	progressed = calls[0].run.progressed;
	ctx = calls[0].ctx;
	progressed(ctx, &progress);
	answered(NOTED("7", "0.000001,\"message\":\"a\\u0000\\\"\""));
	progress.output_len = 1;
	progressed(ctx, &progress);
	answered(NOTED("7", "0.000002,\"message\":\"a\""));
	for (n = 2; n < 2000; n++)
		progressed(ctx, &progress);
	ck_assert_ptr_nonnull(strstr(sent.data, "0.000998,"));
	ck_assert_ptr_null(strstr(sent.data, "0.000999,"));
	sent.len = 0;
	progress = (struct box_progress){ .total = 5000, .text = "x" };
	progressed(ctx, &progress);
	answered(NOTED("7", "0.000999,\"total\":5,\"message\":\"x\""));
	progress.done = 1;
	progressed(ctx, &progress);
	answered(NOTED("7", "0.001,\"total\":5,\"message\":\"x\""));
	conclude(0, "1");
	sent.len = 0;
	close_session();
}
END_TEST

/* More each time, to one that reads and has not cancelled. */
START_TEST(progress_increases)
{
	struct box_progress progress = { .total = 2500, .text = "a\"b" };
	call_progressed *progressed;
	void *ctx;

	start();
	say(CALL_META("1", "{\"progressToken\":7}"));
	progressed = calls[0].run.progressed;
	ctx = calls[0].ctx;
	progressed(ctx, &progress);
	answered(NOTED("7", "0,\"total\":2.5,\"message\":\"a\\\"b\""));
	progressed(ctx, &progress);
	answered("");
	progress = (struct box_progress){ .done = 1020 };
	client_is_busy = 1;
	progressed(ctx, &progress);
	answered("");
	client_is_busy = 0;
	progressed(ctx, &progress);
	answered(NOTED("7", "1.02"));
	progress.done = 1003;
	progressed(ctx, &progress);
	answered("");
	progress.done = PROGRESS_MAX;
	progressed(ctx, &progress);
	answered(NOTED("7", "1000000000000"));
	say(CANCEL("1"));
	progress.done++;
	progressed(ctx, &progress);
	conclude(0, "1");
	answered("");
	close_session();
}
END_TEST

/* A call that its client cancelled is ended and never answered. */
START_TEST(a_cancelled_call_is_silent)
{
	start();
	say(CALL("1", "one"));
	say(CALL("2", "two"));
	say(CANCEL("3"));     /* unknown */
	say(CANCEL("\"1\"")); /* a string is another id */
	ck_assert_uint_eq(calls[0].cancels + calls[1].cancels, 0);
	say(CANCEL("1"));
	say(CANCEL("1"));
	ck_assert_uint_eq(calls[0].cancels, 1);
	ck_assert_uint_eq(calls[1].cancels, 0);
	ck_assert_str_eq(calls[0].why, "cancelled by the client");
	/* Its id is free again, also while it is being ended. */
	say(CALL("1", "again"));
	ck_assert_uint_eq(ncalls, 3);
	conclude(0, "late");
	answered("");
	conclude(1, "second");
	conclude(2, "third");
	answered(PRINTED("2", "second") "\n" PRINTED("1", "third") "\n");
	say(CANCEL("1")); /* answered already: the usual race */
	answered("");
	close_session();
}
END_TEST

START_TEST(refuses_a_call_with_a_reason)
{
	start();
	calls_refused = 1;
	say(CALL("1", "x"));
	answered(REFUSED("1", "busy: everything is taken") "\n");
	calls_refused = 0;
	client_is_busy = 1;
	say(CALL("2", "x"));
	answered(REFUSED("2", "too many answers are waiting to be read by the "
	    "client") "\n");
	/* What is wrong by itself is said before. */
	say(REQUEST("3", "\"tools/call\",\"params\":{\"name\":\"rm\"}"));
	answered(ERROR("3", "-32602", NO_TOOL) "\n");
	client_is_busy = 0;
	runs.draining = 1;
	say(CALL("4", "x"));
	answered(REFUSED("4", "Caisson is shutting down") "\n");
	ck_assert_uint_eq(ncalls, 0);
	close_session();
}
END_TEST

START_TEST(a_client_that_leaves_ends_its_calls)
{
	start();
	say(CALL("1", "one"));
	say(CALL("2", "two"));
	say(CANCEL("2"));
	mcp_on_end(mcp, MCP_DISCONNECTED);
	ck_assert_uint_eq(calls[0].cancels, 1);
	ck_assert_str_eq(calls[0].why, "the client has disconnected");
	conclude(0, "x");
	conclude(1, "y");
	answered("");
	close_session();
}
END_TEST

/* The program may end before its calls have. */
START_TEST(a_session_may_be_forgotten)
{
	open_session();
	initialize("2025-03-26");
	say(CALL("1", "one"));
	say("[" CALL("2", "two") "," CALL("3", "three") "]");
	ck_assert_uint_eq(ncalls, 3);
	close_session();
	request_reset(&calls[0].run);
	request_reset(&calls[1].run);
	request_reset(&calls[2].run);
}
END_TEST

/* Oversized lines: "head" and "tail" are all that is known of them */

#define TOO_LARGE(id)                                                          \
	ERROR(id, "-32600", "the message has 99999 bytes, more than fit "      \
	    "around the largest code allowed (CAISSON_MAX_CODE, now 1000 "  \
	    "bytes)") "\n"

static const struct {
	const char *head, *tail, *answer;
} oversized[] = {
	{ "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"to", "xx\"}}}",
	    TOO_LARGE("5") },
	{ "{\"method\":\"tools/call\",\"par", "xx\"}},\"id\":\"q\"}",
	    TOO_LARGE("\"q\"") },
	{ "{\"method\":\"tools/call\",\"par", "xx\"}}}", TOO_LARGE("null") },
	{ "{\"jsonrpc\":\"2.0\",\"id\":\"a,b\",\"method\":", "xx\"}}}",
	    TOO_LARGE("\"a,b\"") },
	{ "{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1,\"b\":", "xx\"}}}",
	    TOO_LARGE("null") },
	{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":", "xx\"}}}",
	    TOO_LARGE("null") },
	{ "xxxx", "xxxx", TOO_LARGE("null") },
};

START_TEST(refuses_an_oversized_line)
{
	struct line line = { .data = (char *)oversized[_i].head,
		.len = strlen(oversized[_i].head),
		.oversized = 1,
		.tail = oversized[_i].tail,
		.tail_len = strlen(oversized[_i].tail),
		.total = 99999 };

	start();
	say_lines(&line, 1);
	answered(oversized[_i].answer);
	close_session();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, before_initialize, 0, UNIT_COUNT(early));
	tcase_add_loop_test(
	    tc, negotiates_a_version, 0, UNIT_COUNT(versions));
	tcase_add_loop_test(tc, answers_a_line, 0, UNIT_COUNT(talks));
	tcase_add_loop_test(tc, limits_an_id, 0, 3);
	tcase_add_loop_test(tc, lists_what_there_is, 0, 3);
	tcase_add_test(tc, runs_a_call);
	tcase_add_loop_test(tc, tools_are_those_that_are_in_force, 0, 5);
	tcase_add_test(tc, failing_languages_are_listed);
	tcase_add_test(tc, runs_calls_side_by_side);
	tcase_add_test(tc, an_id_is_used_once_at_a_time);
	tcase_add_loop_test(
	    tc, progress_needs_a_token, 0, UNIT_COUNT(tokens));
	tcase_add_loop_test(tc, limits_a_progress_token, 0, 2);
	tcase_add_test(tc, progress_has_the_output);
	tcase_add_test(tc, progress_increases);
	tcase_add_test(tc, a_cancelled_call_is_silent);
	tcase_add_test(tc, refuses_a_call_with_a_reason);
	tcase_add_test(tc, a_client_that_leaves_ends_its_calls);
	tcase_add_test(tc, a_session_may_be_forgotten);
	tcase_add_loop_test(
	    tc, refuses_an_oversized_line, 0, UNIT_COUNT(oversized));
}

int
main(void)
{
	return unit_run("mcp", add_tests);
}
