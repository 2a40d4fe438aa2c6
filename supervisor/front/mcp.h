/*
 * One MCP session as the files of its methods see it. methods.c has the table
 * of them; each handler answers message->id, in the context of that request.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_MCP_H
#define SUPERVISOR_MCP_H

#include <sys/queue.h>

#include "../../common/jsonrpc.h"
#include "context.h"
#include "rpc.h"

struct resource_request;
struct tool_call;

/* What a call is told that comes while the program ends. */
#define TOOLS_DRAINING "Caisson is shutting down"

struct mcp {
	struct runs *runs;
	struct rpc *rpc;
	struct context session; /* of its requests, as far as it is agreed on */
	char *isolation; /* what its client was told last; NULL: nothing */
	LIST_HEAD(, tool_call) calls; /* of tools, not answered yet */
	TAILQ_HEAD(, resource_request) reads; /* of resources, the same */
	size_t nreads;   /* how many there are */
	size_t nreading; /* of them, those that have begun */
};

/* methods.c: handles a request by its method, or a notification. */
void methods_on_request(void *mcp, const struct jsonrpc *message);
void methods_on_notification(void *mcp, const struct jsonrpc *message);

/* era_initialize.c: what only the versions with a handshake have. */
void era_initialize_on_initialize(struct mcp *mcp,
    const struct context *context, const struct jsonrpc *message);
void era_initialize_on_ping(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* tools.c */
void tools_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void tools_on_call(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* A request is not wanted any more: it gets no answer. */
void tools_on_cancelled(struct mcp *mcp, const struct jsonrpc *message);

/* resources.c */
void resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void resources_on_templates_list(struct mcp *mcp,
    const struct context *context, const struct jsonrpc *message);
void resources_on_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* Requests that wait get no answer: their session ends. */
void resources_forget_all(struct mcp *mcp);

/*
 * page.c: for lists, which have one page: a cursor can only be one of another
 * server. Returns whether there was one, and it was refused.
 */
int page_refuse_cursor(struct mcp *mcp, const struct jsonrpc *message);

#endif
