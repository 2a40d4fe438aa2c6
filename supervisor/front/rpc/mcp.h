/*
 * One MCP session as the files of its methods see it. methods_table.c has the
 * methods; each handler answers message->id, in the context of its request.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_MCP_H
#define SUPERVISOR_MCP_H

#include <sys/queue.h>

#include "../../../common/json/jsonrpc.h"
#include "context.h"
#include "rpc.h"

struct listen;
struct resource_request;
struct tool_call;

/* The answer to a call that arrives while the program ends. */
#define TOOLS_DRAINING "Caisson is shutting down"

struct mcp {
	struct runs *runs;
	struct rpc *rpc;
	struct context session; /* agreed on in its handshake */
	char *isolation; /* last sent to its client; NULL: never */
	LIST_HEAD(, tool_call) calls; /* tool calls, unanswered */
	LIST_HEAD(, listen) listens; /* subscriptions of the client */
	size_t nlistens;
	TAILQ_HEAD(, resource_request) reads; /* of resources, unanswered */
};

/* Returns the settings that its clients see. */
static inline const struct options *
mcp_options(const struct mcp *of)
{
	return owner_options(of->session.owner, of->runs);
}

#endif
