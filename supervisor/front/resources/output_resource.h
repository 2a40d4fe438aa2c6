/*
 * The whole of an output that was cut, as a resource: its owner reads it by the
 * id of its execution. Runs in the supervisor.
 */
#ifndef SUPERVISOR_OUTPUT_RESOURCE_H
#define SUPERVISOR_OUTPUT_RESOURCE_H

#include "../rpc/rpc.h"

#define OUTPUT_RESOURCE_PREFIX "resource://caisson/output/"
#define OUTPUT_RESOURCE_TEMPLATE OUTPUT_RESOURCE_PREFIX "{id}"

/* Appends a comma and the template of its URIs, where output is kept. */
void output_resource_add_template(
    struct buffer *json, const struct options *options);

/*
 * Returns whether the URI is that of an output; then the request is answered,
 * now or later.
 */
int output_resource_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, struct json_span uri);

#endif
