/*
 * The methods of MCP about tools: there is one, run_python. A tools/call is a
 * request until its execution is concluded, refused or not wanted any more.
 * Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/mem.h"
#include "../servers/in_force.h"
#include "../servers/server_names.h"
#include "mcp.h"

#define TOOLS_DRAINING "Caisson is shutting down"

/* A tools/call that is not answered yet. */
struct tools_request {
	LIST_ENTRY(tools_request) entry;
	struct mcp *mcp;
	struct rpc_batch *batch; /* that it came in, or NULL */
	char *id; /* as it came */
	size_t id_len;
	struct request run; /* until it is a call */
	struct in_force_waiter waiter;
	struct call *call; /* NULL: the configuration is being read */
	int silent; /* its client has cancelled it: no answer */
};

void
tools_on_list(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (page_refuse_cursor(mcp, message))
		return;
	texts_add_tools(&result, mcp->runs->options);
	rpc_answer(mcp->rpc, message->id, &result);
}

static void
tools_request_free(struct tools_request *request)
{
	LIST_REMOVE(request, entry);
	request_reset(&request->run);
	free(request->id);
	free(request);
}

/* Answers a request, unless it was cancelled, and forgets it. */
static void
tools_request_answer(struct tools_request *request, struct buffer *result)
{
	struct json_span id = { request->id, request->id_len };

	rpc_batch_answer(request->mcp->rpc, request->batch, id,
	    request->silent ? NULL : result);
	tools_request_free(request);
}

static void
tools_on_concluded(void *ctx, const struct call_result *call_result)
{
	struct tools_request *request = ctx;
	auto_buffer struct buffer result = { 0 };

	answer_add(&result, call_result, request->mcp->runs->options);
	tools_request_answer(request, &result);
}

static void
tools_refuse_call(struct mcp *mcp, struct json_span id, const char *status,
    const char *message)
{
	struct buffer result = { 0 };

	answer_add_refusal(&result, status, message, mcp->runs->options);
	rpc_answer(mcp->rpc, id, &result);
}

static struct tools_request *
tools_find(struct mcp *mcp, struct json_span id)
{
	struct tools_request *request;

	LIST_FOREACH (request, &mcp->requests, entry)
		if (request->id_len == id.len && !request->silent &&
		    memcmp(request->id, id.p, id.len) == 0)
			return request;
	return NULL;
}

static void
tools_request_refuse(
    struct tools_request *request, const char *status, const char *message)
{
	auto_buffer struct buffer result = { 0 };

	answer_add_refusal(
	    &result, status, message, request->mcp->runs->options);
	tools_request_answer(request, &result);
}

/* The configuration is what the files say: the request becomes a call. */
static void
tools_on_configured(void *ctx)
{
	struct tools_request *request = ctx;
	struct runs *runs = request->mcp->runs;
	struct request *run = &request->run;
	struct err err;

	if (request->silent)
		tools_request_refuse(request, "cancelled", "");
	else if (runs->draining)
		tools_request_refuse(request, "error", TOOLS_DRAINING);
	else if (server_names_check(run->servers, run->servers_len,
	             runs->config, &err) == -1)
		tools_request_refuse(request, "validation_error", err.text);
	else if ((request->call = call_new(
	              runs, run, tools_on_concluded, request, &err)) == NULL)
		tools_request_refuse(request, "error", err.text);
	runs_look_drained(runs);
}

/* What run holds is taken over. */
static void
tools_start_call(
    struct mcp *mcp, struct json_span id, struct request *run)
{
	struct tools_request *request = mem_alloc(sizeof(*request));

	request->mcp = mcp;
	request->id = mem_dup(id.p, id.len);
	request->id_len = id.len;
	request->run = *run;
	request->waiter.ready = tools_on_configured;
	request->waiter.ctx = request;
	request->batch = rpc_batch_hold(mcp->rpc);
	LIST_INSERT_HEAD(&mcp->requests, request, entry);
	in_force_refresh(mcp->runs->config, &request->waiter);
}

static void
tools_run_python(
    struct mcp *mcp, struct json_span id, struct json_span arguments)
{
	struct request run;
	struct err err;

	if (run_python_read(arguments, mcp->runs->options, &run, &err) == -1)
		tools_refuse_call(mcp, id, "validation_error", err.text);
	else
		tools_start_call(mcp, id, &run);
}

/* Returns why no call can be accepted now, or NULL. */
static const char *
tools_overload(const struct mcp *mcp)
{
	if (mcp->runs->draining)
		return TOOLS_DRAINING;
	if (rpc_busy(mcp->rpc))
		return "too many answers are waiting to be read by the client";
	return NULL;
}

void
tools_on_call(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span name = { NULL, 0 };
	struct json_span arguments = { NULL, 0 };
	const char *overload = tools_overload(mcp);
	int named = json_span_get(message->params, "name", &name);

	json_span_get(message->params, "arguments", &arguments);
	if (named != 1 || json_span_kind(name) != JSON_SPAN_STRING)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "tools/call needs params.name, a string", NULL);
	else if (!json_span_is(name, TEXTS_TOOL))
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "Unknown tool: the only tool is " TEXTS_TOOL, NULL);
	else if (tools_find(mcp, message->id) != NULL)
		rpc_answer_error(mcp->rpc, message->id,
		    JSONRPC_INVALID_REQUEST,
		    "this id belongs to a request that is still running",
		    NULL);
	else if (overload != NULL)
		tools_refuse_call(mcp, message->id, "error", overload);
	else
		tools_run_python(mcp, message->id, arguments);
}

void
tools_on_cancelled(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span id;
	struct tools_request *request;

	if (message->params.len == 0 ||
	    json_span_get(message->params, "requestId", &id) == 0)
		return;
	request = tools_find(mcp, id);
	if (request == NULL)
		return; /* answered already: the usual race */
	request->silent = 1;
	if (request->call != NULL)
		call_cancel(request->call, "cancelled by the client");
}

void
tools_cancel_all(struct mcp *mcp)
{
	struct tools_request *request;

	LIST_FOREACH (request, &mcp->requests, entry) {
		request->silent = 1;
		if (request->call != NULL)
			call_cancel(request->call, "the client is gone");
	}
}

void
tools_forget_all(struct mcp *mcp)
{
	struct tools_request *request;

	while ((request = LIST_FIRST(&mcp->requests)) != NULL) {
		rpc_batch_forget(request->batch);
		if (request->call == NULL)
			in_force_cancel(mcp->runs->config, &request->waiter);
		tools_request_free(request);
	}
}
