/*
 * A name has one definition after the other, each with a number (DEFINE).
 * A struct server is one definition of its name, for one owner of executions:
 * our user, for whom it is there as long as the name is configured; or another
 * one, for whom it is made when it is asked for, and freed when nothing is left
 * of it. One that is shared is our user's and everybody's.
 * A server has at most one live link at a time, each with a number (WANT).
 * A link is one process (link.h).
 *
 * A server holds what it is called, the link to the process of it that runs,
 * the asks that wait for that, and the time to wait before the next start. It
 * outlives its name: a server that is no longer configured belongs to the
 * executions that have loaded it, as long as its process runs. Another server
 * may have its name meanwhile. Runs in the broker.
 */
#ifndef WORKER_BROKER_SERVER_H
#define WORKER_BROKER_SERVER_H

#include "ask.h"
#include "definition.h"

/* The hold of an execution on a server that it has loaded. */
struct server_hold {
	LIST_ENTRY(server_hold) entry;
	struct server *server; /* NULL: none */
};

/*
 * Begins and ends a hold: a process of the server that runs when it is removed
 * goes on until the last hold has ended. The server ends the hold itself when
 * it is removed and has no process (any more), and when it is revoked.
 */
void server_hold(struct server *server, struct server_hold *hold);
void server_unhold(struct server_hold *hold);

/*
 * Returns the configured server of this name as this owner has it, or NULL
 * when none is configured. That of another owner than our user lives until
 * server_drop_idle, unless something is asked of it.
 */
struct server *server_find(
    struct broker *broker, const char *owner, const char *name);

/* Frees the server of an owner that is not our user, if nothing needs it. */
void server_drop_idle(
    struct broker *broker, const char *owner, const char *name);

/* There is this server; what was said of its name is replaced. */
void server_define(struct broker *broker, const struct ipc_define *define);

/*
 * It is no longer configured, for any owner: what was asked of it is still
 * answered. A process of it ends when the last hold on it has ended.
 */
void server_remove(struct broker *broker, const char *name);

/*
 * The servers of this definition are not trusted any more, because of why:
 * their processes end now, and what was asked of them is refused. They may be
 * removed already, or gone. gone is called, when there were any, and no other
 * server has the name.
 */
void server_revoke(struct broker *broker, uint64_t number, const char *why,
    void (*gone)(struct broker *broker, const char *name, const char *why));

/* Only at the end of the broker, when no link is left. */
void server_free(struct server **server);

/*
 * Makes an ask of this server, which is in no list yet: see server_ask and
 * server_recall. The outcome is reported to the ends.
 */
struct ask *server_new_ask(struct server *server, const struct ask_ends *ends,
    uint64_t id, enum ask_kind kind);

/* Returns its name, which lives as long as the server. */
const char *server_name(const struct server *server);

/* Returns which of its tools may be used; lives as long as the server. */
const struct rules *server_rules(const struct server *server);

/* Whether it has listed a tool of that name, as far as is remembered. */
int server_lists(const struct server *server, struct json_span name);

/* Appends {"name":…,"alias":…,"description":… without the closing brace. */
void server_describe(const struct server *server, struct buffer *json);

/* Appends: server "NAME". */
void server_begin_reason(const struct server *server, struct buffer *reason);

/* Whether a process of it runs, or is being started or stopped. */
int server_runs(const struct server *server);

/* Begins to start it, if it does not run. */
void server_load(struct server *server);

/*
 * Takes an ask: it is sent when the server runs, or waits, SERVER_WAIT_MS at
 * most, until it does; a call waits also while it has no place (queue.h).
 */
void server_ask(struct server *server, struct ask *ask);

/*
 * Takes an ask for its tools: while it cannot be asked at once, what it said
 * when it was last asked will do. Where that is not known, its start is waited
 * for, until SERVER_LOOK_MS after it began; after failures until
 * SERVER_LOOK_AGAIN_MS, and the pause before it not at all.
 */
void server_recall(struct server *server, struct ask *ask);

/*
 * What came of archive_recall is known: for the servers of this fingerprint;
 * for all when it is NULL.
 */
void server_recalled(struct broker *broker, const uint8_t *fingerprint);

/* Frees an ask that is no longer needed; the server is told why. */
void server_withdraw(struct ask **ask, const char *why);

#endif
