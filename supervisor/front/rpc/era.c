/* What the eras of MCP share: see rpc.h. */
#include "rpc.h"

void
era_answer(struct rpc *rpc, const struct context *context,
    struct json_span id, struct buffer *result, long cache_ms)
{
	context->era->complete(result, cache_ms);
	rpc_answer(rpc, id, result);
}
