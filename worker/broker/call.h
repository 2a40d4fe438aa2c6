/*
 * A call of a tool on its way to its server. Its arguments are compared with
 * the schema in the list of tools that is known. If none is known, the call
 * waits for the list. If they do not fit, it waits SERVER_RELIST_MS for another
 * one: the server may take today what it refused yesterday. Nothing that does
 * not fit reaches a server. Runs in the broker.
 */
#ifndef WORKER_BROKER_CALL_H
#define WORKER_BROKER_CALL_H

#include "grant.h"

/*
 * Whether the tool of this name, a JSON string, may not be called by the
 * configuration of its server; if so, appends the sentence that says why.
 */
int call_is_barred(const struct server *server, struct json_span tool,
    struct buffer *reason);

/*
 * Begins a call that is permitted: tool is a JSON string, arguments an object,
 * both on one line; both are copied.
 */
void call_begin(struct grant *grant, struct server *server, uint64_t id,
    struct json_span tool, struct json_span arguments);

#endif
