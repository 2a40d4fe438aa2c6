/*
 * The table of MCP methods and their handlers. Runs in the supervisor.
 */
#include "mcp.h"

/* Each method, and whether it is allowed before initialize. */
static const struct methods_row {
	const char *name;
	void (*handle)(struct mcp *mcp, const struct context *context,
	    const struct jsonrpc *message);
	int early;
} methods_table[] = {
	{ "initialize", era_initialize_on_initialize, 1 },
	{ "ping", era_initialize_on_ping, 1 },
	{ "tools/list", tools_on_list, 0 },
	{ "tools/call", tools_on_call, 0 },
	{ "resources/list", resources_on_list, 0 },
	{ "resources/templates/list", resources_on_templates_list, 0 },
	{ "resources/read", resources_on_read, 0 },
};

/* Returns the row of a method, or NULL. */
static const struct methods_row *
methods_find(struct json_span method)
{
	size_t i;

	for (i = 0; i < sizeof(methods_table) / sizeof(methods_table[0]); i++)
		if (json_span_is(method, methods_table[i].name))
			return &methods_table[i];
	return NULL;
}

void
methods_on_request(void *ctx, const struct jsonrpc *message)
{
	struct mcp *mcp = ctx;
	const struct methods_row *row = methods_find(message->method);
	const struct context context = mcp->session;

	if (row == NULL)
		rpc_answer_error(mcp->rpc, message->id,
		    JSONRPC_METHOD_NOT_FOUND, "Method not found", NULL);
	else if (message->params.len > 0 &&
	    json_span_kind(message->params) != JSON_SPAN_OBJECT)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "params must be an object", NULL);
	else if (context.version == NULL && !row->early)
		rpc_answer_error(mcp->rpc, message->id,
		    JSONRPC_INVALID_REQUEST,
		    "not initialized: send initialize first", NULL);
	else
		row->handle(mcp, &context, message);
}

/* Notifications are never answered; unknown ones are ignored. */
void
methods_on_notification(void *ctx, const struct jsonrpc *message)
{
	struct mcp *mcp = ctx;

	if (json_span_is(message->method, "notifications/cancelled"))
		tools_on_cancelled(mcp, message);
}
