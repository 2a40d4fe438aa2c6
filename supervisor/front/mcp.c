/*
 * One MCP session, for any transport: its lines pass through rpc.c to
 * methods.c. Starts nothing itself.
 */
#include <stdlib.h>

#include "../../common/base/mem.h"
#include "../servers/in_force/in_force.h"
#include "rpc/rpc.h"
#include "front.h"
#include "methods.h"
#include "resources/resource_request.h"
#include "tools/tool.h"

/*
 * A change that the client saved before a call must be in effect for that call.
 * So the configuration files are checked after all of these lines have been
 * read, and the result is not reused for later lines.
 */
void
mcp_on_lines(struct mcp *mcp, struct lines *lines)
{
	struct line line;

	in_force_share(mcp->runs->config);
	while (lines_next(lines, &line))
		rpc_on_line(mcp->rpc, &line);
	in_force_forget(mcp->runs->config);
}

void
mcp_on_value(struct mcp *mcp, struct json_span value)
{
	in_force_share(mcp->runs->config);
	rpc_on_value(mcp->rpc, value);
	in_force_forget(mcp->runs->config);
}

int
mcp_idle(const struct mcp *mcp)
{
	return LIST_EMPTY(&mcp->calls) && TAILQ_EMPTY(&mcp->reads);
}

void
mcp_on_end(struct mcp *mcp, const char *why)
{
	tool_call_cancel_all(mcp, why);
	listen_forget_all(mcp);
}

void
mcp_on_drain(struct mcp *mcp)
{
	listen_end_all(mcp);
}

struct mcp *
mcp_new(struct runs *runs, struct owner *owner, const struct mcp_door *door)
{
	struct mcp *mcp = mem_alloc(sizeof(*mcp));
	const struct rpc_handlers handlers = { methods_on_request,
		methods_on_notification, mcp };

	mcp->runs = runs;
	mcp->number = ++runs->last_client;
	mcp->session.owner = owner;
	mcp->session.era = &era_initialize;
	mcp->rpc = rpc_new(&handlers, door, (size_t)runs->options->max_code);
	LIST_INIT(&mcp->calls);
	LIST_INIT(&mcp->listens);
	TAILQ_INIT(&mcp->reads);
	return mcp;
}

void
mcp_free(struct mcp **mcpp)
{
	struct mcp *mcp = mem_take(mcpp);

	if (mcp == NULL)
		return;
	tool_call_forget_all(mcp);
	resource_request_forget_all(mcp);
	listen_forget_all(mcp);
	rpc_free(&mcp->rpc);
	free(mcp->isolation);
	free(mcp);
}
