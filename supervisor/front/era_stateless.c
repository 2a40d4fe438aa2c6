/*
 * The era of MCP without sessions (from 2026-07-28 on): each request carries
 * the version and the capabilities of its client in _meta.
 */
#include <stdbool.h>
#include <string.h>

#include "../../common/limits.h"
#include "../servers/in_force/server_names.h"
#include "rpc/rpc.h"
#include "methods.h"
#include "resources/resource_request.h"
#include "resources/texts.h"

/* Names in _meta. */
#define ERA_STATELESS_VERSION "io.modelcontextprotocol/protocolVersion"
#define ERA_STATELESS_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define ERA_STATELESS_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define ERA_STATELESS_SERVER "io.modelcontextprotocol/serverInfo"

/*
 * Error codes of its specification: MissingRequiredClientCapability and
 * UnsupportedProtocolVersion.
 */
#define ERA_STATELESS_INCAPABLE (-32021)
#define ERA_STATELESS_UNSUPPORTED (-32022)

/* Newest first. */
static const char *const era_stateless_versions[] = {
	"2026-07-28",
};

#define ERA_STATELESS_VERSIONS                                                 \
	(sizeof(era_stateless_versions) / sizeof(era_stateless_versions[0]))

/* Finds the _meta of a request. Returns whether it is an object. */
static int
era_stateless_meta(const struct jsonrpc *message, struct json_span *meta)
{
	return message->params.len > 0 &&
	    json_span_get(message->params, "_meta", meta) == 1 &&
	    json_span_kind(*meta) == JSON_SPAN_OBJECT;
}

int
era_stateless_version(const struct jsonrpc *message, struct json_span *version)
{
	struct json_span meta;

	return era_stateless_meta(message, &meta) &&
	    json_span_get(meta, ERA_STATELESS_VERSION, version) > 0;
}

int
era_stateless_claims(const struct jsonrpc *message)
{
	struct json_span version;

	return era_stateless_version(message, &version);
}

int
era_stateless_has(const char *version, size_t len)
{
	size_t i;

	for (i = 0; i < ERA_STATELESS_VERSIONS; i++)
		if (strlen(era_stateless_versions[i]) == len &&
		    memcmp(era_stateless_versions[i], version, len) == 0)
			return 1;
	return 0;
}

/* Appends the supported versions as an array. */
static void
era_stateless_add_versions(struct buffer *json)
{
	size_t i;

	for (i = 0; i < ERA_STATELESS_VERSIONS; i++)
		buffer_printf(json, "%s\"%s\"", i == 0 ? "[" : ",",
		    era_stateless_versions[i]);
	buffer_add_text(json, "]");
}

static const char *
era_stateless_find(struct json_span version)
{
	size_t i;

	for (i = 0; i < ERA_STATELESS_VERSIONS; i++)
		if (json_span_is(version, era_stateless_versions[i]))
			return era_stateless_versions[i];
	return NULL;
}

/* Reads the log level, if any. Returns whether the specification has it. */
static int
era_stateless_read_level(struct json_span meta, unsigned int *log_level)
{
	struct json_span level;

	*log_level = 0;
	if (json_span_get(meta, ERA_STATELESS_LOG_LEVEL, &level) == 0)
		return 1;
	*log_level = severity_read(level);
	return *log_level > 0;
}

/* Returns what is wrong with the _meta of a request, or NULL. */
static const char *
era_stateless_fault(struct json_span meta, struct json_span *version,
    struct json_span *capabilities, unsigned int *log_level)
{
	if (json_span_get(meta, ERA_STATELESS_VERSION, version) != 1 ||
	    json_span_kind(*version) != JSON_SPAN_STRING)
		return "_meta needs " ERA_STATELESS_VERSION ", a string";
	if (json_span_get(meta, ERA_STATELESS_CAPABILITIES, capabilities) !=
	    1 || json_span_kind(*capabilities) != JSON_SPAN_OBJECT)
		return "_meta needs " ERA_STATELESS_CAPABILITIES
		    ", an object such as {}";
	if (!era_stateless_read_level(meta, log_level))
		return ERA_STATELESS_LOG_LEVEL " in _meta must be a level "
		    "such as \"info\"";
	return NULL;
}

int
era_stateless_read(struct mcp *mcp, const struct jsonrpc *message,
    struct context *context)
{
	struct json_span meta, version, capabilities;
	const char *fault;

	era_stateless_meta(message, &meta);
	if (rpc_in_batch(mcp->rpc)) {
		rpc_refuse(mcp->rpc, message->id,
		    JSONRPC_INVALID_REQUEST, "a request of this version must "
		    "not be part of a batch", NULL);
		return -1;
	}
	fault = era_stateless_fault(
	    meta, &version, &capabilities, &context->log_level);
	if (fault != NULL) {
		rpc_refuse(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    fault, NULL);
		return -1;
	}
	context->era = &era_stateless;
	context->version = era_stateless_find(version);
	context->capabilities = context_capabilities(capabilities);
	if (context->version == NULL) {
		auto_buffer struct buffer data = { 0 };

		buffer_add_text(&data, "{\"supported\":");
		era_stateless_add_versions(&data);
		buffer_printf(&data, ",\"requested\":%.*s}", (int)version.len,
		    version.p);
		rpc_refuse(mcp->rpc, message->id, ERA_STATELESS_UNSUPPORTED,
		    "unsupported protocol version: see data.supported; "
		    "initialize starts a session of version 2025-11-25 or "
		    "older", data.data);
		return -1;
	}
	return 0;
}

/*
 * Adds the members in front of the others, and the name of the server to _meta.
 */
static void
era_stateless_complete(struct buffer *result, long cache_ms)
{
	struct json_span object = { result->data, result->len };
	struct json_span meta = { "{}", 2 };
	struct buffer whole = { 0 };
	const char *rest = result->data + 1;
	const char *end = result->data + result->len;
	int has_meta = json_span_get(object, "_meta", &meta) > 0;

	buffer_add_text(&whole, "{\"resultType\":\"complete\",");
	if (cache_ms != ERA_NOT_CACHED)
		buffer_printf(&whole,
		    "\"ttlMs\":%ld,\"cacheScope\":\"private\",", cache_ms);
	if (has_meta)
		buffer_add(&whole, rest, (size_t)(meta.p - rest));
	else
		buffer_add_text(&whole, "\"_meta\":");
	buffer_add_text(&whole, "{\"" ERA_STATELESS_SERVER "\":");
	texts_add_server(&whole);
	buffer_add_text(&whole, meta.len > 2 ? "," : "}");
	if (has_meta)
		rest = meta.p + (meta.len > 2 ? 1 : 2);
	else if (*rest != '}')
		buffer_add_text(&whole, ",");
	buffer_add(&whole, rest, (size_t)(end - rest));
	buffer_reset(result);
	*result = whole;
}

static void
era_stateless_add_input(
    struct buffer *result, const char *requests, const char *state)
{
	buffer_printf(result, "{\"resultType\":\"input_required\","
	    "\"inputRequests\":%s,\"requestState\":\"%s\","
	    "\"_meta\":{\"" ERA_STATELESS_SERVER "\":", requests, state);
	texts_add_server(result);
	buffer_add_text(result, "}}");
}

const struct era era_stateless = {
	.complete = era_stateless_complete,
	.add_input = era_stateless_add_input,
	.incapable = ERA_STATELESS_INCAPABLE,
	.not_found = JSONRPC_INVALID_PARAMS,
	.page = RESOURCES_PAGE,
	.has_session = false,
};

static void
era_stateless_discover(void *ctx)
{
	struct resource_request *request = ctx;
	struct buffer *result = &request->result;
	struct mcp *mcp = request->mcp;

	buffer_add_text(result, "{\"supportedVersions\":");
	era_stateless_add_versions(result);
	buffer_add_text(result, ",\"capabilities\":"
	    "{\"tools\":{},\"completions\":{},"
	    "\"resources\":{\"listChanged\":true}}");
	texts_add_instructions(result, mcp_options(mcp), server_names_any(
	    mcp->runs->config, request->context.owner->allowed));
	buffer_add_text(result, "}");
	resource_request_answer(request);
	runs_begin(mcp->runs);
	resource_request_go_on(mcp);
}

void
era_stateless_on_discover(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	resource_request_configure(
	    mcp, context, message, era_stateless_discover);
}
