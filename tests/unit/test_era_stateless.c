/*
 * Tests of supervisor/front/era_stateless: requests that carry their version in
 * _meta, by themselves and among those of a session.
 */
#include "common/limits.h"
#include "mcp_play.h"

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":"
#define CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":"
#define LEVEL "\"io.modelcontextprotocol/logLevel\":"
#define META VERSION "\"2026-07-28\"," CAPABILITIES "{}"
/* A request of this era; more: further members of params. */
#define NEW(id, method, more)                                                  \
	REQUEST(id, "\"" method "\",\"params\":{\"_meta\":{" META "}" more "}")
#define NEW_META(method, meta)                                                 \
	REQUEST("1", "\"" method "\",\"params\":{\"_meta\":{" meta "}}")
#define NEW_CALL(id, code)                                                     \
	NEW(id, "tools/call", ",\"name\":\"run_python\",\"arguments\":"        \
	    "{\"code\":\"" code "\"}")
#define SERVER                                                                 \
	"\"io.modelcontextprotocol/serverInfo\":{\"name\":\"caisson\","        \
	"\"title\":\"Caisson\",\"version\":\"" CAISSON_VERSION "\"}"
#define COMPLETE "\"resultType\":\"complete\","
#define CACHED COMPLETE "\"ttlMs\":300000,\"cacheScope\":\"private\","
#define NEW_PRINTED(id, text)                                                  \
	RESULT(id, "{" COMPLETE "\"content\":[{\"type\":\"text\",\"text\":\""  \
	    text "\"}],\"isError\":false,\"_meta\":{" SERVER                   \
	    ",\"caisson/status\":\"success\",\"caisson/exitCode\":0}}")
#define NO_PAGE ERROR("1", "-32602",                                           \
	"unknown cursor: pass the nextCursor of the page before")
#define NO_COMPLETION ERROR("1", "-32602", "completion/complete knows the "    \
	"argument name of the resource template "                              \
	"resource://caisson/files/{name}, and needs its value, a string")
#define NO_METHOD ERROR("1", "-32601", "Method not found")
#define NO_STRING ERROR("1", "-32602", "_meta needs "                          \
	"io.modelcontextprotocol/protocolVersion, a string")
#define NO_CAPABILITIES ERROR("1", "-32602", "_meta needs "                    \
	"io.modelcontextprotocol/clientCapabilities, an object such as {}")
#define NO_LEVEL ERROR("1", "-32602", "io.modelcontextprotocol/logLevel in "   \
	"_meta must be a level such as \\\"info\\\"")
#define NO_SUCH_VERSION(version)                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,"            \
	"\"message\":\"unsupported protocol version: see data.supported; "     \
	"initialize starts a session of version 2025-11-25 or older\","        \
	"\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"" version    \
	"\"}}}"

/* Each is answered like this, whether there is a session or not. */
static const struct exchange rows[] = {
	/* What _meta must have */
	{ NEW_META("tools/list", VERSION "7," CAPABILITIES "{}"), NO_STRING },
	{ NEW_META("tools/list", VERSION "null"), NO_STRING },
	{ NEW_META("tools/list", META "," VERSION "\"2026-07-28\""),
	    NO_STRING },
	{ NEW_META("tools/list", VERSION "\"2026-07-28\""), NO_CAPABILITIES },
	{ NEW_META("tools/list", VERSION "\"2026-07-28\","
	    CAPABILITIES "[]"), NO_CAPABILITIES },
	{ NEW_META("tools/list", META "," LEVEL "\"loud\""), NO_LEVEL },
	{ NEW_META("tools/list", META "," LEVEL "7"), NO_LEVEL },
	{ NEW_META("tools/list", VERSION "\"2027-01-01\"," CAPABILITIES "{}"),
	    NO_SUCH_VERSION("2027-01-01") },
	{ NEW_META("server/discover", VERSION "\"2025-11-25\","
	    CAPABILITIES "{}"), NO_SUCH_VERSION("2025-11-25") },
	{ NEW_META("no/such", VERSION "\"\\u0000\"," CAPABILITIES "{}"),
	    NO_SUCH_VERSION("\\u0000") },
	/* Methods that this era does not have */
	{ NEW("1", "ping", ""), NO_METHOD },
	{ NEW("1", "initialize", ",\"protocolVersion\":\"2025-11-25\""),
	    NO_METHOD },
	{ NEW("1", "prompts/list", ""), NO_METHOD },
	{ NEW("1", "logging/setLevel", ""), NO_METHOD },
	{ NEW("1", "resources/subscribe", ""), NO_METHOD },
	/* Errors of methods */
	{ NEW("1", "tools/call", ""), ERROR("1", "-32602", NO_NAME) },
	{ NEW("1", "tools/list", ",\"cursor\":\"x\""),
	    ERROR("1", "-32602", NO_CURSOR) },
	{ NEW("1", "resources/list", ",\"cursor\":7"), NO_PAGE },
	{ NEW("1", "resources/list", ",\"cursor\":\"\""), NO_PAGE },
	{ NEW("1", "resources/list", ",\"cursor\":\"abc\""), NO_PAGE },
	{ NEW("1", "resources/list", ",\"cursor\":\"AA==\""), NO_PAGE },
	{ NEW("1", "completion/complete", ""), NO_COMPLETION },
	{ NEW("1", "resources/read", ",\"uri\":\"file:///x\""),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
	    "\"message\":\"Resource not found; there is "
	    "resource://caisson/capabilities, and resources/list lists the "
	    "files\",\"data\":{\"uri\":\"file:///x\"}}}" },
	{ NEW("1", "resources/read",
	    ",\"uri\":\"resource://caisson/files/x\""),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
	    "\"message\":\"Resource not found: no file has this URI; "
	    "resources/list lists them\","
	    "\"data\":{\"uri\":\"resource://caisson/files/x\"}}}" },
	{ NEW("1", "subscriptions/listen", ""), ERROR("1", "-32602",
	    "subscriptions/listen needs params.notifications, an object") },
	/* Results */
	{ NEW("1", "resources/list", ",\"cursor\":\"YQ==\""),
	    RESULT("1", "{" COMPLETE "\"ttlMs\":0,\"cacheScope\":\"private\","
	    "\"_meta\":{" SERVER "},\"resources\":[]}") },
	{ NEW("1", "completion/complete", ",\"ref\":{\"type\":"
	    "\"ref/resource\",\"uri\":\"resource://caisson/files/{name}\"},"
	    "\"argument\":{\"name\":\"name\",\"value\":\"a\"}"),
	    RESULT("1", "{" COMPLETE "\"_meta\":{" SERVER "},"
	    "\"completion\":{\"values\":[],"
	    "\"total\":0,\"hasMore\":false}}") },
	{ NEW("1", "completion/complete", ",\"ref\":{\"type\":"
	    "\"ref/resource\",\"uri\":\"resource://caisson/output/{id}\"},"
	    "\"argument\":{\"name\":\"id\",\"value\":\"\"}"),
	    RESULT("1", "{" COMPLETE "\"_meta\":{" SERVER "},"
	    "\"completion\":{\"values\":[],"
	    "\"total\":0,\"hasMore\":false}}") },
	{ NEW("1", "resources/list", ""), RESULT("1", "{" COMPLETE
	    "\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{" SERVER "},"
	    "\"resources\":[{\"uri\":\"resource://caisson/capabilities\","
	    "\"name\":\"capabilities\",\"title\":\"What code in the box can "
	    "do\",\"mimeType\":\"text/markdown\"}]}") },
	{ NEW_META("resources/templates/list", META "," LEVEL "\"debug\""),
	    RESULT("1", "{" CACHED "\"_meta\":{" SERVER "},"
	    "\"resourceTemplates\":[{\"uriTemplate\":"
	    "\"resource://caisson/files/{name}\",\"name\":\"files\","
	    "\"title\":\"The newest version of a file that code has left in "
	    "/workspace/out\"}]}") },
};

static void
answers_row(int n)
{
	auto_free char *answer = mem_printf("%s\n", rows[n].answer);

	say(rows[n].line);
	answered(answer);
}

START_TEST(answers_without_a_session)
{
	open_session();
	answers_row(_i);
	/* A session can begin afterwards. */
	initialize("2025-11-25");
	say(REQUEST("2", "\"ping\""));
	answered(RESULT("2", "{}") "\n");
	close_session();
}
END_TEST

START_TEST(answers_within_a_session)
{
	start();
	answers_row(_i);
	say(REQUEST("2", "\"ping\""));
	answered(RESULT("2", "{}") "\n");
	close_session();
}
END_TEST

/* Only the claim of a version counts, and it counts for one message. */
static const struct exchange others[] = {
	{ REQUEST("1", "\"tools/list\",\"params\":{\"_meta\":{"
	    CAPABILITIES "{}}}"), NOT_INITIALIZED },
	{ REQUEST("1", "\"tools/list\",\"params\":{\"_meta\":[{" META "}]}"),
	    NOT_INITIALIZED },
	{ REQUEST("1", "\"tools/list\",\"params\":{" META "}"),
	    NOT_INITIALIZED },
	{ REQUEST("1", "\"server/discover\""), NO_METHOD "\n" },
	{ REQUEST("1", "\"subscriptions/listen\""), NO_METHOD "\n" },
};

START_TEST(other_messages_are_of_a_session)
{
	open_session();
	say(NEW("0", "resources/templates/list", ""));
	sent.len = 0;
	say(others[_i].line);
	answered(others[_i].answer);
	close_session();
}
END_TEST

START_TEST(lists_what_there_is)
{
	json_t *json, *result;

	open_session();
	say(NEW("\"a\"", "server/discover", ""));
	json = json_loads(sent.data, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(json);
	ck_assert_str_eq(
	    json_string_value(json_object_get(json, "id")), "a");
	result = json_object_get(json, "result");
	ck_assert_str_eq(json_string_value(json_object_get(result,
	    "resultType")), "complete");
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(
	    result, "supportedVersions"), 0)), "2026-07-28");
	ck_assert_int_eq(json_integer_value(json_object_get(
	    result, "ttlMs")), MCP_CACHE_MS);
	ck_assert(json_is_object(json_object_get(json_object_get(
	    result, "capabilities"), "tools")));
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(
	    result, "instructions")), "run_python"));
	ck_assert_ptr_nonnull(json_object_get(json_object_get(
	    result, "_meta"), "io.modelcontextprotocol/serverInfo"));
	json_decref(json);
	/* The pool may start a box, as after initialize. */
	ck_assert_uint_ge(begun, 1);
	close_session();
}
END_TEST

START_TEST(runs_calls)
{
	open_session();
	say(NEW_CALL("1", "x"));
	say(NEW_CALL("2", "y"));
	say(NEW_CALL("1", "z"));
	answered(ERROR("1", "-32600",
	    "this id belongs to a request that is still running") "\n");
	ck_assert_uint_eq(ncalls, 2);
	say(CANCEL("2"));
	ck_assert_uint_eq(calls[1].cancels, 1);
	conclude(1, "late");
	conclude(0, "one");
	answered(NEW_PRINTED("1", "one") "\n");
	close_session();
}
END_TEST

/* Both on one connection, and calls of both at once */
START_TEST(mixes_with_a_session)
{
	start();
	say(NEW_CALL("1", "new"));
	say(CALL("2", "old"));
	conclude(0, "new");
	conclude(1, "old");
	answered(NEW_PRINTED("1", "new") "\n" PRINTED("2", "old") "\n");
	close_session();
}
END_TEST

START_TEST(is_no_part_of_a_batch)
{
	open_session();
	initialize("2025-03-26");
	say("[" REQUEST("1", "\"ping\"") "," NEW("2", "tools/list", "") "]");
	answered("[" RESULT("1", "{}") "," ERROR("2", "-32600", "a request of "
	    "this version must not be part of a batch") "]\n");
	close_session();
}
END_TEST

#define LISTEN(id, wanted)                                                     \
	NEW(id, "subscriptions/listen", ",\"notifications\":{" wanted "}")
#define NOTE(method, id, more)                                                 \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\","        \
	"\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id\
	"}" more "}}\n"
#define ACKNOWLEDGED(id, wanted)                                               \
	NOTE("subscriptions/acknowledged", id,                                 \
	    ",\"notifications\":{" wanted "}")
#define RESOURCES "\"resourcesListChanged\":true"
#define OVER(id)                                                               \
	RESULT(id, "{" COMPLETE "\"_meta\":{" SERVER                           \
	    ",\"io.modelcontextprotocol/subscriptionId\":" id "}}") "\n"

/* Ends the call n, which has left a file. */
static void
leave_file(unsigned int n)
{
	struct call_file file = { (char *)"a.txt", (char *)"text/plain", 1,
		1, NULL, 0 };
	struct call_result result = { .status = CALL_SUCCESS,
		.exited = 1,
		.files = { &file, 1 } };

	conclude_with(n, &result);
}

START_TEST(reports_changes)
{
	open_session();
	say(LISTEN("1", RESOURCES ",\"toolsListChanged\":true"));
	answered(ACKNOWLEDGED("1", RESOURCES));
	say(LISTEN("\"1\"", "\"resourcesListChanged\":false"));
	answered(ACKNOWLEDGED("\"1\"", ""));
	say(LISTEN("1", ""));
	answered(ERROR("1", "-32600", "this id belongs to a subscription that "
	    "is still open") "\n");
	say(NEW_CALL("2", "x"));
	say(NEW_CALL("3", "x"));
	say(NEW_CALL("4", "x"));
	conclude(0, "x");
	answered(NEW_PRINTED("2", "x") "\n");
	leave_file(1);
	ck_assert_ptr_eq(strstr(sent.data, NOTE("resources/list_changed", "1",
	    "")), sent.data);
	ck_assert_ptr_null(strstr(sent.data, "subscriptionId\":\"1\""));
	sent.len = 0;
	say(CANCEL("1"));
	answered("");
	leave_file(2);
	ck_assert_ptr_null(strstr(sent.data, "list_changed"));
	sent.len = 0;
	mcp_on_drain(mcp);
	answered(OVER("\"1\""));
	mcp_on_drain(mcp);
	answered("");
	close_session();
}
END_TEST

START_TEST(subscriptions_are_bounded)
{
	unsigned int n;

	open_session();
	for (n = 0; n < LISTENS_MAX; n++) {
		auto_free char *line = mem_printf(LISTEN("%u", ""), n);

		say(line);
	}
	sent.len = 0;
	say(LISTEN("99", ""));
	answered(ERROR("99", "-32603",
	    "too many subscriptions are open: cancel one first") "\n");
	say(CANCEL("7"));
	say(LISTEN("99", ""));
	answered(ACKNOWLEDGED("99", ""));
	mcp_on_end(mcp, MCP_DISCONNECTED);
	mcp_on_drain(mcp);
	answered("");
	close_session();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(
	    tc, answers_without_a_session, 0, UNIT_COUNT(rows));
	tcase_add_loop_test(tc, answers_within_a_session, 0, UNIT_COUNT(rows));
	tcase_add_loop_test(
	    tc, other_messages_are_of_a_session, 0, UNIT_COUNT(others));
	tcase_add_test(tc, lists_what_there_is);
	tcase_add_test(tc, runs_calls);
	tcase_add_test(tc, mixes_with_a_session);
	tcase_add_test(tc, is_no_part_of_a_batch);
	tcase_add_test(tc, reports_changes);
	tcase_add_test(tc, subscriptions_are_bounded);
}

int
main(void)
{
	return unit_run("era_stateless", add_tests);
}
