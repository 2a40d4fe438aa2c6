/*
 * Kept executions and their output as resources: see output_resource.h. Runs in
 * the supervisor; only passes on the bytes of the code.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "../rpc/rpc.h"
#include "output_resource.h"
#include "resource_request.h"

#define OUTPUT_RESOURCE_ERRORS "?stream=stderr"

void
output_resource_add_template(struct buffer *json, const struct options *options)
{
	if (options_output_kept(options) > 0)
		buffer_add_text(json, ",{\"uriTemplate\":\""
		    OUTPUT_RESOURCE_TEMPLATE "\",\"name\":\"output\","
		    "\"title\":\"The whole of an output that was cut in its "
		    "answer, for " LIMIT_TEXT(OUTPUT_KEPT_HOURS) " h; "
		    "?stream=stderr for standard error\","
		    "\"mimeType\":\"text/plain\"}");
	if (options->calls_days > 0)
		buffer_add_text(json, ",{\"uriTemplate\":\""
		    OUTPUT_RESOURCE_CALLS "/{id}\",\"name\":\"call\","
		    "\"title\":\"How a call ended, and its output, also if its "
		    "answer was lost; without /{id}, the last calls\","
		    "\"mimeType\":\"application/json\"}");
}

static void
output_resource_refuse(struct resource_request *request)
{
	resource_request_refuse(request, request->context.era->not_found,
	    request->part == OUTPUT_PART_ALL ?
	    "Resource not found: no call of this client is kept under this id: "
	    OUTPUT_RESOURCE_CALLS " lists those that are" :
	    "Resource not found: no output is kept under this id: output is "
	    "kept for " LIMIT_TEXT(OUTPUT_KEPT_HOURS) " h");
}

/* Appends the text, and how much is missing. */
static void
output_resource_add(
    struct resource_request *request, const struct store_read *read)
{
	auto_buffer struct buffer text = { 0 };
	size_t len = read->len;

	if (len < read->whole)
		len -= utf8_incomplete_tail(read->text, len);
	text.len = utf8_repair(read->text, len,
	    buffer_reserve(&text, UTF8_REPAIR_FACTOR * len));
	if (len < read->whole)
		buffer_printf(&text, "\n[... %llu further bytes: code reads "
		    "them by runtime.output(\"%s\"%s) ...]\n",
		    (unsigned long long)(read->whole - len), request->name,
		    request->part == OUTPUT_PART_ERRORS ? ", \"stderr\"" : "");
	buffer_printf(&request->result, "{\"contents\":[{\"uri\":%.*s,"
	    "\"mimeType\":\"%s\",\"text\":", (int)request->uri_len,
	    request->uri, request->part == OUTPUT_PART_ALL ?
	    "application/json" : "text/plain");
	json_add_string(&request->result, text.data, text.len);
	buffer_add_text(&request->result, "}]}");
}

static void
output_resource_on_read(void *ctx, const struct store_read *read)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;
	auto_free char *why = NULL;

	request->reading = NULL;
	if (read->reason[0] != '\0') {
		why = mem_printf("the output cannot be read: %s", read->reason);
		resource_request_refuse(request, JSONRPC_INTERNAL_ERROR, why);
	} else if (!read->found) {
		output_resource_refuse(request);
	} else {
		output_resource_add(request, read);
		resource_request_answer(request);
	}
	resource_request_go_on(mcp);
}

static void
output_resource_begin(struct resource_request *request)
{
	const struct ipc_read_output question = {
		.execution = request->name,
		.scope = request->context.owner->scope,
		.part = (uint64_t)request->part };
	struct err err;

	request->reading = store_read_output(request->mcp->runs->peers.store,
	    &question, output_resource_on_read, request, &err);
	if (request->reading == NULL)
		resource_request_refuse(
		    request, JSONRPC_INTERNAL_ERROR, err.text);
}

/*
 * Returns the id in a URI, and what of it; empty for the list of all; NULL if
 * there is no such resource.
 */
static char *
output_resource_id(struct json_span uri, enum output_part *part)
{
	size_t len;
	auto_free char *text = json_span_string(uri, &len, NULL);
	const char *id, *query;

	if (text == NULL || strlen(text) != len)
		return NULL;
	if (strcmp(text, OUTPUT_RESOURCE_CALLS) == 0)
		return mem_strdup("");
	id = text + (*part == OUTPUT_PART_ALL ?
	        strlen(OUTPUT_RESOURCE_CALLS "/") :
	        strlen(OUTPUT_RESOURCE_PREFIX));
	query = id + strspn(id, "0123456789abcdef");
	if (*part == OUTPUT_PART_OUT &&
	    strcmp(query, OUTPUT_RESOURCE_ERRORS) == 0)
		*part = OUTPUT_PART_ERRORS;
	else if (*query != '\0')
		return NULL;
	return query - id != EXECUTION_ID_MAX ? NULL :
	    mem_dup(id, EXECUTION_ID_MAX);
}

/* Returns whether a URI, a string of JSON, starts so. */
static int
output_resource_is(struct json_span uri, const char *start)
{
	size_t len = strlen(start);

	return uri.len >= len + 1 && memcmp(uri.p + 1, start, len) == 0;
}

int
output_resource_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri)
{
	const struct options *options = mcp_options(mcp);
	int calls = options->calls_days > 0 &&
	    (output_resource_is(uri, OUTPUT_RESOURCE_CALLS "/") ||
	        output_resource_is(uri, OUTPUT_RESOURCE_CALLS "\""));
	struct resource_request *request;

	if (!calls && (options_output_kept(options) == 0 ||
	        !output_resource_is(uri, OUTPUT_RESOURCE_PREFIX)))
		return 0;
	request = resource_request_new(
	    mcp, context, message, output_resource_begin);
	request->uri = mem_dup(uri.p, uri.len);
	request->uri_len = uri.len;
	request->cache_ms = ERA_NOT_CACHED;
	request->part = calls ? OUTPUT_PART_ALL : OUTPUT_PART_OUT;
	request->name = output_resource_id(uri, &request->part);
	if (request->name == NULL || mcp->runs->peers.store == NULL ||
	    !store_may_hold(mcp->runs->peers.store))
		output_resource_refuse(request);
	else
		resource_request_admit(request);
	return 1;
}
