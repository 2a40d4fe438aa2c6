/*
 * Tests of supervisor/front/tools/question: questions to a client while it
 * waits for the answer to a call, in both eras.
 */
#include <string.h>

#include "common/base/loop.h"
#include "supervisor/front/rpc/rpc.h"
#include "supervisor/front/tools/tool.h"
#include "tests/fuzz/front_play.h"
#include "tests/unit/unit.h"

static struct mcp *mcp;
static struct lines *lines;

static void
say(const char *text)
{
	play_say(mcp, lines, text, strlen(text));
	play_say(mcp, lines, "\n", 1);
}

/* Everything that was sent since the last time must be exactly this. */
static void
answered(const char *wanted)
{
	buffer_add(&play_sent, "", 0);
	ck_assert_str_eq(play_sent.data, wanted);
	play_sent.len = 0;
}

static void
initialize(const char *version)
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":0,"
	    "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
	    "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\","
	    "\"version\":\"1\"}}}", version);

	say(line);
	ck_assert_ptr_nonnull(strstr(play_sent.data, "\"id\":0,\"result\":"));
	play_sent.len = 0;
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	answered("");
}

/* Short hands for what goes in and out. */
#define REQUEST(id, rest)                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":" rest "}"
#define CANCEL(id)                                                             \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":" id "}}"
#define RESULT(id, rest)                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" rest "}"
#define ERROR(id, code, message)                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code         \
	",\"message\":\"" message "\"}}"

#define METHOD "elicitation/create"
#define PARAMS "{\"message\":\"sure?\"}"
#define ASKED                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" METHOD "\","           \
	"\"params\":" PARAMS "}\n"
#define WITHDRAWN                                                              \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","         \
	"\"params\":{\"requestId\":1}}\n"
#define META                                                                   \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"              \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{"      \
	"\"elicitation\":{}}}"
#define CALLED(code)                                                           \
	"\"name\":\"run_python\",\"arguments\":{\"code\":\"" code "\"}"
#define SERVER                                                                 \
	"\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":"         \
	"\"caisson\",\"title\":\"Caisson\",\"version\":\"" CAISSON_VERSION     \
	"\"}}"
#define DONE_OLD(id) RESULT(id, "{\"a\":1}") "\n"
#define DONE_NEW(id)                                                           \
	RESULT(id, "{\"resultType\":\"complete\"," SERVER ",\"a\":1}") "\n"

/* The timer that was set last, whose end the test says. */
static struct event *timer;
static uint64_t timer_ms;

void __wrap_loop_set_timer(struct event *set, uint64_t ms);

void
__wrap_loop_set_timer(struct event *set, uint64_t ms)
{
	timer = set;
	timer_ms = ms;
}

static struct tool_call *call;
static struct buffer told;
static int ends; /* an answer, or none, ends the call */
static char state[100];

static void
on_asked(struct tool_call *asked, struct json_span result, const char *why)
{
	ck_assert_ptr_eq(asked, call);
	buffer_printf(&told, "%.*s%s\n", (int)result.len,
	    result.len > 0 ? result.p : "", why != NULL ? why : "");
	if (ends)
		tool_call_refuse(asked, "error", "ended");
}

static void
was_told(const char *wanted)
{
	buffer_add(&told, "", 0);
	ck_assert_str_eq(told.data, wanted);
	told.len = 0;
}

static void
finish(void)
{
	auto_buffer struct buffer result = { 0 };

	buffer_add_text(&result, "{\"a\":1}");
	tool_call_answer(call, &result);
}

static struct json_span
span(const char *json)
{
	struct json_span value;

	ck_assert_int_eq(json_span_parse(json, strlen(json), &value, NULL), 0);
	return value;
}

static int
ask_one(const char *method, const char *params, struct err *err)
{
	const struct question_part part = { "1", method, params };

	return tool_call_ask(call, &part, 1, on_asked, err);
}

/* Begins a call with this context, and asks. */
static void
ask_in(const struct context *context, const char *id, const char *params)
{
	struct err err;

	call = tool_call_new(mcp, context, span(id));
	tool_call_watch(call, span(params));
	ck_assert_int_eq(ask_one(METHOD, PARAMS, &err), 0);
}

static void
open_all(void)
{
	play_runs.base = loop_new(0);
	lines = lines_new(PLAY_LINE);
	mcp = play_open();
}

static void
close_all(void)
{
	play_conclude();
	mcp_free(&mcp);
	lines_free(&lines);
	event_base_free(play_runs.base);
	buffer_reset(&play_sent);
	buffer_reset(&told);
}

/* A session whose client can be asked. */
static void
open_old(void)
{
	open_all();
	say(REQUEST("0", "\"initialize\",\"params\":{\"protocolVersion\":"
	    "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}"));
	play_sent.len = 0;
	ask_in(&mcp->session, "7", "{" CALLED("x") "}");
	answered(ASKED);
}

UNIT_TEST(an_answer_without_a_result_is_an_error)
{
	open_old();
	say("{\"jsonrpc\":\"2.0\",\"id\":1}");
	was_told("the client answered the question with an error\n");
	finish();
	answered(DONE_OLD("7"));
	close_all();
}

/* A question whose answer is not needed any more is withdrawn. */
UNIT_TESTS(withdraws_a_question, 3)
{
	open_old();
	ends = 1;
	if (_i == 0) {
		finish();
		answered(DONE_OLD("7") WITHDRAWN);
	} else if (_i == 1) {
		say(CANCEL("7"));
		answered(WITHDRAWN);
		was_told("cancelled by the client\n");
	} else {
		mcp_on_end(mcp, MCP_DISCONNECTED);
		was_told("the client has disconnected\n");
		play_sent.len = 0;
	}
	say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	was_told("");
	close_all();
}

UNIT_TEST(asks_one_thing_at_a_time)
{
	struct err err;

	open_old();
	ck_assert_int_eq(ask_one(METHOD, PARAMS, &err), -1);
	ck_assert_str_eq(err.text, "the client is already being asked");
	tool_call_answer_error(call, 5, "no roots", NULL);
	answered(ERROR("7", "5", "no roots") "\n" WITHDRAWN);
	close_all();
}

/* Without sessions */

/* Answers that input is needed; remembers the state. */
static void
expect_input(const char *id)
{
	auto_free char *start = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
	    "\"result\":{\"resultType\":\"input_required\","
	    "\"inputRequests\":{\"1\":{\"method\":\"" METHOD "\",\"params\":"
	    PARAMS "}},\"requestState\":\"", id);
	size_t len = strlen(start);
	const char *end;

	buffer_add(&play_sent, "", 0);
	ck_assert_int_eq(strncmp(play_sent.data, start, len), 0);
	end = strchr(play_sent.data + len, '"');
	ck_assert_ptr_nonnull(end);
	ck_assert_str_eq(end, "\"," SERVER "}}\n");
	snprintf(state, sizeof(state), "%.*s",
	    (int)(end - play_sent.data - (long)len), play_sent.data + len);
	ck_assert_uint_ge(strlen(state), 32);
	play_sent.len = 0;
}

static void
open_new(void)
{
	const struct context context = { &play_owner, &era_stateless,
		"2026-07-28", ASK_CLIENT_FORM, 0 };

	open_all();
	ask_in(&context, "7", "{" CALLED("x") "," META "}");
	expect_input("7");
}

/* The client repeats its request, with this code, state and more. */
static void
repeat(const char *id, const char *code, const char *with, const char *more)
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
	    "\"method\":\"tools/call\",\"params\":{\"name\":\"run_python\","
	    "\"arguments\":{\"code\":\"%s\"}," META ",\"requestState\":\"%s\""
	    "%s}}", id, code, with, more);

	say(line);
}

#define RESPONSES(rest) ",\"inputResponses\":{" rest "}"

UNIT_TEST(asks_without_a_session)
{
	open_new();
	/* Without the answer it is asked again. */
	repeat("8", "x", state, "");
	expect_input("8");
	repeat("9", "x", state, RESPONSES("\"2\":{},\"1\":7"));
	expect_input("9");
	was_told("");
	repeat("\"a\"", "x", state,
	    RESPONSES("\"1\":{\"action\":\"decline\"},\"2\":{}"));
	was_told("{\"1\":{\"action\":\"decline\"}}\n");
	answered("");
	ck_assert_uint_eq(play_ncalls, 0);
	/* It is under way now, and cannot be continued again. */
	repeat("10", "x", state, RESPONSES("\"1\":{}"));
	ck_assert_ptr_nonnull(strstr(play_sent.data, "unknown requestState"));
	play_sent.len = 0;
	finish();
	answered(DONE_NEW("\"a\""));
	close_all();
}

/* It was dropped before the client came back. */
UNIT_TEST(was_dropped_meanwhile)
{
	open_new();
	question_drop(call->ask);
	repeat("9", "x", state, RESPONSES("\"1\":{\"old\":1}"));
	was_told("it was dropped\n");
	answered("");
	finish();
	answered(DONE_NEW("9"));
	close_all();
}

/* A client that never answers, or never comes back. */
UNIT_TESTS(gives_up_at_the_end, 3)
{
	if (_i == 0)
		open_old();
	else
		open_new();
	if (_i == 2)
		question_drop(call->ask);
	ck_assert_uint_eq(timer_ms, QUESTION_MS);
	event_active(timer, EV_TIMEOUT, 0);
	event_base_loop(play_runs.base, EVLOOP_NONBLOCK);
	was_told("the client did not answer in time\n");
	answered(_i == 0 ? WITHDRAWN : "");
	ck_assert_int_eq(call->silent, _i > 0);
	finish();
	close_all();
}

/* Only the same request of the same client, and nothing that was guessed. */
UNIT_TESTS(continues_only_what_it_asked, 4)
{
	auto_free char *guess = NULL;

	open_new();
	guess = mem_strdup(state);
	guess[5] = guess[5] == '0' ? '1' : '0';
	if (_i == 0)
		repeat("8", "x", guess, RESPONSES("\"1\":{}"));
	else if (_i == 1)
		repeat("8", "y", state, RESPONSES("\"1\":{}"));
	else if (_i == 2)
		repeat("8", "x", "", RESPONSES("\"1\":{}"));
	else
		repeat("8", "x", "\\u0000", "");
	answered(ERROR("8", "-32602", "unknown requestState: it has expired, "
	    "or belongs to another request") "\n");
	was_told("");
	ck_assert_uint_eq(play_ncalls, 0);
	/* In a session it has no meaning. */
	initialize("2025-11-25");
	say(REQUEST("1", "\"tools/call\",\"params\":{" CALLED("x")
	    ",\"requestState\":\"x\"}"));
	ck_assert_uint_eq(play_ncalls, 1);
	close_all();
}

/* Several parts */

static const struct question_part two[] = { { "a", METHOD, PARAMS },
	{ "b", METHOD, "{\"message\":\"really?\"}" } };

/* One answer is not enough: both are asked for again. */
UNIT_TEST(asks_two_things_without_a_session)
{
	const struct context context = { &play_owner, &era_stateless,
		"2026-07-28", ASK_CLIENT_FORM, 0 };
	struct err err;
	const char *p;
	int i;

	open_all();
	call = tool_call_new(mcp, &context, span("7"));
	tool_call_watch(call, span("{" CALLED("x") "," META "}"));
	ck_assert_int_eq(tool_call_ask(call, two, 2, on_asked, &err), 0);
	for (i = 0; i < 2; i++) {
		p = strstr(play_sent.data, "\"requestState\":\"");
		ck_assert_ptr_nonnull(p);
		snprintf(state, sizeof(state), "%.*s",
		    (int)strcspn(p + 16, "\""), p + 16);
		ck_assert_ptr_nonnull(
		    strstr(play_sent.data, "{\"a\":{\"method\":"));
		play_sent.len = 0;
		if (i == 0)
			repeat("8", "x", state, RESPONSES("\"b\":{}"));
	}
	repeat("9", "x", state, RESPONSES("\"b\":{},\"a\":{\"y\":2}"));
	was_told("{\"a\":{\"y\":2},\"b\":{}}\n");
	finish();
	answered(DONE_NEW("9"));
	close_all();
}

/* Its token was revoked: the next one of this name cannot continue it. */
UNIT_TEST(ends_when_its_owner_is_revoked)
{
	static const struct owner another = { .name = "another" };

	open_new();
	ends = 1;
	tool_call_cancel_asked(&another, "revoked");
	was_told("");
	tool_call_cancel_asked(&play_owner, "revoked");
	was_told("revoked\n");
	ck_assert_int_eq(mcp_idle(mcp), 1);
	play_sent.len = 0;
	repeat("8", "x", state, RESPONSES("\"1\":{}"));
	was_told("");
	buffer_add(&play_sent, "", 0);
	ck_assert_ptr_nonnull(
	    strstr(play_sent.data, "\"message\":\"unknown requestState"));
	close_all();
}

UNIT_TEST(bounds_the_unanswered_questions)
{
	const struct context context = { &play_owner, &era_stateless,
		"2026-07-28", ASK_CLIENT_FORM, 0 };
	struct err err;
	char id[16];
	int i;

	open_all();
	for (i = 0; i <= QUESTIONS_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		call = tool_call_new(mcp, &context, span(id));
		tool_call_watch(call, span("{" CALLED("x") "," META "}"));
		ck_assert_int_eq(ask_one(METHOD, PARAMS, &err),
		    i < QUESTIONS_MAX ? 0 : -1);
	}
	ck_assert_str_eq(err.text, "too many questions are unanswered: "
	    "answer them first");
	play_sent.len = 0;
	finish();
	answered(DONE_NEW("64"));
	close_all();
}
