/*
 * A call of a tool, from its line to its only answer: it waits for the
 * configuration, has its request executed, and is cancelled with its client.
 */
#include <sha2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../servers/in_force/in_force.h"
#include "../../servers/in_force/server_names.h"
#include "../answer/answer.h"
#include "tool.h"
#include "../rpc/rpc.h"

/* Over HTTP, a client answers a question on another connection. */
static LIST_HEAD(, tool_call)
    tool_call_all = LIST_HEAD_INITIALIZER(tool_call_all);

struct tool_call *
tool_call_new(struct mcp *mcp, const struct context *context,
    struct json_span id)
{
	struct tool_call *call = mem_alloc(sizeof(*call));

	call->mcp = mcp;
	call->context = *context;
	call->id = mem_dup(id.p, id.len);
	call->id_len = id.len;
	call->batch = rpc_batch_hold(mcp->rpc);
	LIST_INSERT_HEAD(&mcp->calls, call, entry);
	LIST_INSERT_HEAD(&tool_call_all, call, all);
	return call;
}

/* Bytes of a tracestate as JSON; W3C asks for at least 512 of its text. */
#define TOOL_CALL_STATE_MAX 1024

/*
 * Keeps the trace to which the request belongs: traceparent of _meta, of
 * version 00. Another one is no trace (W3C Trace Context, section 3.2). Its
 * tracestate is passed on as it is.
 */
static void
tool_call_read_trace(struct tool_call *call, struct json_span params)
{
	static const char form[] =
	    "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
	struct json_span meta = { NULL, 0 }, trace = { NULL, 0 };
	struct json_span state = { NULL, 0 };
	size_t i, len = 0;

	if (json_span_kind(params) != JSON_SPAN_OBJECT ||
	    json_span_get(params, "_meta", &meta) != 1 ||
	    json_span_kind(meta) != JSON_SPAN_OBJECT ||
	    json_span_get(meta, "traceparent", &trace) != 1 ||
	    trace.len != strlen(form) + 2)
		return;
	for (i = 0; form[i] != '\0'; i++)
		if (form[i] == 'h' ?
		        strchr("0123456789abcdef", trace.p[i + 1]) == NULL :
		        trace.p[i + 1] != form[i])
			return;
	call->trace.parent = mem_dup(trace.p + 1, strlen(form));
	if (json_span_get(meta, "tracestate", &state) == 1 &&
	    state.len <= TOOL_CALL_STATE_MAX)
		call->trace.state = json_span_string(state, &len, NULL);
	for (i = 0; call->trace.state != NULL && i < len; i++)
		if (call->trace.state[i] < ' ' || call->trace.state[i] > '~')
			free(mem_take(&call->trace.state));
}

static void
tool_call_free(struct tool_call *call)
{
	LIST_REMOVE(call, entry);
	LIST_REMOVE(call, all);
	request_reset(&call->request);
	if (call->release != NULL)
		call->release(call->kept);
	free(call->id);
	trace_reset(&call->trace);
	tool_progress_reset(&call->progress);
	question_free(&call->ask);
	buffer_reset(&call->held);
	free(call);
}

void
tool_call_keep(struct tool_call *call, void *kept, void (*release)(void *))
{
	call->kept = kept;
	call->release = release;
}

void
tool_call_answer(struct tool_call *call, struct buffer *result)
{
	struct json_span id = { call->id, call->id_len };

	if (call->id_len == 0 && !call->silent) {
		call->held.data = buffer_take(result, &call->held.len);
		return;
	}
	if (!call->silent)
		call->context.era->complete(result, ERA_NOT_CACHED);
	rpc_batch_answer(call->mcp->rpc, call->batch, id,
	    call->silent ? NULL : result);
	tool_call_free(call);
}

void
tool_call_refuse(
    struct tool_call *call, const char *status, const char *message)
{
	struct answer_style style = answer_style(mcp_options(call->mcp));
	auto_buffer struct buffer result = { 0 };

	answer_add_refusal(&result, status, message, &style);
	tool_call_answer(call, &result);
}

void
tool_call_answer_ran(struct tool_call *call, const struct call_result *ran)
{
	struct answer_style style = answer_style(mcp_options(call->mcp));
	auto_buffer struct buffer result = { 0 };

	/* Over HTTP, requests without a session have only their owner. */
	style.isolation = call->context.era->has_session ?
	    &call->mcp->isolation : &call->context.owner->isolation;
	style.linking = mcp_options(call->mcp)->links &&
	    context_links(&call->context);
	answer_add(&result, ran, &style);
	tool_call_answer(call, &result);
}

/* Returns whether the client reads its answers and waits for one. */
static int
tool_call_listened(const struct tool_call *call)
{
	return !call->silent && !rpc_busy(call->mcp->rpc) && call->id_len > 0;
}

void
tool_call_progress(void *ctx, const struct box_progress *progress)
{
	struct tool_call *call = ctx;
	const struct json_span id = { call->id, call->id_len };
	struct buffer params = { 0 };

	if (call->progress.token != NULL && tool_call_listened(call) &&
	    tool_progress_add(&call->progress, progress, &params))
		rpc_notify(
		    call->mcp->rpc, id, "notifications/progress", &params);
}

/* Identifies a request by what it asks for. */
static void
tool_call_digest(struct json_span params, uint8_t *digest)
{
	struct json_span name = { NULL, 0 }, arguments = { NULL, 0 };
	SHA2_CTX hash;

	json_span_get(params, "name", &name);
	json_span_get(params, "arguments", &arguments);
	SHA256Init(&hash);
	/* The name is a JSON string, whose end is certain. */
	SHA256Update(&hash, (const uint8_t *)name.p, name.len);
	SHA256Update(&hash, (const uint8_t *)arguments.p, arguments.len);
	SHA256Final(digest, &hash);
}

void
tool_call_watch(struct tool_call *call, struct json_span params)
{
	tool_progress_read(&call->progress, params);
	tool_call_read_trace(call, params);
	if (call->context.era->add_input != NULL)
		tool_call_digest(params, call->digest);
}

static void
tool_call_on_concluded(void *ctx, const struct call_result *result)
{
	struct tool_call *call = ctx;

	call->call = NULL;
	if (result->files.count > 0)
		listen_on_files(call->mcp);
	if (call->silent)
		tool_call_answer_ran(call, result);
	else
		call->ran(call, result);
}

/* Questions */

/* Answers the client that its input is needed. */
static void
tool_call_need_input(struct tool_call *call)
{
	struct json_span id = { call->id, call->id_len };
	auto_buffer struct buffer requests = { 0 };
	struct buffer result = { 0 };
	const char *state = question_add_requests(call->ask, &requests);

	call->context.era->add_input(&result, requests.data, state);
	rpc_answer(call->mcp->rpc, id, &result);
	call->id_len = 0;
}

static void
tool_call_on_told(void *ctx, struct json_span results, const char *why)
{
	struct tool_call *call = ctx;
	struct question *ask = mem_take(&call->ask);
	int over = call->held.len > 0;

	/* The client has not repeated its request. */
	if (call->id_len == 0)
		call->silent = true;
	if (over)
		tool_call_answer(call, &call->held);
	else
		call->asked(call, results, why);
	question_free(&ask);
}

/* Returns how many calls of this owner wait for an answer of their client. */
static size_t
tool_call_count_asked(const struct owner *owner)
{
	const struct tool_call *call;
	size_t n = 0;

	LIST_FOREACH (call, &tool_call_all, all)
		n += call->context.owner == owner && call->ask != NULL;
	return n;
}

int
tool_call_ask(struct tool_call *call, const struct question_part *parts,
    size_t count, tool_call_asked *asked, struct err *err)
{
	const struct json_span id = { call->id, call->id_len };

	if (call->context.era->add_input == NULL &&
	    !rpc_reaches(call->mcp->rpc, id))
		return err_set(err, "the client cannot be asked: it does not "
		    "accept text/event-stream, and has no GET stream open");
	call->asked = asked;
	if (call->ask != NULL)
		return question_renew(call->ask, parts, count, err);
	if (tool_call_count_asked(call->context.owner) >= QUESTIONS_MAX)
		return err_set(err, "too many questions are unanswered: "
		    "answer them first");
	call->ask = question_new(
	    call->mcp, parts, count, tool_call_on_told, call);
	if (call->context.era->add_input == NULL)
		question_send(call->ask, id);
	else
		tool_call_need_input(call);
	return 0;
}

/* What servers ask the client of an execution. */

static void
tool_call_on_answered(
    struct tool_call *call, struct json_span results, const char *why)
{
	struct json_span result = { NULL, 0 };

	if (results.len > 0)
		json_span_get(results, "question", &result);
	/* If it has not come back, no one waits for the execution. */
	if (call->call != NULL && call->silent)
		call_cancel(call->call, why);
	else if (call->call != NULL)
		call_answer(call->call, result, why);
}

/* The numbers of a server's reports would not increase beside others. */
void
tool_call_pass(struct tool_call *call, unsigned int kind, const char *line)
{
	const struct json_span id = { call->id, call->id_len };
	auto_free char *text = NULL;
	struct box_progress report = { 0 };
	struct buffer params = { 0 };
	struct json_span value;

	if (!tool_call_listened(call) ||
	    json_span_parse(line, strlen(line), &value, NULL) == -1)
		return;
	if (kind == ASK_CLIENT_LOG) {
		if (call->context.log_level == 0)
			return;
		buffer_add_text(&params, line);
		rpc_notify(
		    call->mcp->rpc, id, "notifications/message", &params);
	} else if (call->progress.told <= 1 &&
	    json_span_get(value, "message", &value) > 0 &&
	    (text = json_span_string(value, &report.output_len, NULL)) !=
	        NULL && report.output_len > 0) {
		report.output = text;
		tool_call_progress(call, &report);
	}
}

static int
tool_call_on_asked(void *ctx, unsigned int kind, const char *params,
    struct err *err)
{
	struct tool_call *call = ctx;
	const struct question_part part = { "question",
		kind == ASK_CLIENT_ROOTS ? "roots/list" :
		kind == ASK_CLIENT_SAMPLING ? "sampling/createMessage" :
		"elicitation/create", params };

	if ((kind & ASK_CLIENT_TELLS) != 0)
		tool_call_pass(call, kind, params);
	else if (kind != 0)
		return tool_call_ask(
		    call, &part, 1, tool_call_on_answered, err);
	/* One that must repeat its request does so for the answer to it. */
	else if (call->id_len > 0)
		question_free(&call->ask);
	else if (call->ask != NULL)
		question_drop(call->ask);
	return 0;
}

void
tool_call_answer_error(struct tool_call *call, int code, const char *message,
    const char *data_json)
{
	rpc_batch_answer_error(call->mcp->rpc, call->batch,
	    (struct json_span){ call->id, call->id_len }, code, message,
	    data_json);
	tool_call_free(call);
}

/* Returns the call of this owner that waits for this request, or NULL. */
static struct tool_call *
tool_call_find_asked(const struct context *context, struct json_span state,
    struct json_span params)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct tool_call *call;

	tool_call_digest(params, digest);
	LIST_FOREACH (call, &tool_call_all, all)
		if (call->ask != NULL && call->id_len == 0 &&
		    call->context.owner == context->owner &&
		    question_is(call->ask, state) &&
		    memcmp(call->digest, digest, sizeof(digest)) == 0)
			return call;
	return NULL;
}

int
tool_call_continue(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span state;
	struct tool_call *call;

	if (context->era->add_input == NULL ||
	    json_span_get(message->params, "requestState", &state) == 0)
		return 0;
	call = tool_call_find_asked(context, state, message->params);
	if (call == NULL) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "unknown requestState: it has expired, or belongs to "
		    "another request", NULL);
		return 1;
	}
	/* The answer goes to the client that has repeated the request. */
	LIST_REMOVE(call, entry);
	LIST_INSERT_HEAD(&mcp->calls, call, entry);
	call->mcp = mcp;
	question_move(call->ask, mcp);
	free(call->id);
	call->id = mem_dup(message->id.p, message->id.len);
	call->id_len = message->id.len;
	call->context = *context;
	tool_progress_read(&call->progress, message->params);
	if (call->held.len > 0)
		tool_call_answer(call, &call->held);
	else if (!question_hear(call->ask, message->params))
		tool_call_need_input(call);
	return 1;
}

/* The configuration is current: the request is executed. */
static void
tool_call_on_configured(void *ctx)
{
	struct tool_call *call = ctx;
	struct runs *runs = call->mcp->runs;
	struct request *request = &call->request;
	struct err err;

	call->waits = false;
	server_names_settle(&request->servers, &request->servers_len,
	    runs->config, request->owner->allowed);
	if (call->silent)
		tool_call_refuse(call, "cancelled", "");
	else if (runs->draining)
		tool_call_refuse(call, "error", TOOLS_DRAINING);
	else if (server_names_check(request->servers, request->servers_len,
	             runs->config, request->owner->allowed,
	             owner_is_user(request->owner), &err) == -1)
		tool_call_refuse(call, "validation_error", err.text);
	else if ((call->call = call_new(runs, request, tool_call_on_concluded,
	              call, &err)) == NULL)
		tool_call_refuse(call, "error", err.text);
}

void
tool_call_run(
    struct tool_call *call, struct request *request, tool_call_ran *ran)
{
	call->request = *request;
	call->request.owner = call->context.owner;
	call->request.progressed =
	    call->progress.token != NULL ? tool_call_progress : NULL;
	call->request.asked = tool_call_on_asked;
	call->request.asks = call->context.capabilities |
	    (call->context.log_level > 0 ? ASK_CLIENT_LOG : 0) |
	    call->context.log_level << ASK_CLIENT_LEVEL_SHIFT |
	    (call->progress.token != NULL ? ASK_CLIENT_PROGRESS : 0);
	call->request.client = call->mcp->number;
	memset(request, 0, sizeof(*request));
	call->request.trace = call->trace;
	call->trace = (struct trace){ 0 };
	call->ran = ran;
	call->waiter.ready = tool_call_on_configured;
	call->waiter.ctx = call;
	call->waits = true;
	in_force_refresh(call->mcp->runs->config, &call->waiter);
}

struct tool_call *
tool_call_find(struct mcp *mcp, struct json_span id)
{
	struct tool_call *call;

	LIST_FOREACH (call, &mcp->calls, entry)
		if (call->id_len == id.len && !call->silent &&
		    memcmp(call->id, id.p, id.len) == 0)
			return call;
	return NULL;
}

void
tool_call_cancel(struct tool_call *call, const char *why)
{
	call->silent = true;
	if (call->call != NULL)
		call_cancel(call->call, why);
	/* What it waits for otherwise will end it. */
	if (call->call != NULL || call->waits)
		question_free(&call->ask);
	else if (call->ask != NULL)
		question_give_up(call->ask, why);
}

void
tool_call_cancel_all(struct mcp *mcp, const char *why)
{
	struct tool_call *call, *next;

	for (call = LIST_FIRST(&mcp->calls); call != NULL; call = next) {
		next = LIST_NEXT(call, entry);
		tool_call_cancel(call, why);
	}
}

void
tool_call_check_asked(struct mcp *mcp)
{
	struct tool_call *call, *next;

	for (call = LIST_FIRST(&mcp->calls); call != NULL; call = next) {
		next = LIST_NEXT(call, entry);
		if (call->ask != NULL && call->context.era->add_input == NULL &&
		    !rpc_reaches(mcp->rpc,
		        (struct json_span){ call->id, call->id_len }))
			question_give_up(call->ask,
			    "the client has closed the stream of the question");
	}
}

void
tool_call_cancel_asked(const struct owner *owner, const char *why)
{
	struct tool_call *call, *next;

	for (call = LIST_FIRST(&tool_call_all); call != NULL; call = next) {
		next = LIST_NEXT(call, all);
		if (call->context.owner == owner && call->ask != NULL &&
		    call->id_len == 0)
			tool_call_cancel(call, why);
	}
}

void
tool_call_forget_all(struct mcp *mcp)
{
	struct tool_call *call;

	while ((call = LIST_FIRST(&mcp->calls)) != NULL) {
		rpc_batch_forget(call->batch);
		if (call->waits)
			in_force_cancel(mcp->runs->config, &call->waiter);
		tool_call_free(call);
	}
}
