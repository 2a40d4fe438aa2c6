/*
 * Kept executions, and the whole of their output, as resources: their owner
 * reads them by the id.
 */
#ifndef SUPERVISOR_OUTPUT_RESOURCE_H
#define SUPERVISOR_OUTPUT_RESOURCE_H

#include "../rpc/rpc.h"

#define OUTPUT_RESOURCE_PREFIX "resource://caisson/output/"
#define OUTPUT_RESOURCE_TEMPLATE OUTPUT_RESOURCE_PREFIX "{id}"
#define OUTPUT_RESOURCE_CALLS "resource://caisson/calls"

/* Appends the templates of their URIs, a comma before each, of what is kept. */
void output_resource_add_template(
    struct buffer *json, const struct options *options);

/*
 * Returns whether the URI is one of these; then the request is answered,
 * now or later.
 */
int output_resource_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri);

#endif
