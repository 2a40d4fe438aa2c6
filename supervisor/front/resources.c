/*
 * The methods of MCP about resources: there is one, what Caisson can do. Runs
 * in the supervisor.
 */
#include "mcp.h"

/* Resource not found, in the versions served here (schema 2025-11-25). */
#define RESOURCES_NOT_FOUND (-32002)

void
resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	(void)context;
	if (page_refuse_cursor(mcp, message))
		return;
	texts_add_resources(&result);
	rpc_answer(mcp->rpc, message->id, &result);
}

void
resources_on_templates_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	(void)context;
	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resourceTemplates\":[]}");
	rpc_answer(mcp->rpc, message->id, &result);
}

void
resources_on_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	auto_buffer struct buffer data = { 0 };
	struct json_span uri;

	(void)context;
	if (json_span_get(message->params, "uri", &uri) == 0 ||
	    json_span_kind(uri) != JSON_SPAN_STRING) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "resources/read needs params.uri, a string", NULL);
		return;
	}
	if (!json_span_is(uri, TEXTS_CAPABILITIES_URI)) {
		buffer_printf(&data, "{\"uri\":%.*s}", (int)uri.len, uri.p);
		rpc_answer_error(mcp->rpc, message->id, RESOURCES_NOT_FOUND,
		    "Resource not found; there is " TEXTS_CAPABILITIES_URI,
		    data.data);
		return;
	}
	texts_add_capabilities(&result, mcp->runs->options);
	rpc_answer(mcp->rpc, message->id, &result);
}
