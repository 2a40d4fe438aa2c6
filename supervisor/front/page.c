/*
 * The pages of lists: ours have one. Runs in the supervisor.
 */
#include "mcp.h"

int
page_refuse_cursor(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span cursor;

	if (json_span_get(message->params, "cursor", &cursor) == 0 ||
	    json_span_kind(cursor) == JSON_SPAN_NULL)
		return 0;
	rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
	    "unknown cursor: this list has one page and gives no cursors",
	    NULL);
	return 1;
}
