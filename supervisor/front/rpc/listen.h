/*
 * Subscriptions of a client (subscriptions/listen): which changes it wants to
 * be told of. Only the era without sessions has them. Runs in the supervisor.
 */
#ifndef SUPERVISOR_LISTEN_H
#define SUPERVISOR_LISTEN_H

#include "mcp.h"

#define LISTEN_METHOD "subscriptions/listen"

/* Opens a subscription, which ends when the client cancels its request. */
void listen_on_listen(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* Returns whether the cancelled request was a subscription; it is ended. */
int listen_on_cancelled(struct mcp *mcp, const struct jsonrpc *message);

/* Files were kept: tells the subscriptions that want to know. */
void listen_on_files(struct mcp *mcp);

/* End all subscriptions, with their answer or without. */
void listen_end_all(struct mcp *mcp);
void listen_forget_all(struct mcp *mcp);

#endif
