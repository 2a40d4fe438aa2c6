/*
 * The methods of MCP about resources: what Caisson can do, and the files that
 * code has left, which another process keeps. Runs in the supervisor.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base64.h"
#include "../../common/json.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../peers/files.h"
#include "file_link.h"
#include "mcp.h"

/* Resource not found, in the versions served here (schema 2025-11-25). */
#define RESOURCES_NOT_FOUND (-32002)

/* A request that waits for files. */
struct resource_request {
	LIST_ENTRY(resource_request) entry;
	struct mcp *mcp;
	struct rpc_batch *batch; /* that it came in, or NULL */
	char *id; /* as it came */
	size_t id_len;
	char *uri; /* as it came; NULL: the request is for a list */
	size_t uri_len;
	struct files_task *task;
	struct buffer result; /* as far as it is known */
	char *why; /* there will be none, one sentence; or NULL */
};

static struct resource_request *
resources_new(struct mcp *mcp, const struct jsonrpc *message)
{
	struct resource_request *request = mem_alloc(sizeof(*request));

	request->mcp = mcp;
	request->id = mem_dup(message->id.p, message->id.len);
	request->id_len = message->id.len;
	request->batch = rpc_batch_hold(mcp->rpc);
	LIST_INSERT_HEAD(&mcp->reads, request, entry);
	return request;
}

static void
resources_free(struct resource_request *request)
{
	LIST_REMOVE(request, entry);
	files_forget(&request->task);
	buffer_reset(&request->result);
	free(request->id);
	free(request->uri);
	free(request->why);
	free(request);
}

void
resources_forget_all(struct mcp *mcp)
{
	struct resource_request *request;

	while ((request = LIST_FIRST(&mcp->reads)) != NULL) {
		rpc_batch_forget(request->batch);
		resources_free(request);
	}
}

static void
resources_answer(struct resource_request *request)
{
	struct json_span id = { request->id, request->id_len };

	rpc_batch_answer(
	    request->mcp->rpc, request->batch, id, &request->result);
	resources_free(request);
}

/* There is no such resource, or it cannot be read. */
static void
resources_refuse(struct resource_request *request, int code, const char *why)
{
	struct json_span id = { request->id, request->id_len };
	auto_buffer struct buffer data = { 0 };

	buffer_printf(
	    &data, "{\"uri\":%.*s}", (int)request->uri_len, request->uri);
	rpc_batch_answer_error(request->mcp->rpc, request->batch, id, code, why,
	    data.data);
	resources_free(request);
}

/* resources/list */

static void
resources_on_listed(void *ctx, const struct file_row *row)
{
	struct resource_request *request = ctx;
	const struct file_link link = { row->name, row->version, row->size,
		row->type };

	buffer_add_text(&request->result, ",{");
	file_link_add_members(&request->result, &link);
	buffer_add_text(&request->result, "}");
}

/* What there is besides files is told in any case. */
static void
resources_on_list_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;

	request->task = NULL;
	if (end->why != NULL)
		log_error("files cannot be listed: %s", end->why);
	buffer_add_text(&request->result, "]}");
	resources_answer(request);
}

void
resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct files *files = mcp->runs->files;
	struct files_user user = { .filed = resources_on_listed,
		.done = resources_on_list_end };
	struct resource_request *request;
	struct err err;

	if (page_refuse_cursor(mcp, message))
		return;
	request = resources_new(mcp, message);
	user.ctx = request;
	buffer_add_text(&request->result, "{\"resources\":[");
	texts_add_resource(&request->result);
	if (files != NULL && files_may_hold(files)) {
		request->task = files_list(
		    files, context->owner->scope, 0, &user, &err);
		if (request->task != NULL)
			return;
		log_error("files cannot be listed: %s", err.text);
	}
	buffer_add_text(&request->result, "]}");
	resources_answer(request);
}

void
resources_on_templates_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	(void)context;
	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resourceTemplates\":[{"
	    "\"uriTemplate\":\"" FILE_LINK_PREFIX "{name}\","
	    "\"name\":\"files\",\"title\":\"The newest version of a file that "
	    "code has left in /workspace/out\"}]}");
	rpc_answer(mcp->rpc, message->id, &result);
}

/* resources/read */

static void
resources_on_found(void *ctx, const struct file_row *row)
{
	struct resource_request *request = ctx;

	buffer_printf(&request->result, "{\"contents\":[{\"uri\":%.*s,"
	    "\"mimeType\":", (int)request->uri_len, request->uri);
	json_add_text(&request->result, row->type);
	buffer_add_text(&request->result, ",\"blob\":\"");
}

/* Returns the bytes of a file from offset on, to its end; NULL with err. */
static char *
resources_load(int file, uint64_t offset, size_t *len, struct err *err)
{
	auto_buffer struct buffer bytes = { 0 };
	struct stat st;
	ssize_t n;

	if (fstat(file, &st) == -1 || (uint64_t)st.st_size < offset) {
		err_set(err, "it changed");
		return NULL;
	}
	if ((uint64_t)st.st_size - offset > FILE_READ_MAX) {
		err_set(err, "it has %llu bytes, more than the %lu MiB that a "
		    "client is sent: 'caisson files save' writes it to a file",
		    (unsigned long long)((uint64_t)st.st_size - offset),
		    FILE_READ_MAX / MIB);
		return NULL;
	}
	while ((n = pread(file, buffer_reserve(&bytes, PIPE_CHUNK), PIPE_CHUNK,
	            (off_t)(offset + bytes.len))) > 0)
		bytes.len += (size_t)n;
	if (n == -1) {
		err_sys(err, "read it");
		return NULL;
	}
	return buffer_take(&bytes, len);
}

static void
resources_on_fetched(void *ctx, int *file, uint64_t offset)
{
	struct resource_request *request = ctx;
	auto_free char *bytes = NULL;
	struct err err;
	size_t len;

	bytes = resources_load(*file, offset, &len, &err);
	if (bytes == NULL) {
		request->why =
		    mem_printf("the file cannot be read: %s", err.text);
		return;
	}
	base64_add(&request->result, bytes, len);
	buffer_add_text(&request->result, "\"}]}");
}

static void
resources_on_read_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;

	request->task = NULL;
	if (request->why != NULL)
		resources_refuse(
		    request, JSONRPC_INTERNAL_ERROR, request->why);
	else if (end->fault == FILE_FAULT_UNKNOWN)
		resources_refuse(request, RESOURCES_NOT_FOUND,
		    "Resource not found: there is no file of this name, or "
		    "not this version; resources/list tells which there are");
	else if (end->why != NULL)
		resources_refuse(request, JSONRPC_INTERNAL_ERROR, end->why);
	else
		resources_answer(request);
}

static void
resources_read_file(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri)
{
	struct resource_request *request = resources_new(mcp, message);
	const struct files_user user = { .filed = resources_on_found,
		.fetched = resources_on_fetched,
		.done = resources_on_read_end,
		.ctx = request };
	uint64_t version;
	auto_free char *name = file_link_read(uri, &version);
	struct err err;

	request->uri = mem_dup(uri.p, uri.len);
	request->uri_len = uri.len;
	if (name == NULL || mcp->runs->files == NULL) {
		resources_refuse(request, RESOURCES_NOT_FOUND,
		    "Resource not found: no file has this URI; resources/list "
		    "tells which there are");
		return;
	}
	request->task = files_fetch(mcp->runs->files, context->owner->scope,
	    name, version, &user, &err);
	if (request->task == NULL)
		resources_refuse(request, JSONRPC_INTERNAL_ERROR, err.text);
}

void
resources_on_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	auto_buffer struct buffer data = { 0 };
	struct json_span uri;

	if (json_span_get(message->params, "uri", &uri) == 0 ||
	    json_span_kind(uri) != JSON_SPAN_STRING) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "resources/read needs params.uri, a string", NULL);
		return;
	}
	if (file_link_is(uri)) {
		resources_read_file(mcp, context, message, uri);
		return;
	}
	if (!json_span_is(uri, TEXTS_CAPABILITIES_URI)) {
		buffer_printf(&data, "{\"uri\":%.*s}", (int)uri.len, uri.p);
		rpc_answer_error(mcp->rpc, message->id, RESOURCES_NOT_FOUND,
		    "Resource not found; there is " TEXTS_CAPABILITIES_URI
		    ", and resources/list tells which files there are",
		    data.data);
		return;
	}
	texts_add_capabilities(&result, mcp->runs->options);
	rpc_answer(mcp->rpc, message->id, &result);
}
