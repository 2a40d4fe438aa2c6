/*
 * The decision which era a message belongs to, and which handler of
 * methods_table.c it gets.
 */
#include "../peers/broker.h"
#include "rpc/rpc.h"
#include "methods.h"
#include "tools/tool.h"

/* Returns the row of a method in an era, or NULL. */
static const struct methods_row *
methods_find(struct json_span method, const struct era *era)
{
	const struct methods_row *row;
	size_t i;

	for (i = 0; i < methods_count; i++) {
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
		rpc_refuse(mcp->rpc, message->id, JSONRPC_INVALID_REQUEST,
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
	if (json_span_is(message->method, "notifications/roots/list_changed"))
		broker_tell_roots(mcp->runs->peers.broker, mcp->number);
}
