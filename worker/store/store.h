/*
 * The store: the data kept between executions, in one SQLite database in the
 * state directory, the only place of the file system that it can access. A
 * process that may use it has a channel to it; the data is passed through as
 * bytes and never interpreted. All files of this folder run in that process
 * only.
 *
 * A handler waits only for the disk: no transaction is open when it returns.
 * Lists of tools are not acknowledged: after the supervisor has closed its
 * channel, lists already sent by the broker are stored before the store exits.
 */
#ifndef WORKER_STORE_STORE_H
#define WORKER_STORE_STORE_H

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
	TAILQ_HEAD(store_grants, store_grant) grants;
	struct channel *lister; /* to the broker; NULL if there is none */
	struct event *lister_ending;
	int ending; /* it only waits for the end of the lister */
};

/* routes.c: the dispatch table of this process. */
channel_handler *const *store_routes(void);

/* on_supervisor.c: opens the database of KEEP, if that was received. */
void store_open(struct store *store);

/* on_supervisor.c: logs once why the database could not be opened. */
void store_log_fault(struct store *store);

/* on_supervisor.c: the handlers. */
void store_on_keep(struct store *store, struct ipc_keep *keep);
void store_on_grant_store(struct store *store, struct ipc_grant_store *grant);
void store_on_keep_output(
    struct store *store, struct ipc_keep_output *keep_output);
void store_on_read_output(
    struct store *store, struct ipc_read_output *read_output);
void store_on_lister(struct store *store, struct ipc_lister *lister);
void store_on_show(struct store *store, struct ipc_show *show);
void store_on_drop(struct store *store, struct ipc_drop *drop);

/* on_relay.c: the handlers, one grant each. */
void store_on_save_memory(
    struct store_grant *grant, struct ipc_save_memory *save);
void store_on_load_memory(
    struct store_grant *grant, struct ipc_load_memory *load);
void store_on_delete_memory(
    struct store_grant *grant, struct ipc_delete_memory *delete);
void store_on_list_memories(
    struct store_grant *grant, struct ipc_list_memories *list);
void store_on_save_tool(struct store_grant *grant, struct ipc_save_tool *save);
void store_on_load_tool(struct store_grant *grant, struct ipc_load_tool *load);
void store_on_list_saved_tools(
    struct store_grant *grant, struct ipc_list_saved_tools *list);
void store_on_load_output(
    struct store_grant *grant, struct ipc_load_output *load);

/* on_broker.c: the same. */
void store_on_recall(struct store *store, struct ipc_recall *recall);
void store_on_retain(struct store *store, struct ipc_retain *retain);

#endif
