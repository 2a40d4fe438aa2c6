/*
 * MCP with one client, whatever it came by: one session, whose lines a door
 * passes in and takes out.
 */
#ifndef SUPERVISOR_FRONT_H
#define SUPERVISOR_FRONT_H

#include "../../common/json/json_span.h"
#include "../../common/base/lines.h"
#include "../run/run.h"
#include "rpc/rpc.h"

struct mcp;

/*
 * Returns a session. Its calls are added to runs for owner; both must outlive
 * them. door is copied.
 */
struct mcp *mcp_new(struct runs *runs, struct owner *owner,
    const struct mcp_door *door);

/* Handles the complete lines; the client is answered now or later. */
void mcp_on_lines(struct mcp *mcp, struct lines *lines);

/* Handles one message, or a batch of them, which was parsed already. */
void mcp_on_value(struct mcp *mcp, struct json_span value);

/* Returns whether no request is unanswered: then it may be freed. */
int mcp_idle(const struct mcp *mcp);

/*
 * The client waits no longer: cancels every call of the session, unanswered.
 * why is for the log, such as MCP_DISCONNECTED.
 */
#define MCP_DISCONNECTED "the client has disconnected"
void mcp_on_end(struct mcp *mcp, const char *why);

/*
 * The program is ending: ends the subscriptions of the client, which may still
 * read.
 */
void mcp_on_drain(struct mcp *mcp);

/* Frees the session; its calls must not conclude afterwards. */
void mcp_free(struct mcp **mcp);

#endif
