/*
 * What is around supervisor/front/mcp in its tests: the client, the calls and
 * the configuration, all played by the test, and short hands for what is said.
 */
#ifndef TESTS_UNIT_MCP_PLAY_H
#define TESTS_UNIT_MCP_PLAY_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/servers/in_force/in_force.h"
#include "supervisor/box/shared/runtime.h"
#include "supervisor/peers/broker.h"
#include "supervisor/run/pool.h"
#include "supervisor/servers/in_force/server_names.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/run/run.h"
#include "supervisor/front/front.h"

/* Calls: they end when the test says so. */

#define CALLS_MAX 16

struct call {
	struct request run;
	call_concluded *concluded;
	void *ctx;
	unsigned int cancels;
	const char *why;
};

static struct call calls[CALLS_MAX];
static unsigned int ncalls;
static int calls_refused;

struct call *
call_new(struct runs *among, struct request *run,
    call_concluded *concluded, void *ctx, struct err *err)
{
	struct call *call = &calls[ncalls];

	if (calls_refused) {
		request_reset(run);
		err_set(err, "busy: everything is taken");
		return NULL;
	}
	ck_assert_uint_lt(ncalls, CALLS_MAX);
	ncalls++;
	*call = (struct call){ *run, concluded, ctx, 0, NULL };
	memset(run, 0, sizeof(*run));
	return call;
}

/* No server asks anything here. */
void
call_answer(struct call *, struct json_span, const char *)
{
}

void
broker_tell_roots(struct broker *, uint64_t)
{
}

void
call_cancel(struct call *call, const char *why)
{
	call->cancels++;
	call->why = why;
}

/* A call may ask for another one then, from the loop. */
static int concluding;

/* The n-th call that was started ends like this. */
static inline void
conclude_with(unsigned int n, const struct call_result *result)
{
	ck_assert_uint_lt(n, ncalls);
	request_reset(&calls[n].run);
	concluding = 1;
	calls[n].concluded(calls[n].ctx, result);
	concluding = 0;
}

/* The same, with this output. */
static inline void
conclude(unsigned int n, const char *out)
{
	size_t len = strlen(out);
	struct call_result result = { .status = CALL_SUCCESS,
		.exited = 1,
		.out = { (char *)out, len, len, 0 } };

	conclude_with(n, &result);
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

static inline void
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
	ck_assert_int_ne(shared, concluding);
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

int
server_names_any(
    const struct in_force *config, const struct server_texts *allowed)
{
	return 0;
}

void
server_names_settle(char **names, size_t *len, struct in_force *config,
    const struct server_texts *allowed)
{
}

/* There are all servers but one. */
int
server_names_check(const char *names, size_t len, struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err)
{
	ck_assert_ptr_null(allowed);
	ck_assert_int_eq(ours, 1);
	ck_assert_ptr_eq(config, &a_config);
	if (len > 0 && strcmp(names, "gone") == 0)
		return err_set(err, "unknown server: %s", names);
	return 0;
}

/* The client: keeps what it is sent. */

static int a_client, client_is_busy;
static struct buffer sent;

static inline void
on_send(void *client, struct buffer *lines, const struct mcp_about *about)
{
	ck_assert_ptr_eq(client, &a_client);
	buffer_add(&sent, lines->data, lines->len);
	buffer_reset(lines);
}

static inline int
on_busy(void *client)
{
	ck_assert_ptr_eq(client, &a_client);
	return client_is_busy;
}

static int client_is_out_of_reach;

static inline int
on_reaches(void *client, struct json_span)
{
	ck_assert_ptr_eq(client, &a_client);
	return !client_is_out_of_reach;
}

static const struct mcp_door a_door = { on_send, on_busy, &a_client,
	on_reaches };

/* All executions: they begin when a client has its first answer. */

static unsigned int begun;

void
runs_begin(struct runs *among)
{
	ck_assert_ptr_nonnull(strstr(sent.data, "\"result\":"));
	begun++;
}

/* The session */

static struct options options = { .runtime = (char *)"native" };
static const struct runtime a_runtime = { .name = "native" };
static struct boxes boxes = { .runtime = &a_runtime };
static struct runs runs = { .options = &options, .boxes = &boxes };
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

static inline void
say_lines(const struct line *lines, size_t n)
{
	next_line = lines;
	nlines = n;
	mcp_on_lines(mcp, NULL);
	ck_assert_int_eq(shared, 0);
}

static inline void
say_bytes(const char *data, size_t len)
{
	struct line line = { .data = (char *)data, .len = len, .total = len };

	say_lines(&line, 1);
}

static inline void
say(const char *text)
{
	say_bytes(text, strlen(text));
}

/* Everything that was sent since the last time must be exactly this. */
static inline void
answered(const char *wanted)
{
	buffer_add(&sent, "", 0);
	ck_assert_str_eq(sent.data, wanted);
	sent.len = 0;
}

static struct owner an_owner = { .name = "" };

static inline void
open_session(void)
{
	options.tools = 1;
	options.timeout = 30;
	options.max_timeout = 120;
	options.arguments = 7; /* all but files */
	options.max_code = 1000;
	options.max_output = 65536;
	runs.config = (struct in_force *)(void *)&a_config;
	mcp = mcp_new(&runs, &an_owner, &a_door);
}

static inline void
close_session(void)
{
	mcp_free(&mcp);
	mcp_free(&mcp); /* NULL is accepted */
	ck_assert(TAILQ_EMPTY(&waiters));
	buffer_reset(&sent);
}

static inline void
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

static inline void
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
	    "\"isError\":false,\"_meta\":{\"caisson/status\":"                 \
	    "\"success\",\"caisson/exitCode\":0}}")
#define REFUSED(id, error)                                                     \
	RESULT(id, "{\"content\":[{\"type\":\"text\",\"text\":\"status: error" \
	    "\\nerror: " error "\"}],\"isError\":true,"                        \
	    "\"_meta\":{\"caisson/status\":\"error\"}}")
#define INVALID(id, error)                                                     \
	RESULT(id, "{\"content\":[{\"type\":\"text\",\"text\":\"status: "      \
	    "validation_error\\nerror: " error "\"}],\"isError\":true,"        \
	    "\"_meta\":{\"caisson/status\":\"validation_error\"}}")
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

#endif
