/*
 * Arguments that a server wants repeated in headers (MCP 2026-07-28, section
 * Transports, x-mcp-header): learnt from its lists of tools. Runs in the
 * connector; pure.
 */
#ifndef WORKER_CONNECTOR_PARAMS_H
#define WORKER_CONNECTOR_PARAMS_H

#include <sys/queue.h>

#include "../../common/base/buffer.h"
#include "../../common/json/json_span.h"

struct param;
LIST_HEAD(params, param); /* begins with zeros */

void params_reset(struct params *params);

/*
 * Learns from a result of "tools/list". Returns 1, and in out that result
 * without the tools whose annotations are wrong, which no client may call; or
 * 0, and nothing, if all are right.
 */
int params_learn(
    struct params *params, struct json_span result, struct buffer *out);

/* Appends the headers for a call of a tool: lines, each + NUL. */
void params_add_headers(const struct params *params, struct json_span call,
    struct buffer *headers);

#endif
