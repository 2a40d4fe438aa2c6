/*
 * The store: the data kept between executions, in one SQLite database in the
 * state directory, the only place of the file system that it can access. A
 * process that may use it has a channel to it; the data is passed through as
 * bytes and never interpreted. All files of this folder run in that process
 * only.
 *
 * A handler waits only for the disk: no transaction is open when it returns.
 * Executions are not acknowledged: they are written together, some of them when
 * the supervisor has closed its channel.
 * Lists of tools are not acknowledged: after the supervisor has closed its
 * channel, lists already sent by the broker are stored before the store exits.
 */
#ifndef WORKER_STORE_STORE_H
#define WORKER_STORE_STORE_H

#include <stdbool.h>
#include <sys/queue.h>

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"

struct store_grant;
struct database;

struct store {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	int folder; /* -1 until KEEP arrives */
	struct database *database; /* NULL until KEEP arrives */
	char *fault; /* why it could not be opened, until reported */
	struct event *late; /* executions that wait are written */
	TAILQ_HEAD(store_grants, store_grant) grants;
	struct channel *lister; /* to the broker; NULL if there is none */
	struct event *lister_ending;
	bool ending; /* it only waits for the end of the lister */
};

/* on_supervisor.c: opens the database of KEEP, if that was received. */
void store_open(struct store *store);

/* on_supervisor.c: logs once why the database could not be opened. */
void store_log_fault(struct store *store);

/*
 * lister.c: the channel to the broker, which looks up and stores lists of
 * tools. A broker that breaks a rule loses it; the lists remain. Takes the
 * channel, which replaces an earlier one.
 */
void lister_set(struct store *store, struct ipc_lister *msg);
/* Waits until the broker has closed the channel, after all its messages. */
void lister_finish(struct store *store);
/* Ends the channel, if there is one. */
void lister_free(struct store *store);
/*
 * The broker broke a rule, or does not read: ends the channel, from the loop.
 */
void lister_break(struct store *store, const char *how);

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF store
#define IPC_SELF_IS_STORE
#define IPC_FROM_SUPERVISOR struct store
#define IPC_FROM_RELAY struct store_grant
#define IPC_FROM_BROKER struct store
#include "../../common/ipc/ipc_handlers.h"

#endif
