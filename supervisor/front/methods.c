/*
 * The table of MCP methods and their handlers, and the decision which era a
 * message belongs to. Runs in the supervisor.
 */
#include "era.h"
#include "listen.h"
#include "mcp.h"

/* Each method, its only era (NULL: all), and whether it needs initialize. */
static const struct methods_row {
	const char *name;
	void (*handle)(struct mcp *mcp, const struct context *context,
	    const struct jsonrpc *message);
	const struct era *era;
	int early; /* allowed before initialize */
} methods_table[] = {
	{ "initialize", era_initialize_on_initialize, &era_initialize, 1 },
	{ "ping", era_initialize_on_ping, &era_initialize, 1 },
	{ "server/discover", era_stateless_on_discover, &era_stateless, 0 },
	{ "subscriptions/listen", listen_on_listen, &era_stateless, 0 },
	{ "tools/list", tools_on_list, NULL, 0 },
	{ "tools/call", tools_on_call, NULL, 0 },
	{ "resources/list", resources_on_list, NULL, 0 },
	{ "resources/templates/list", resources_on_templates_list, NULL, 0 },
	{ "resources/read", resources_on_read, NULL, 0 },
	{ "completion/complete", completion_on_complete, &era_stateless, 0 },
};

/* Returns the row of a method in an era, or NULL. */
static const struct methods_row *
methods_find(struct json_span method, const struct era *era)
{
	const struct methods_row *row;
	size_t i;

	for (i = 0; i < sizeof(methods_table) / sizeof(methods_table[0]);
	    i++) {
		row = &methods_table[i];
		if (json_span_is(method, row->name) &&
		    (row->era == NULL || row->era == era))
			return row;
	}
	return NULL;
}

void
methods_on_request(void *ctx, const struct jsonrpc *message)
{
	struct mcp *mcp = ctx;
	struct context context = mcp->session;
	const struct methods_row *row;

	if (era_stateless_claims(message) &&
	    era_stateless_read(mcp, message, &context) == -1)
		return;
	row = methods_find(message->method, context.era);
	if (row == NULL)
		rpc_refuse(mcp->rpc, message->id,
		    JSONRPC_METHOD_NOT_FOUND, "Method not found", NULL);
	else if (message->params.len > 0 &&
	    json_span_kind(message->params) != JSON_SPAN_OBJECT)
		rpc_refuse(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "params must be an object", NULL);
	else if (context.version == NULL && !row->early)
		rpc_refuse(mcp->rpc, message->id,
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

	if (json_span_is(message->method, "notifications/cancelled") &&
	    !listen_on_cancelled(mcp, message))
		tools_on_cancelled(mcp, message);
}
