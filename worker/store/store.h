/*
 * The store: what is kept between executions, in one SQLite database in the
 * state directory, the only place of the file system that it can touch.
 * Whoever may use it has a channel to it; what is kept is passed through as
 * bytes and never interpreted. Everything of this folder runs in that process
 * only.
 *
 * A handler waits for the disk, and for nothing else: no transaction is open
 * when it returns.
 */
#ifndef WORKER_STORE_STORE_H
#define WORKER_STORE_STORE_H

#include <sys/queue.h>

#include "../../common/channel.h"
#include "../../common/ipc.h"

struct client;
struct database;

struct store {
	struct event_base *base;
	struct channel *supervisor;
	struct database *database; /* NULL until the KEEP */
	TAILQ_HEAD(store_clients, client) clients;
};

/* routes.c: the dispatch table of this process. */
channel_handler *const *store_routes(void);

/* on_supervisor.c: the handlers. */
void store_on_keep(struct store *store, struct ipc_keep *keep);
void store_on_client(struct store *store, struct ipc_client *client);

#endif
