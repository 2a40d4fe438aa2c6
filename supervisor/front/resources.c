/*
 * The methods of MCP for resources: the manual, and the files that code has
 * left, which another process keeps. Runs in the supervisor.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base64.h"
#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../peers/files.h"
#include "era.h"
#include "file_link.h"
#include "mcp.h"

/* A request for files. Requests wait in a queue; only a few run at a time. */
struct resource_request {
	TAILQ_ENTRY(resource_request) entry;
	struct mcp *mcp;
	struct context context;
	struct rpc_batch *batch; /* its batch, or NULL */
	char *id; /* as received */
	size_t id_len;
	/*
	 * For a file: its URI as received, and the parts of it; NULL: a list.
	 */
	char *uri;
	size_t uri_len;
	char *name;
	uint64_t version;
	int begun;
	struct files_task *task; /* NULL: ended, or not begun */
	struct buffer result; /* the result so far */
	int fetched; /* it contains the whole file */
	char *why; /* why it failed, one sentence; or NULL */
};

static void resources_go_on(struct mcp *mcp);

static struct resource_request *
resources_new(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct resource_request *request = mem_alloc(sizeof(*request));

	request->mcp = mcp;
	request->context = *context;
	request->id = mem_dup(message->id.p, message->id.len);
	request->id_len = message->id.len;
	request->batch = rpc_batch_hold(mcp->rpc);
	TAILQ_INSERT_TAIL(&mcp->reads, request, entry);
	mcp->nreads++;
	return request;
}

static void
resources_free(struct resource_request *request)
{
	struct mcp *mcp = request->mcp;

	TAILQ_REMOVE(&mcp->reads, request, entry);
	mcp->nreads--;
	mcp->nreading -= (size_t)request->begun;
	files_forget(&request->task);
	buffer_reset(&request->result);
	free(request->id);
	free(request->uri);
	free(request->name);
	free(request->why);
	free(request);
}

void
resources_forget_all(struct mcp *mcp)
{
	struct resource_request *request;

	while ((request = TAILQ_FIRST(&mcp->reads)) != NULL) {
		rpc_batch_forget(request->batch);
		resources_free(request);
	}
}

static void
resources_answer(struct resource_request *request)
{
	struct json_span id = { request->id, request->id_len };

	/* Code can add a file at any time. */
	request->context.era->complete(&request->result, 0);
	rpc_batch_answer(
	    request->mcp->rpc, request->batch, id, &request->result);
	resources_free(request);
}

/* There is no such resource, or it cannot be read, or the list failed. */
static void
resources_refuse(struct resource_request *request, int code, const char *why)
{
	struct json_span id = { request->id, request->id_len };
	auto_buffer struct buffer data = { 0 };

	if (request->uri != NULL)
		buffer_printf(&data, "{\"uri\":%.*s}", (int)request->uri_len,
		    request->uri);
	rpc_batch_answer_error(request->mcp->rpc, request->batch, id, code, why,
	    data.data);
	resources_free(request);
}

/* Adds it to the queue, unless that is full. */
static void
resources_admit(struct resource_request *request)
{
	struct mcp *mcp = request->mcp;

	if (mcp->nreads > RESOURCES_WAITING_MAX)
		resources_refuse(request, JSONRPC_INTERNAL_ERROR,
		    "too many requests for files are waiting: send fewer at "
		    "once");
	else
		resources_go_on(mcp);
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

/* The resources that are not files are listed in any case. */
static void
resources_end_list(struct resource_request *request, const char *why)
{
	if (why != NULL)
		log_error("files cannot be listed: %s", why);
	buffer_add_text(&request->result, "]}");
	resources_answer(request);
}

static void
resources_on_list_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	request->task = NULL;
	resources_end_list(request, end->why);
	resources_go_on(mcp);
}

static void
resources_begin_list(struct resource_request *request)
{
	struct files *files = request->mcp->runs->files;
	const struct files_user user = { .filed = resources_on_listed,
		.done = resources_on_list_end,
		.ctx = request };
	struct err err;

	buffer_add_text(&request->result, "{\"resources\":[");
	texts_add_resource(&request->result);
	if (files == NULL || !files_may_hold(files)) {
		resources_end_list(request, NULL);
		return;
	}
	request->task =
	    files_list(files, request->context.owner->scope, 0, &user, &err);
	if (request->task == NULL)
		resources_end_list(request, err.text);
}

void
resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	if (page_refuse_cursor(mcp, message))
		return;
	resources_admit(resources_new(mcp, context, message));
}

void
resources_on_templates_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resourceTemplates\":[{"
	    "\"uriTemplate\":\"" FILE_LINK_PREFIX "{name}\","
	    "\"name\":\"files\",\"title\":\"The newest version of a file that "
	    "code has left in /workspace/out\"}]}");
	era_answer(mcp->rpc, context, message->id, &result, MCP_CACHE_MS);
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

/* Returns the bytes of a file from offset to its end; NULL with err. */
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
	request->fetched = 1;
}

static void
resources_on_read_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	request->task = NULL;
	if (request->why != NULL)
		resources_refuse(
		    request, JSONRPC_INTERNAL_ERROR, request->why);
	else if (end->fault == FILE_FAULT_UNKNOWN)
		resources_refuse(request,
		    request->context.era->not_found,
		    "Resource not found: there is no file of this name, or "
		    "not this version; resources/list lists them");
	else if (end->why != NULL || !request->fetched)
		resources_refuse(request, JSONRPC_INTERNAL_ERROR,
		    end->why != NULL ? end->why : "the file was not read");
	else
		resources_answer(request);
	resources_go_on(mcp);
}

static void
resources_begin_read(struct resource_request *request)
{
	const struct files_user user = { .filed = resources_on_found,
		.fetched = resources_on_fetched,
		.done = resources_on_read_end,
		.ctx = request };
	struct err err;

	request->task = files_fetch(request->mcp->runs->files,
	    request->context.owner->scope, request->name, request->version,
	    &user, &err);
	if (request->task == NULL)
		resources_refuse(request, JSONRPC_INTERNAL_ERROR, err.text);
}

/* Returns the first request that has not begun, or NULL. */
static struct resource_request *
resources_next(struct mcp *mcp)
{
	struct resource_request *request;

	TAILQ_FOREACH (request, &mcp->reads, entry)
		if (!request->begun)
			return request;
	return NULL;
}

/* Starts waiting requests while there are places. */
static void
resources_go_on(struct mcp *mcp)
{
	struct resource_request *request;

	while (mcp->nreading < RESOURCES_AT_ONCE &&
	    (request = resources_next(mcp)) != NULL) {
		request->begun = 1;
		mcp->nreading++;
		if (rpc_busy(mcp->rpc))
			resources_refuse(request, JSONRPC_INTERNAL_ERROR,
			    "too many answers are waiting to be read by the "
			    "client");
		else if (request->uri == NULL)
			resources_begin_list(request);
		else
			resources_begin_read(request);
	}
}

static void
resources_read_file(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri)
{
	struct resource_request *request =
	    resources_new(mcp, context, message);

	request->uri = mem_dup(uri.p, uri.len);
	request->uri_len = uri.len;
	request->name = file_link_read(uri, &request->version);
	if (request->name == NULL || mcp->runs->files == NULL)
		resources_refuse(request, request->context.era->not_found,
		    "Resource not found: no file has this URI; resources/list "
		    "lists them");
	else
		resources_admit(request);
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
		rpc_answer_error(mcp->rpc, message->id,
		    context->era->not_found,
		    "Resource not found; there is " TEXTS_CAPABILITIES_URI
		    ", and resources/list lists the files",
		    data.data);
		return;
	}
	texts_add_capabilities(&result, mcp->runs->options);
	era_answer(mcp->rpc, context, message->id, &result, MCP_CACHE_MS);
}
