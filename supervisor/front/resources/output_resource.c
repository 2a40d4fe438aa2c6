/*
 * Kept output as a resource: see output_resource.h. Runs in the supervisor;
 * only passes on the bytes of the code.
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
output_resource_add_template(
    struct buffer *json, const struct options *options)
{
	if (options_output_kept(options) > 0)
		buffer_add_text(json, ",{\"uriTemplate\":\""
		    OUTPUT_RESOURCE_TEMPLATE "\",\"name\":\"output\","
		    "\"title\":\"The whole of an output that was cut in its "
		    "answer, for 24 h; ?stream=stderr for standard error\","
		    "\"mimeType\":\"text/plain\"}");
}

static void
output_resource_refuse(struct resource_request *request)
{
	resource_request_refuse(request, request->context.era->not_found,
	    "Resource not found: no output is kept under this id: output is "
	    "kept for 24 h if its answer was cut and names its id");
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
		    request->errors ? ", \"stderr\"" : "");
	buffer_printf(&request->result, "{\"contents\":[{\"uri\":%.*s,"
	    "\"mimeType\":\"text/plain\",\"text\":", (int)request->uri_len,
	    request->uri);
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
		.errors = (uint64_t)request->errors };
	struct err err;

	request->reading = store_read_output(request->mcp->runs->peers.store,
	    &question, output_resource_on_read, request, &err);
	if (request->reading == NULL)
		resource_request_refuse(
		    request, JSONRPC_INTERNAL_ERROR, err.text);
}

/* Returns the id in a URI, and which stream; NULL if it has none. */
static char *
output_resource_id(struct json_span uri, int *errors)
{
	size_t len;
	auto_free char *text = json_span_string(uri, &len, NULL);
	char *id, *query;

	if (text == NULL || strlen(text) != len)
		return NULL;
	id = text + strlen(OUTPUT_RESOURCE_PREFIX);
	query = id + strspn(id, "0123456789abcdef");
	*errors = strcmp(query, OUTPUT_RESOURCE_ERRORS) == 0;
	if (query - id != EXECUTION_ID_MAX ||
	    (*query != '\0' && *errors == 0))
		return NULL;
	*query = '\0';
	return mem_strdup(id);
}

int
output_resource_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri)
{
	static const char start[] = "\"" OUTPUT_RESOURCE_PREFIX;
	struct resource_request *request;

	if (options_output_kept(mcp_options(mcp)) == 0 ||
	    uri.len < sizeof(start) ||
	    memcmp(uri.p, start, strlen(start)) != 0)
		return 0;
	request = resource_request_new(
	    mcp, context, message, output_resource_begin);
	request->uri = mem_dup(uri.p, uri.len);
	request->uri_len = uri.len;
	request->cache_ms = ERA_NOT_CACHED;
	request->name = output_resource_id(uri, &request->errors);
	if (request->name == NULL || mcp->runs->peers.store == NULL ||
	    !store_may_hold(mcp->runs->peers.store))
		output_resource_refuse(request);
	else
		resource_request_admit(request);
	return 1;
}
