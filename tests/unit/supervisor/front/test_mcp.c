/*
 * Tests of supervisor/front/mcp: what is answered to every line of a
 * client, when, and what is not answered at all. The client, the calls and the
 * configuration are stand-ins.
 */
#include "supervisor/box/shared/language.h"
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

UNIT_TESTS(before_initialize, UNIT_COUNT(early))
{
	open_session();
	say(early[_i].line);
	answered(early[_i].answer);
	ck_assert_uint_eq(ncalls, 0);
	ck_assert_uint_eq(begun, 0);
	close_session();
}

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

UNIT_TESTS(negotiates_a_version, UNIT_COUNT(versions))
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

UNIT_TESTS(answers_a_line, UNIT_COUNT(talks))
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

/* An id is kept until its answer, so one of any size would cost memory. */
UNIT_TESTS(limits_an_id, 3)
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

UNIT_TESTS(lists_what_there_is, 3)
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

/* Calls */

UNIT_TEST(runs_a_call)
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

/* Tools that are not in force are unknown; each answers to two names. */
UNIT_TESTS(tools_are_those_that_are_in_force, 5)
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
	auto_buffer struct buffer told = { 0 };
	auto_free char *wanted = NULL;
	size_t count;
	unsigned int n;
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
		for (n = 0; language_at(n) != NULL; n++) {
			if (n > 0) {
				ck_assert_ptr_eq(
				    calls[n].run.language, language_at(n));
				conclude(n, "5.2\n");
			}
			buffer_printf(&told, "%s{\\\"language\\\":\\\"%s\\\","
			    "\\\"runtime\\\":\\\"native\\\",\\\"version\\\":"
			    "\\\"%s\\\"}", n > 0 ? "," : "",
			    language_at(n)->name, n > 0 ? "5.2" : "3.11.2");
		}
		wanted = mem_printf(RESULT("1", "{\"content\":[{\"type\":"
		    "\"text\",\"text\":\"{\\\"languages\\\":[%s]}\"}],"
		    "\"isError\":false}") "\n", told.data);
		answered(wanted);
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
