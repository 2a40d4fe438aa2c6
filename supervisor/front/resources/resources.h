/*
 * The methods of MCP for resources. Runs in the supervisor.
 */
#ifndef SUPERVISOR_RESOURCES_H
#define SUPERVISOR_RESOURCES_H

#include "../rpc/rpc.h"

void resources_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void resources_on_templates_list(struct mcp *mcp,
    const struct context *context, const struct jsonrpc *message);
void resources_on_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

#endif
