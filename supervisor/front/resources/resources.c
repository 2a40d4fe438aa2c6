/*
 * The methods of MCP for resources: the manual, and the files that code has
 * left, which another process keeps.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../common/base/base64.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "../rpc/rpc.h"
#include "../answer/answer.h"
#include "output_resource.h"
#include "resource_request.h"
#include "texts.h"

/* resources/list */

/*
 * Adds a file to the page. name is that of the last file of the pages before,
 * and from then on of the last of this one, if there are more.
 */
static void
resources_on_listed(void *ctx, const struct file_row *row)
{
	struct resource_request *request = ctx;
	const struct file_link link = { row->name, row->version, row->size,
		row->type, row->conversation, row->url };
	size_t most = request->context.era->page;

	if (request->done ||
	    (request->name != NULL && strcmp(row->name, request->name) <= 0))
		return;
	if (most != 0 && request->count == most) {
		request->done = 1;
		return;
	}
	request->count++;
	free(request->name);
	request->name = mem_strdup(row->name);
	if (request->result.data[request->result.len - 1] != '[')
		buffer_add_text(&request->result, ",");
	buffer_add_text(&request->result, "{");
	file_link_add_members(&request->result, &link);
	buffer_add_text(&request->result, "}");
}

/* The resources that are not files are listed in any case. */
static void
resources_end_list(struct resource_request *request, const char *why)
{
	if (why != NULL)
		log_error("files cannot be listed: %s", why);
	buffer_add_text(&request->result, "]");
	if (request->done)
		page_add_cursor(&request->result, request->name);
	buffer_add_text(&request->result, "}");
	resource_request_answer(request);
}

static void
resources_on_list_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	request->task = NULL;
	resources_end_list(request, end->why);
	resource_request_go_on(mcp);
}

static void
resources_begin_list(struct resource_request *request)
{
	struct files *files = request->mcp->runs->peers.files;
	const struct files_user user = { .filed = resources_on_listed,
		.done = resources_on_list_end, .ctx = request };
	struct err err;

	buffer_add_text(&request->result, "{\"resources\":[");
	if (request->name == NULL)
		texts_add_resource(&request->result);
	if (files == NULL || !files_may_hold(files)) {
		resources_end_list(request, NULL);
		return;
	}
	request->task = files_list(files, request->context.owner->scope, 0, 0,
	    &user, &err);
	if (request->task == NULL)
		resources_end_list(request, err.text);
}

void
resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct resource_request *request;
	char *after = NULL;

	if (context->era->page == 0 ? page_refuse_cursor(mcp, message) :
	    page_read_cursor(mcp, message, &after) == -1)
		return;
	request = resource_request_new(
	    mcp, context, message, resources_begin_list);
	request->name = after;
	resource_request_admit(request);
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
	    "code has left in /workspace/out\"}");
	if (options_argument(mcp_options(mcp), ARGUMENT_CONVERSATION))
		buffer_add_text(&result, ",{\"uriTemplate\":\""
		    FILE_LINK_CONVERSATIONS "{conversation}/{name}\",\"name\":"
		    "\"conversations\",\"title\":\"The newest version of a "
		    "file in /data of a conversation\"}");
	output_resource_add_template(&result, mcp_options(mcp));
	buffer_add_text(&result, "]}");
	era_answer(mcp->rpc, context, message->id, &result, MCP_CACHE_MS);
}

/* resources/read */

/* Returns whether this is a type of text. */
static int
resources_is_textual(const char *type)
{
	static const char *const others[] = { "json", "jsonl", "xml", "yaml",
		"toml", "sql" };
	const char *slash = strchr(type, '/');
	const char *plus = strrchr(type, '+');
	const char *word = plus != NULL ? plus + 1 :
	    slash != NULL ? slash + 1 : "";
	size_t i;

	if (strncmp(type, "text/", strlen("text/")) == 0)
		return 1;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(word, others[i]) == 0)
			return 1;
	return 0;
}

/* Control characters take six times their size in JSON, and are no text. */
static int
resources_is_text(const char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)bytes[i] < ' ' && bytes[i] != '\n' &&
		    bytes[i] != '\t' && bytes[i] != '\r')
			return 0;
	return utf8_valid(bytes, len);
}

static void
resources_on_found(void *ctx, const struct file_row *row)
{
	struct resource_request *request = ctx;

	buffer_printf(&request->result, "{\"contents\":[{\"uri\":%.*s,"
	    "\"mimeType\":", (int)request->uri_len, request->uri);
	json_add_text(&request->result, row->type);
	request->textual = resources_is_textual(row->type);
}

/* Returns the bytes of a file from offset to its end; NULL with err. */
static char *
resources_load(int file, uint64_t offset, const char *scope, size_t *len,
    struct err *err)
{
	auto_buffer struct buffer bytes = { 0 };
	struct stat st;

	if (fstat(file, &st) == -1 || (uint64_t)st.st_size < offset) {
		err_set(err, "it changed");
		return NULL;
	}
	if ((uint64_t)st.st_size - offset > FILE_READ_MAX) {
		err_set(err, "it has %llu bytes, more than the %lu MiB that a "
		    "client is sent: 'caisson files save%s%s' writes it to a "
		    "file", (unsigned long long)((uint64_t)st.st_size - offset),
		    FILE_READ_MAX / MIB, FILES_OWNER_FLAG(scope));
		return NULL;
	}
	if (fd_read_all(file, (off_t)offset, FILE_READ_MAX, &bytes) == -1) {
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

	bytes = resources_load(*file, offset,
	    request->context.owner->scope, &len, &err);
	if (bytes == NULL) {
		request->why =
		    mem_printf("the file cannot be read: %s", err.text);
		return;
	}
	if (request->textual && resources_is_text(bytes, len)) {
		buffer_add_text(&request->result, ",\"text\":");
		json_add_string(&request->result, bytes, len);
		buffer_add_text(&request->result, "}]}");
	} else {
		buffer_add_text(&request->result, ",\"blob\":\"");
		base64_add(&request->result, bytes, len);
		buffer_add_text(&request->result, "\"}]}");
	}
	request->done = 1;
}

static void
resources_on_read_end(void *ctx, const struct files_end *end)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	request->task = NULL;
	if (request->why != NULL)
		resource_request_refuse(
		    request, JSONRPC_INTERNAL_ERROR, request->why);
	else if (end->fault == FILE_FAULT_UNKNOWN)
		resource_request_refuse(request,
		    request->context.era->not_found,
		    "Resource not found: there is no file of this name, or "
		    "not this version; resources/list lists them");
	else if (end->why != NULL || !request->done)
		resource_request_refuse(request, JSONRPC_INTERNAL_ERROR,
		    end->why != NULL ? end->why : "the file was not read");
	else
		resource_request_answer(request);
	resource_request_go_on(mcp);
}

static void
resources_begin_read(struct resource_request *request)
{
	const struct files_user user = { .filed = resources_on_found,
		.fetched = resources_on_fetched,
		.done = resources_on_read_end,
		.ctx = request };
	auto_free char *owner = files_conversation(
	    request->context.owner->scope, request->conversation);
	struct err err;

	request->task = files_fetch(request->mcp->runs->peers.files, owner,
	    request->name, request->version, NULL, &user, &err);
	if (request->task == NULL)
		resource_request_refuse(
		    request, JSONRPC_INTERNAL_ERROR, err.text);
}

static void
resources_read_file(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri)
{
	struct resource_request *request = resource_request_new(
	    mcp, context, message, resources_begin_read);

	request->uri = mem_dup(uri.p, uri.len);
	request->uri_len = uri.len;
	request->name = file_link_read(
	    uri, &request->version, &request->conversation);
	if (request->name == NULL || mcp->runs->peers.files == NULL)
		resource_request_refuse(request,
		    request->context.era->not_found, "Resource not found: no "
		    "file has this URI; resources/list lists them");
	else
		resource_request_admit(request);
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
	if (output_resource_read(mcp, context, message, uri))
		return;
	if (!json_span_is(uri, TEXTS_CAPABILITIES_URI) &&
	    !json_span_is(uri, TEXTS_FORMER_URI)) {
		buffer_printf(&data, "{\"uri\":%.*s}", (int)uri.len, uri.p);
		rpc_answer_error(mcp->rpc, message->id,
		    context->era->not_found,
		    "Resource not found; there is " TEXTS_CAPABILITIES_URI
		    ", and resources/list lists the files",
		    data.data);
		return;
	}
	texts_add_capabilities(&result, mcp_options(mcp), uri);
	era_answer(mcp->rpc, context, message->id, &result, MCP_CACHE_MS);
}
