/*
 * Tests of supervisor/mcp: what is answered to every line of a client, when,
 * and what is not answered at all. The client, the calls and the configuration
 * are stand-ins.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "supervisor/servers/in_force.h"
#include "supervisor/run/pool.h"
#include "supervisor/servers/server_names.h"
#include "supervisor/supervisor.h"
#include "unit.h"
#include "supervisor/run/run.h"
#include "supervisor/front/front.h"

/* Calls: they end when the test says so. */

#define CALLS_MAX 16

struct call {
	struct run_python run;
	call_concluded *concluded;
	void *ctx;
	unsigned int cancels;
	const char *why;
};

static struct call calls[CALLS_MAX];
static unsigned int ncalls;
static int calls_refused;

struct call *
call_new(struct runs *among, struct run_python *run,
    call_concluded *concluded, void *ctx, struct err *err)
{
	struct call *call = &calls[ncalls];

	(void)among;
	if (calls_refused) {
		run_python_reset(run);
		err_set(err, "busy: everything is taken");
		return NULL;
	}
	ck_assert_uint_lt(ncalls, CALLS_MAX);
	ncalls++;
	*call = (struct call){ *run, concluded, ctx, 0, NULL };
	memset(run, 0, sizeof(*run));
	return call;
}

void
call_cancel(struct call *call, const char *why)
{
	call->cancels++;
	call->why = why;
}

/* The n-th call that was started ends with this output. */
static void
conclude(unsigned int n, const char *out)
{
	size_t len = strlen(out);
	struct call_result result = { .status = CALL_SUCCESS,
		.exited = 1,
		.out = { (char *)out, len, len, 0 } };

	ck_assert_uint_lt(n, ncalls);
	run_python_reset(&calls[n].run);
	calls[n].concluded(calls[n].ctx, &result);
}

/* The configuration: read at once, or when the test says so. */

static TAILQ_HEAD(, in_force_waiter) waiters = TAILQ_HEAD_INITIALIZER(waiters);
static int a_config, config_is_slow;
static int shared; /* whether one look at the files does for all who ask */

void
in_force_share(struct in_force *config)
{
	ck_assert_ptr_eq(config, &a_config);
	ck_assert_int_eq(shared, 0);
	shared = 1;
}

void
in_force_forget(struct in_force *config)
{
	ck_assert_ptr_eq(config, &a_config);
	ck_assert_int_eq(shared, 1);
	shared = 0;
}

static void
configure(void)
{
	struct in_force_waiter *waiter;

	while ((waiter = TAILQ_FIRST(&waiters)) != NULL) {
		TAILQ_REMOVE(&waiters, waiter, entry);
		waiter->ready(waiter->ctx);
	}
}

void
in_force_refresh(struct in_force *config, struct in_force_waiter *waiter)
{
	ck_assert_ptr_eq(config, &a_config);
	ck_assert_int_eq(shared, 1);
	TAILQ_INSERT_TAIL(&waiters, waiter, entry);
	if (!config_is_slow)
		configure();
}

void
in_force_cancel(struct in_force *config, struct in_force_waiter *waiter)
{
	ck_assert_ptr_eq(config, &a_config);
	TAILQ_REMOVE(&waiters, waiter, entry);
}

/* There are all servers but one. */
int
server_names_check(const char *names, size_t len, struct in_force *config,
    struct err *err)
{
	ck_assert_ptr_eq(config, &a_config);
	if (len > 0 && strcmp(names, "gone") == 0)
		return err_set(err, "unknown server: %s", names);
	return 0;
}

/* The client: keeps what it is sent. */

static int a_client, client_is_busy;
static struct buffer sent;

static void
on_send(void *client, struct buffer *lines)
{
	ck_assert_ptr_eq(client, &a_client);
	buffer_add(&sent, lines->data, lines->len);
	buffer_reset(lines);
}

static int
on_busy(void *client)
{
	ck_assert_ptr_eq(client, &a_client);
	return client_is_busy;
}

static const struct mcp_door a_door = { on_send, on_busy, &a_client };

/* All executions: are told of a client, when that one has its answer. */

static unsigned int begun;

void
runs_begin(struct runs *among)
{
	(void)among;
	ck_assert_ptr_nonnull(strstr(sent.data, "\"result\":"));
	begun++;
}

/* The session */

static struct options options;
static struct runs runs = { .options = &options };
static struct mcp *mcp;
static int idles;

void
runs_look_drained(struct runs *among)
{
	ck_assert_ptr_eq(among, &runs);
	idles += among->draining;
}

/* In the place of lines.c: the lines that were read at once. */

static const struct line *next_line;
static size_t nlines;

int
lines_next(struct lines *lines, struct line *line)
{
	ck_assert_ptr_null(lines);
	if (nlines == 0)
		return 0;
	*line = *next_line++;
	nlines--;
	return 1;
}

static void
say_lines(const struct line *lines, size_t n)
{
	next_line = lines;
	nlines = n;
	mcp_on_lines(mcp, NULL);
	ck_assert_int_eq(shared, 0);
}

static void
say_bytes(const char *data, size_t len)
{
	struct line line = { .data = (char *)data, .len = len, .total = len };

	say_lines(&line, 1);
}

static void
say(const char *text)
{
	say_bytes(text, strlen(text));
}

/* Everything that was sent since the last time must be exactly this. */
static void
answered(const char *wanted)
{
	buffer_add(&sent, "", 0);
	ck_assert_str_eq(sent.data, wanted);
	sent.len = 0;
}

static void
open_session(void)
{
	options.timeout = 30;
	options.max_timeout = 120;
	options.max_code = 1000;
	options.max_output = 65536;
	runs.config = (struct in_force *)(void *)&a_config;
	mcp = mcp_new(&runs, &a_door);
}

static void
close_session(void)
{
	mcp_free(&mcp);
	mcp_free(&mcp); /* NULL is accepted */
	ck_assert(TAILQ_EMPTY(&waiters));
	buffer_reset(&sent);
}

static void
initialize(const char *version)
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":0,"
	    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
	    "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\","
	    "\"version\":\"1\"}}}", version);

	say(line);
	ck_assert_ptr_nonnull(strstr(sent.data, "\"id\":0,\"result\":"));
	ck_assert_uint_ge(begun, 1);
	sent.len = 0;
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	answered("");
}

static void
start(void)
{
	open_session();
	initialize("2025-11-25");
}

/* Short hands for what goes in and out. */
#define REQUEST(id, rest)                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":" rest "}"
#define CALL(id, code)                                                         \
	REQUEST(id, "\"tools/call\",\"params\":{\"name\":\"run_python\","      \
	    "\"arguments\":{\"code\":\"" code "\"}}")
#define CANCEL(id)                                                             \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":" id "}}"
#define RESULT(id, rest)                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" rest "}"
#define ERROR(id, code, message)                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code         \
	",\"message\":\"" message "\"}}"
#define PRINTED(id, text)                                                      \
	RESULT(id, "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]," \
	    "\"structuredContent\":{\"stdout\":[\"" text "\"]},"               \
	    "\"isError\":false}")
#define REFUSED(id, error)                                                     \
	RESULT(id, "{\"content\":[{\"type\":\"text\",\"text\":\"status: error" \
	    "\\nerror: " error "\"}],\"structuredContent\":{\"status\":"       \
	    "\"error\",\"summary\":\"Sandbox error: " error "\",\"error\":\""  \
	    error "\"},\"isError\":true}")
#define INVALID(id, error)                                                     \
	RESULT(id, "{\"content\":[{\"type\":\"text\",\"text\":\"status: "      \
	    "validation_error\\nerror: " error "\"}],\"structuredContent\":{"  \
	    "\"status\":\"validation_error\",\"summary\":\"" error             \
	    "\",\"error\":\"" error "\"},\"isError\":true}")
#define NOT_INITIALIZED                                                        \
	ERROR("1", "-32600", "not initialized: send initialize first") "\n"
#define PARSE_ERROR(why) ERROR("null", "-32700", "Parse error: " why) "\n"
#define NO_OBJECT ERROR("null", "-32600", "a message must be a JSON object")
#define NO_VERSION "initialize needs params.protocolVersion, a string such as "\
	"\\\"2025-11-25\\\""
#define NO_CURSOR "unknown cursor: this list has one page and gives no cursors"
#define NO_NAME "tools/call needs params.name, a string"
#define NO_TOOL "Unknown tool: the only tool is run_python"

struct exchange {
	const char *line, *answer;
};

/* Before initialize */
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
	/* Not JSON: nobody knows the id. */
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
	    RESULT("1", "{\"resourceTemplates\":[]}") "\n" },
	{ REQUEST("1", "\"resources/templates/list\","
	    "\"params\":{\"cursor\":\"x\"}"),
	    ERROR("1", "-32602", NO_CURSOR) "\n" },
	{ REQUEST("1", "\"resources/templates/list\""),
	    RESULT("1", "{\"resourceTemplates\":[]}") "\n" },
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
	    "resource://caisson/capabilities\",\"data\":{\"uri\":"
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
	mcp_on_end(mcp);
	ck_assert_uint_eq(calls[0].cancels, 1);
	ck_assert_str_eq(calls[0].why, "the client is gone");
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
	run_python_reset(&calls[0].run);
	run_python_reset(&calls[1].run);
	run_python_reset(&calls[2].run);
}
END_TEST

/* Servers, and the time it takes to know which ones there are */

#define CALL_WITH(id, servers)                                                 \
	REQUEST(id, "\"tools/call\",\"params\":{\"name\":\"run_python\","      \
	    "\"arguments\":{\"code\":\"x\",\"servers\":[" servers "]}}")

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

/* The program waits for the reader, but starts nothing for nobody. */
START_TEST(a_client_may_leave_before_there_is_a_call)
{
	open_session();
	initialize("2025-03-26");
	config_is_slow = 1;
	say(CALL("1", "one"));
	say("[" CALL("2", "two") "," REQUEST("3", "\"ping\"") "]");
	mcp_on_end(mcp);
	runs.draining = _i;
	configure();
	ck_assert_uint_eq(ncalls, 0);
	/* Whoever waits for the end is told that nobody is left. */
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

/* Oversized lines: "head" and "tail" are all that is known of them */

#define TOO_LARGE(id)                                                          \
	ERROR(id, "-32600", "the message has 99999 bytes, more than fit "      \
	    "around the largest code allowed (MCP_BRIDGE_MAX_CODE, now 1000 "  \
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
add_waiting(TCase *tc)
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
	tcase_add_test(tc, a_batch_waits_for_the_configuration);
	tcase_add_loop_test(tc, a_batch_may_come_to_nothing, 0, 2);
}

static void
add_tests(TCase *tc)
{
	add_waiting(tc);
	tcase_add_loop_test(tc, before_initialize, 0, UNIT_COUNT(early));
	tcase_add_loop_test(
	    tc, negotiates_a_version, 0, UNIT_COUNT(versions));
	tcase_add_loop_test(tc, answers_a_line, 0, UNIT_COUNT(talks));
	tcase_add_loop_test(tc, lists_what_there_is, 0, 3);
	tcase_add_test(tc, runs_a_call);
	tcase_add_test(tc, runs_calls_side_by_side);
	tcase_add_test(tc, an_id_is_used_once_at_a_time);
	tcase_add_test(tc, a_cancelled_call_is_silent);
	tcase_add_test(tc, refuses_a_call_with_a_reason);
	tcase_add_test(tc, a_client_that_leaves_ends_its_calls);
	tcase_add_test(tc, a_session_may_be_forgotten);
	tcase_add_loop_test(
	    tc, refuses_an_oversized_line, 0, UNIT_COUNT(oversized));
	tcase_add_loop_test(tc, answers_a_batch, 0, UNIT_COUNT(batches));
	tcase_add_test(tc, answers_a_batch_of_calls);
	tcase_add_loop_test(tc, bounds_a_batch, 0, 2);
	tcase_add_test(tc, a_batch_may_end_without_an_answer);
}

int
main(void)
{
	return unit_run("mcp", add_tests);
}
