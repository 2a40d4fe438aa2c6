/*
 * An example of a method: answers with its parameters. Runs in the supervisor.
 */
#include "supervisor/front/rpc/rpc.h"

void
echo_on_echo(struct mcp *mcp, const struct context *,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{\"params\":");
	if (message->params.len > 0)
		buffer_add(&result, message->params.p, message->params.len);
	else
		buffer_add_text(&result, "null");
	buffer_add_text(&result, "}");
	rpc_answer(mcp->rpc, message->id, &result);
}
