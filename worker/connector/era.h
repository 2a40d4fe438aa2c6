/*
 * The versions of the protocol without sessions (2026-07-28): what becomes of a
 * request of the broker, who speaks earlier ones, and what an answer says. Runs
 * in the connector; pure.
 */
#ifndef WORKER_CONNECTOR_ERA_H
#define WORKER_CONNECTOR_ERA_H

#include "../../common/base/buffer.h"
#include "../../common/json/jsonrpc.h"

enum era_verdict {
	ERA_IS_STATELESS,
	ERA_ASK_AGAIN, /* it says that it has the version, but refuses */
	ERA_HAS_SESSIONS,
};

/* Appends the request "server/discover", with this id. */
void era_add_discover(struct buffer *line, const char *id);

/* Judges the answer to it. */
enum era_verdict era_judge(const struct jsonrpc *message);

/*
 * Appends the answer to "initialize" with this id that says what the result of
 * "server/discover" does; of one line.
 */
void era_add_greeting(
    struct buffer *line, const char *id, struct json_span result);

/* Returns whether such a result tells of changes of lists of tools. */
int era_tells_changes(struct json_span result);

/* Appends the request "tools/list", with this id; cursor may be empty. */
void era_add_list(struct buffer *line, const char *id, struct json_span cursor);

/* Appends the request "subscriptions/listen" for them, with this id. */
void era_add_listen(struct buffer *line, const char *id);

/* Appends a request of the broker as such versions have it. */
void era_add_request(struct buffer *line, const struct jsonrpc *message);

/* Appends a header, with what it cannot hold as base64: a line + NUL. */
void era_add_header(
    struct buffer *headers, const char *name, const char *value);

/* Appends the headers that repeat parts of a request: lines, each + NUL. */
void era_add_headers(struct buffer *headers, const struct jsonrpc *message);

#endif
