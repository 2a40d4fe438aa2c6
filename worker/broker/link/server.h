/*
 * A name has one definition at a time, each with a number (DEFINE). A struct
 * server is one definition of its name for one owner of executions. That of the
 * local user exists as long as the name is configured; that of another owner is
 * created when it is requested, and freed when it has no state left. A shared
 * server belongs to the local user and serves every owner. A server has at most
 * one live link at a time, each with a number (WANT). A link is one process
 * (link.h).
 *
 * A server holds its definition, the link to its running process, the asks that
 * wait for that, and the time before the next start. It outlives its name: a
 * server that is no longer configured belongs to the executions that have
 * loaded it, as long as its process runs. Another server may have its name
 * meanwhile. Runs in the broker.
 */
#ifndef WORKER_BROKER_SERVER_H
#define WORKER_BROKER_SERVER_H

#include "../state/ask.h"
#include "../state/definition.h"

/* The hold of an execution on a server that it has loaded. */
struct server_hold {
	LIST_ENTRY(server_hold) entry;
	struct server *server; /* NULL: none */
};

/*
 * Start and end a hold: a process that runs when its server is removed
 * continues until the last hold has ended. The server ends the hold itself when
 * it is removed and has no process (any more), and when it is revoked.
 */
void server_hold(struct server *server, struct server_hold *hold);
void server_unhold(struct server_hold *hold);

/*
 * Returns the configured server of this name for this owner, or NULL if none is
 * configured. That of an owner other than the local user lives until
 * server_drop_idle, unless it is used.
 */
struct server *server_find(
    struct broker *broker, const char *owner, const char *name);

/* Frees the server of an owner other than the local user, if it is unused. */
void server_drop_idle(
    struct broker *broker, const char *owner, const char *name);

/* Defines this server; replaces an earlier definition of its name. */
void server_define(struct broker *broker, const struct ipc_define *define);

/*
 * It is no longer configured, for any owner: existing asks are still answered.
 * A process of it ends when the last hold on it has ended.
 */
void server_remove(struct broker *broker, const char *name);

/*
 * The servers of this definition are no longer trusted, for this reason: their
 * processes end now, and their asks are refused. They may be removed already,
 * or freed. gone is called if there were any, and no other server has the name.
 */
void server_revoke(struct broker *broker, uint64_t number, const char *why,
    void (*gone)(struct broker *broker, const char *name, const char *why));

/* Only when the broker exits and no link is left. */
void server_free(struct server **server);

/*
 * Makes an ask of this server, which is in no list yet: see server_ask and
 * server_recall. The outcome is reported to the ends.
 */
struct ask *server_new_ask(struct server *server, const struct ask_ends *ends,
    uint64_t id, enum ask_kind kind);

/* Returns its name, valid as long as the server. */
const char *server_name(const struct server *server);

/* Returns the rules for its tools, valid as long as the server. */
const struct rules *server_rules(const struct server *server);

/*
 * Finds a tool of that name, a JSON string, in its remembered list, as
 * tools_find() does; the result is valid until the next list comes.
 */
int server_find_tool(const struct server *server, struct json_span name,
    struct json_span *tool);

/*
 * Returns the version of its remembered list, which changes with the list; 0:
 * there is none.
 */
uint64_t server_list(const struct server *server);

/*
 * Whether its list must be fetched before a call of this tool is judged: there
 * is none, or an old one that has not the tool, and it may have tools.
 */
int server_must_list(const struct server *server, struct json_span tool);

/* Appends {"name":…,"alias":…,"description":… without the closing brace. */
void server_describe(const struct server *server, struct buffer *json);

/* Appends: server "NAME". */
void server_begin_reason(const struct server *server, struct buffer *reason);

/* Whether a process of it runs, or is being started or stopped. */
int server_runs(const struct server *server);

/* Starts it, if it does not run. */
void server_load(struct server *server);

/*
 * Takes an ask: it is sent when the server runs. Until then it waits, at most
 * SERVER_WAIT_MS; a call also waits for a place (queue.h). A call that fits no
 * known list waits SERVER_RELIST_MS for a newer one.
 */
void server_ask(struct server *server, struct ask *ask);

/*
 * Takes an ask for its tools. While it cannot be sent at once, the remembered
 * list is the answer. If that is unknown, the ask waits for its start until
 * SERVER_LOOK_MS after the start began, or SERVER_LOOK_AGAIN_MS after failures;
 * it does not wait for the pause after failures.
 */
void server_recall(struct server *server, struct ask *ask);

/*
 * The result of list_store_recall is known, for the servers of this
 * fingerprint; for all if it is NULL.
 */
void server_recalled(struct broker *broker, const uint8_t *fingerprint);

/* Frees an ask that is no longer needed; the server is sent the reason. */
void server_withdraw(struct ask **ask, const char *why);

#endif
