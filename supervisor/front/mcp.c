/*
 * One MCP session of the initialize era (2024-11-05 to 2025-11-25): lines in,
 * answers out. Knows the methods, not the transport, and starts nothing
 * itself. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/json.h"
#include "../../common/jsonrpc.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../servers/config.h"
#include "../run/pool.h"
#include "../servers/server_names.h"
#include "../supervisor.h"
#include "../run/run.h"
#include "front.h"

/* Resource not found, in the versions served here (schema 2025-11-25). */
#define MCP_RESOURCE_NOT_FOUND (-32002)

#define MCP_DRAINING "Caisson is shutting down"

/*
 * A JSON-RPC batch, which only version 2025-03-26 has: its answers go out as
 * one array when the last of its requests is answered.
 */
struct mcp_batch {
	struct buffer answers; /* with commas between them */
	size_t open;           /* requests still running, and the reader */
};

/* A tools/call that is not answered yet. */
struct mcp_request {
	LIST_ENTRY(mcp_request) entry;
	struct mcp *mcp;
	struct mcp_batch *batch; /* that it came in, or NULL */
	char *id; /* as it came */
	size_t id_len;
	struct run_python run; /* until it is a call */
	struct config_waiter waiter;
	struct call *call; /* NULL: the configuration is being read */
	int silent; /* its client has cancelled it: no answer */
};

struct mcp {
	struct supervisor *sv;
	struct client *client;
	const char *version; /* negotiated; NULL before initialize */
	struct mcp_batch *batch; /* that is answered to now, or NULL */
	LIST_HEAD(, mcp_request) requests;
	size_t nrequests;
};

/* Newest first: what is offered when the client asks for something else. */
static const char *const mcp_versions[] = {
	"2025-11-25",
	"2025-06-18",
	"2025-03-26",
	"2024-11-05",
};

/* Sends a line, or puts it among the answers of its batch. */
static void
mcp_send(struct mcp *mcp, struct buffer *line)
{
	struct mcp_batch *batch = mcp->batch;

	if (batch == NULL) {
		client_send(mcp->client, line);
		return;
	}
	if (batch->answers.len > 0)
		buffer_add_text(&batch->answers, ",");
	buffer_add(&batch->answers, line->data, line->len - 1);
	buffer_reset(line);
}

static void
mcp_batch_free(struct mcp_batch *batch)
{
	buffer_reset(&batch->answers);
	free(batch);
}

/* One of those who keep a batch open is done with it. */
static void
mcp_batch_release(struct mcp *mcp, struct mcp_batch *batch)
{
	struct buffer line = { 0 };

	if (batch == NULL || --batch->open > 0)
		return;
	if (batch->answers.len > 0)
		buffer_printf(&line, "[%s]\n", batch->answers.data);
	client_send(mcp->client, &line);
	mcp_batch_free(batch);
}

/* Of a message whose id is not known: it is answered with null. */
static const struct json_span mcp_no_id = { NULL, 0 };

static void
mcp_answer_error(struct mcp *mcp, struct json_span id, int code,
    const char *message, const char *data_json)
{
	struct buffer line = { 0 };

	jsonrpc_add_error(&line, id, code, message, data_json);
	mcp_send(mcp, &line);
}

/* Sends result, whose bytes are freed, as the answer to id. */
static void
mcp_answer(struct mcp *mcp, struct json_span id, struct buffer *result)
{
	struct buffer line = { 0 };

	jsonrpc_add_result(&line, id, result->data);
	buffer_reset(result);
	mcp_send(mcp, &line);
}

/* The methods; each answers message->id. */

static void
mcp_on_initialize(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	struct json_span wanted = { NULL, 0 };
	size_t i;

	if (json_span_get(message->params, "protocolVersion", &wanted) == 0 ||
	    json_span_kind(wanted) != JSON_SPAN_STRING) {
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
		    "initialize needs params.protocolVersion, a string such "
		    "as \"2025-11-25\"", NULL);
		return;
	}
	mcp->version = mcp_versions[0];
	for (i = 0; i < sizeof(mcp_versions) / sizeof(mcp_versions[0]); i++)
		if (json_span_is(wanted, mcp_versions[i]))
			mcp->version = mcp_versions[i];
	texts_add_initialize(&result, mcp->version);
	mcp_answer(mcp, message->id, &result);
	pool_begin(mcp->sv->pool);
}

static void
mcp_on_ping(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{}");
	mcp_answer(mcp, message->id, &result);
}

/* Our lists have one page: a cursor can only be one of another server. */
static int
mcp_refuse_cursor(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span cursor;

	if (json_span_get(message->params, "cursor", &cursor) == 0 ||
	    json_span_kind(cursor) == JSON_SPAN_NULL)
		return 0;
	mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
	    "unknown cursor: this list has one page and gives no cursors",
	    NULL);
	return 1;
}

static void
mcp_on_tools_list(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (mcp_refuse_cursor(mcp, message))
		return;
	texts_add_tools(&result, &mcp->sv->options);
	mcp_answer(mcp, message->id, &result);
}

static void
mcp_on_resources_list(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (mcp_refuse_cursor(mcp, message))
		return;
	texts_add_resources(&result);
	mcp_answer(mcp, message->id, &result);
}

static void
mcp_on_templates_list(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (mcp_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resourceTemplates\":[]}");
	mcp_answer(mcp, message->id, &result);
}

static void
mcp_on_resources_read(struct mcp *mcp, const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	auto_buffer struct buffer data = { 0 };
	struct json_span uri;

	if (json_span_get(message->params, "uri", &uri) == 0 ||
	    json_span_kind(uri) != JSON_SPAN_STRING) {
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
		    "resources/read needs params.uri, a string", NULL);
		return;
	}
	if (!json_span_is(uri, TEXTS_CAPABILITIES_URI)) {
		buffer_printf(&data, "{\"uri\":%.*s}", (int)uri.len, uri.p);
		mcp_answer_error(mcp, message->id, MCP_RESOURCE_NOT_FOUND,
		    "Resource not found; there is " TEXTS_CAPABILITIES_URI,
		    data.data);
		return;
	}
	texts_add_capabilities(&result, &mcp->sv->options);
	mcp_answer(mcp, message->id, &result);
}

/* tools/call */

static void
mcp_request_free(struct mcp_request *request)
{
	LIST_REMOVE(request, entry);
	request->mcp->nrequests--;
	run_python_reset(&request->run);
	free(request->id);
	free(request);
}

/* Answers a request, unless it was cancelled, and forgets it. */
static void
mcp_request_answer(struct mcp_request *request, struct buffer *result)
{
	struct mcp *mcp = request->mcp;
	struct json_span id = { request->id, request->id_len };
	struct mcp_batch *before = mcp->batch;

	mcp->batch = request->batch;
	if (!request->silent)
		mcp_answer(mcp, id, result);
	mcp->batch = before;
	mcp_batch_release(mcp, request->batch);
	mcp_request_free(request);
}

static void
mcp_on_concluded(void *ctx, const struct call_result *call_result)
{
	struct mcp_request *request = ctx;
	auto_buffer struct buffer result = { 0 };

	answer_add(&result, call_result, &request->mcp->sv->options);
	mcp_request_answer(request, &result);
}

static void
mcp_refuse_call(struct mcp *mcp, struct json_span id, const char *status,
    const char *message)
{
	struct buffer result = { 0 };

	answer_add_refusal(&result, status, message, &mcp->sv->options);
	mcp_answer(mcp, id, &result);
}

static struct mcp_request *
mcp_find(struct mcp *mcp, struct json_span id)
{
	struct mcp_request *request;

	LIST_FOREACH (request, &mcp->requests, entry)
		if (request->id_len == id.len && !request->silent &&
		    memcmp(request->id, id.p, id.len) == 0)
			return request;
	return NULL;
}

static void
mcp_request_refuse(
    struct mcp_request *request, const char *status, const char *message)
{
	auto_buffer struct buffer result = { 0 };

	answer_add_refusal(
	    &result, status, message, &request->mcp->sv->options);
	mcp_request_answer(request, &result);
}

/* The configuration is what the files say: the request becomes a call. */
static void
mcp_on_configured(void *ctx)
{
	struct mcp_request *request = ctx;
	struct supervisor *sv = request->mcp->sv;
	struct run_python *run = &request->run;
	struct err err;

	if (request->silent)
		mcp_request_refuse(request, "cancelled", "");
	else if (sv->draining)
		mcp_request_refuse(request, "error", MCP_DRAINING);
	else if (server_names_check(run->servers, run->servers_len,
	             sv->config, &err) == -1)
		mcp_request_refuse(request, "validation_error", err.text);
	else if ((request->call = call_new(
	              sv, run, mcp_on_concluded, request, &err)) == NULL)
		mcp_request_refuse(request, "error", err.text);
	if (sv->draining && sv->idle != NULL)
		sv->idle(sv->idle_ctx);
}

/* What run holds is taken over. */
static void
mcp_start_call(
    struct mcp *mcp, struct json_span id, struct run_python *run)
{
	struct mcp_request *request = mem_alloc(sizeof(*request));

	request->mcp = mcp;
	request->id = mem_dup(id.p, id.len);
	request->id_len = id.len;
	request->run = *run;
	request->waiter.ready = mcp_on_configured;
	request->waiter.ctx = request;
	request->batch = mcp->batch;
	if (mcp->batch != NULL)
		mcp->batch->open++;
	LIST_INSERT_HEAD(&mcp->requests, request, entry);
	mcp->nrequests++;
	config_refresh(mcp->sv->config, &request->waiter);
}

static void
mcp_run_python(
    struct mcp *mcp, struct json_span id, struct json_span arguments)
{
	struct run_python run;
	struct err err;

	if (run_python_read(arguments, &mcp->sv->options, &run, &err) == -1)
		mcp_refuse_call(mcp, id, "validation_error", err.text);
	else
		mcp_start_call(mcp, id, &run);
}

/* Returns why no call can be accepted now, or NULL. */
static const char *
mcp_overload(const struct mcp *mcp)
{
	if (mcp->sv->draining)
		return MCP_DRAINING;
	if (client_busy(mcp->client))
		return "too many answers are waiting to be read by the client";
	return NULL;
}

static void
mcp_on_tools_call(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span name = { NULL, 0 };
	struct json_span arguments = { NULL, 0 };
	const char *overload = mcp_overload(mcp);
	int named = json_span_get(message->params, "name", &name);

	json_span_get(message->params, "arguments", &arguments);
	if (named != 1 || json_span_kind(name) != JSON_SPAN_STRING)
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
		    "tools/call needs params.name, a string", NULL);
	else if (!json_span_is(name, TEXTS_TOOL))
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
		    "Unknown tool: the only tool is " TEXTS_TOOL, NULL);
	else if (mcp_find(mcp, message->id) != NULL)
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_REQUEST,
		    "this id belongs to a request that is still running",
		    NULL);
	else if (overload != NULL)
		mcp_refuse_call(mcp, message->id, "error", overload);
	else
		mcp_run_python(mcp, message->id, arguments);
}

/* Which method is answered by whom, and whether before initialize. */
static const struct mcp_method {
	const char *name;
	void (*handle)(struct mcp *mcp, const struct jsonrpc *message);
	int early;
} mcp_methods[] = {
	{ "initialize", mcp_on_initialize, 1 },
	{ "ping", mcp_on_ping, 1 },
	{ "tools/list", mcp_on_tools_list, 0 },
	{ "tools/call", mcp_on_tools_call, 0 },
	{ "resources/list", mcp_on_resources_list, 0 },
	{ "resources/templates/list", mcp_on_templates_list, 0 },
	{ "resources/read", mcp_on_resources_read, 0 },
};

static void
mcp_on_request(struct mcp *mcp, const struct jsonrpc *message)
{
	const struct mcp_method *method = NULL;
	size_t i;

	for (i = 0; i < sizeof(mcp_methods) / sizeof(mcp_methods[0]); i++)
		if (json_span_is(message->method, mcp_methods[i].name))
			method = &mcp_methods[i];
	if (method == NULL)
		mcp_answer_error(mcp, message->id, JSONRPC_METHOD_NOT_FOUND,
		    "Method not found", NULL);
	else if (method->handle == mcp_on_initialize && mcp->batch != NULL)
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_REQUEST,
		    "initialize must not be part of a batch", NULL);
	else if (message->params.len > 0 &&
	    json_span_kind(message->params) != JSON_SPAN_OBJECT)
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_PARAMS,
		    "params must be an object", NULL);
	else if (mcp->version == NULL && !method->early)
		mcp_answer_error(mcp, message->id, JSONRPC_INVALID_REQUEST,
		    "not initialized: send initialize first", NULL);
	else
		method->handle(mcp, message);
}

/* Notifications are never answered; unknown ones are ignored. */
static void
mcp_on_notification(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span id;
	struct mcp_request *request;

	if (!json_span_is(message->method, "notifications/cancelled") ||
	    message->params.len == 0 ||
	    json_span_get(message->params, "requestId", &id) == 0)
		return;
	request = mcp_find(mcp, id);
	if (request == NULL)
		return; /* answered already: the usual race */
	request->silent = 1;
	if (request->call != NULL)
		call_cancel(request->call, "cancelled by the client");
}

static void
mcp_on_message(struct mcp *mcp, struct json_span value)
{
	struct jsonrpc message;
	struct err err;

	jsonrpc_sort(value, &message, &err);
	switch (message.kind) {
	case JSONRPC_REQUEST:
		mcp_on_request(mcp, &message);
		return;
	case JSONRPC_NOTIFICATION:
		mcp_on_notification(mcp, &message);
		return;
	case JSONRPC_RESPONSE:
		log_debug("the client answered something we never asked");
		return;
	case JSONRPC_INVALID:
		mcp_answer_error(mcp, message.id, JSONRPC_INVALID_REQUEST,
		    err.text, NULL);
		return;
	}
}

/* Every message of a batch may ask for an answer that is kept until the end. */
static int
mcp_too_many(struct json_span batch)
{
	struct json_span_walk walk = json_span_walk(batch);
	struct json_span element;
	int n = 0;

	while (json_span_next_element(&walk, &element))
		n++;
	return n > CLIENT_BATCH_MAX;
}

/* Batches: only in the one version that has them, and never empty. */
static void
mcp_on_value(struct mcp *mcp, struct json_span value)
{
	struct json_span_walk walk;
	struct json_span element;
	struct mcp_batch *batch;

	if (json_span_kind(value) != JSON_SPAN_ARRAY || mcp->version == NULL ||
	    strcmp(mcp->version, "2025-03-26") != 0) {
		mcp_on_message(mcp, value);
		return;
	}
	walk = json_span_walk(value);
	if (!json_span_next_element(&walk, &element)) {
		mcp_on_message(mcp, value);
		return;
	}
	if (mcp_too_many(value)) {
		mcp_answer_error(mcp, (struct json_span){ NULL, 0 },
		    JSONRPC_INVALID_REQUEST, "too many messages in one batch: "
		    "send them in several", NULL);
		return;
	}
	batch = mem_alloc(sizeof(*batch));
	batch->open = 1;
	mcp->batch = batch;
	do
		mcp_on_message(mcp, element);
	while (json_span_next_element(&walk, &element));
	mcp->batch = NULL;
	mcp_batch_release(mcp, batch);
}

static void
mcp_on_oversized(struct mcp *mcp, const struct line *line)
{
	struct json_span id = { NULL, 0 };
	auto_free char *message = mem_printf("the message has %zu bytes, "
	    "more than fit around the largest code allowed "
	    "(MCP_BRIDGE_MAX_CODE, now %zu bytes)",
	    line->total, (size_t)mcp->sv->options.max_code);

	if (!jsonrpc_glimpse_id(
	        line->data, line->len, line->tail, line->tail_len, &id))
		id = mcp_no_id;
	mcp_answer_error(mcp, id, JSONRPC_INVALID_REQUEST, message, NULL);
}

static int
mcp_blank(const struct line *line)
{
	size_t i;

	for (i = 0; i < line->len; i++)
		if (line->data[i] != ' ' && line->data[i] != '\t' &&
		    line->data[i] != '\r')
			return 0;
	return 1;
}

static void
mcp_on_line(struct mcp *mcp, const struct line *line)
{
	struct json_span value;
	struct err err;

	if (line->oversized) {
		mcp_on_oversized(mcp, line);
		return;
	}
	if (mcp_blank(line))
		return;
	if (json_span_parse(line->data, line->len, &value, &err) == -1) {
		err_wrap(&err, "Parse error");
		mcp_answer_error(mcp, mcp_no_id, JSONRPC_PARSE_ERROR,
		    err.text, NULL);
		return;
	}
	mcp_on_value(mcp, value);
}

/*
 * What the client saved before it wrote a call is in force for that call, for
 * a look at the files begins after all of these lines have been read, and is
 * forgotten before we return: no line that comes later finds it.
 */
void
mcp_on_lines(struct mcp *mcp, struct lines *lines)
{
	struct line line;

	config_share(mcp->sv->config);
	while (lines_next(lines, &line))
		mcp_on_line(mcp, &line);
	config_forget(mcp->sv->config);
}

void
mcp_on_end(struct mcp *mcp)
{
	struct mcp_request *request;

	LIST_FOREACH (request, &mcp->requests, entry) {
		request->silent = 1;
		if (request->call != NULL)
			call_cancel(request->call, "the client is gone");
	}
}

struct mcp *
mcp_new(struct supervisor *sv, struct client *client)
{
	struct mcp *mcp = mem_alloc(sizeof(*mcp));

	mcp->sv = sv;
	mcp->client = client;
	LIST_INIT(&mcp->requests);
	return mcp;
}

void
mcp_free(struct mcp **mcpp)
{
	struct mcp *mcp = mem_take(mcpp);
	struct mcp_request *request;

	if (mcp == NULL)
		return;
	while ((request = LIST_FIRST(&mcp->requests)) != NULL) {
		if (request->batch != NULL && --request->batch->open == 0)
			mcp_batch_free(request->batch);
		if (request->call == NULL)
			config_cancel(mcp->sv->config, &request->waiter);
		mcp_request_free(request);
	}
	free(mcp);
}
