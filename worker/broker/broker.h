/*
 * The broker: the MCP client of the user's downstream servers. It holds the
 * pipes of the servers and one channel for each execution, and that channel
 * alone decides what an execution may use. It cannot start, open or kill
 * anything: it sends requests with names to the supervisor. All files of this
 * folder run in that process only.
 *
 * A grant (grant.h) makes requests to a server (link/link.h). A request is
 * an ask (state/state.h), which waits with the server until there is a link
 * (link/link.h), one process of the server, and then with the link. A link has
 * pipes (link/link.h), the protocol (link/link.h) and the list of tools
 * (link/link.h). None of these is freed while a function below it on the
 * stack uses it: an object that must end is ended from the loop.
 *
 * Calls go down only, from room to room as ROOMS in tests/house/house.py lists
 * them, and within a room: main, routes, on_*, broker, try, grant; server,
 * link, listing, queue, and the decoders of bytes. Calls upwards are callbacks,
 * which are given at construction.
 */
#ifndef WORKER_BROKER_BROKER_H
#define WORKER_BROKER_BROKER_H

#include "state/state.h"

/*
 * broker.c: makes an empty broker on a loop, whose channels have these
 * handlers, and frees it. Must be called before the lockdown, because it reads
 * the descriptor limit.
 */
void broker_init(struct broker *broker, struct event_base *base,
    channel_handler *const *routes);
void broker_clear(struct broker *broker);

/*
 * try.c: requests the tools of the server of this name, and sends the
 * supervisor their list, or the reason why there is none.
 */
void try_server(struct broker *broker, const char *name);

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF broker
#define IPC_SELF_IS_BROKER
#define IPC_FROM_SUPERVISOR struct broker
#define IPC_FROM_STORE struct list_store
#define IPC_FROM_RELAY struct grant
#include "../../common/ipc/ipc_handlers.h"

#endif
