/*
 * Completion of what a user types (completion/complete): names of files, for
 * the template of their resources.
 */
#include <string.h>

#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "rpc/rpc.h"
#include "answer/answer.h"
#include "resources/output_resource.h"
#include "resources/resource_request.h"

#define COMPLETION_TEMPLATE FILE_LINK_PREFIX "{name}"

/* name of the request is the start of the names; count: how many have it. */
static void
completion_on_listed(void *ctx, const struct file_row *row)
{
	struct resource_request *request = ctx;

	if (strncmp(row->name, request->name, strlen(request->name)) != 0)
		return;
	if (request->count++ >= COMPLETION_VALUES_MAX)
		return;
	if (request->count > 1)
		buffer_add_text(&request->result, ",");
	json_add_text(&request->result, row->name);
}

static void
completion_end(struct resource_request *request, const char *why)
{
	if (why != NULL)
		log_error("files cannot be listed: %s", why);
	buffer_printf(&request->result, "],\"total\":%zu,\"hasMore\":%s}}",
	    request->count, request->count > COMPLETION_VALUES_MAX ?
	    "true" : "false");
	resource_request_answer(request);
}

static void
completion_on_list_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	request->task = NULL;
	completion_end(request, end->why);
	resource_request_go_on(mcp);
}

static void
completion_begin(struct resource_request *request)
{
	struct files *files = request->mcp->runs->peers.files;
	const struct files_user user = { .filed = completion_on_listed,
		.done = completion_on_list_end, .ctx = request };
	struct err err;

	buffer_add_text(&request->result, "{\"completion\":{\"values\":[");
	if (files == NULL || !files_may_hold(files)) {
		completion_end(request, NULL);
		return;
	}
	request->task = files_list(files, request->context.owner->scope, 0, 0,
	    &user, &err);
	if (request->task == NULL)
		completion_end(request, err.text);
}

/* An id of an output is told to its owner only: none is proposed. */
static void
completion_begin_none(struct resource_request *request)
{
	buffer_add_text(&request->result, "{\"completion\":{\"values\":[");
	completion_end(request, NULL);
}

/*
 * Returns whether params refer to this argument of the template; typed: what is
 * typed.
 */
static int
completion_read(struct json_span params, const char *template,
    const char *known, struct json_span *typed)
{
	struct json_span ref, uri, argument, name;

	return json_span_get(params, "ref", &ref) == 1 &&
	    json_span_get(ref, "uri", &uri) == 1 &&
	    json_span_is(uri, template) &&
	    json_span_get(params, "argument", &argument) == 1 &&
	    json_span_get(argument, "name", &name) == 1 &&
	    json_span_is(name, known) &&
	    json_span_get(argument, "value", typed) == 1 &&
	    json_span_kind(*typed) == JSON_SPAN_STRING;
}

void
completion_on_complete(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct resource_request *request;
	struct json_span typed;
	char *start;
	size_t len;
	int output = completion_read(
	    message->params, OUTPUT_RESOURCE_TEMPLATE, "id", &typed);

	if ((!output && !completion_read(message->params, COMPLETION_TEMPLATE,
	                    "name", &typed)) ||
	    (start = json_span_string(typed, &len, NULL)) == NULL) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "completion/complete knows the argument name of the "
		    "resource template " COMPLETION_TEMPLATE ", and needs its "
		    "value, a string", NULL);
		return;
	}
	request = resource_request_new(mcp, context, message,
	    output ? completion_begin_none : completion_begin);
	request->name = start;
	request->cache_ms = ERA_NOT_CACHED;
	resource_request_admit(request);
}
