/*
 * A permit: the channel to the relay of one execution, which is the right to
 * use some servers. They were named when the channel was passed; no message on
 * it can add one. A relay that breaks a rule loses its own permit only. Runs
 * in the broker.
 */
#ifndef WORKER_BROKER_PERMIT_H
#define WORKER_BROKER_PERMIT_H

#include "state/ask.h"

/* Makes a permit: takes the relay's channel and starts the servers to load. */
void permit_new(struct broker *broker, struct ipc_grant_servers *msg);

/* Frees its asks; the servers are notified. */
void permit_free(struct permit **permit);

/* Makes an ask of this permit; it is in no list of the server yet. */
struct ask *permit_new_ask(struct permit *permit, struct server *server,
    uint64_t id, enum ask_kind kind);

/* Answers a request, unless the relay has too much unread already. */
void permit_answer(
    struct permit *permit, uint64_t id, const char *json, size_t len);
void permit_refuse(struct permit *permit, uint64_t id, const char *reason,
    struct json_span error);

/*
 * Whether a request is accepted: returns 1, or 0 if it was refused, or the
 * permit is over.
 */
int permit_admit(struct permit *permit, uint64_t id);

/*
 * Whether a call with this many bytes of arguments may wait for its server, by
 * the bytes that wait for all servers and those of this execution.
 */
int permit_has_room(const struct permit *permit, size_t len);

/* Refuses a request whose answer is not needed, if it is in flight. */
void permit_cancel(struct permit *permit, uint64_t id);

/* The relay broke a rule: ends the permit, from the loop. */
void permit_break(struct permit *permit, const char *how);

/* Returns the owner of its execution, valid as long as the permit. */
const char *permit_owner(const struct permit *permit);

/* Returns the number of its execution. */
uint64_t permit_execution(const struct permit *permit);

/* The broker of the permit. */
struct broker *permit_broker(const struct permit *permit);

/*
 * Returns the permitted server of this name that was loaded here or is
 * configured; if need_load is set, it must be loaded. Returns NULL if there is
 * none, and the request was refused.
 */
struct server *permit_find(struct permit *permit, uint64_t id,
    const char *name, int need_load);

/*
 * The server of this name was stopped for this reason, and no other server has
 * its name. Until one has, each permit that may use it refuses its requests
 * with that reason.
 */
void permit_revoke_all(
    struct broker *broker, const char *name, const char *why);

/*
 * Loads a permitted server for this permit, and starts it unless the permit
 * has started GRANT_STARTS_MAX servers; its requests are refused then.
 */
void permit_load(struct permit *permit, struct server *server);

/* Appends the description of its servers: an array, or one object. */
void permit_describe(struct permit *permit, struct buffer *json);
void permit_describe_server(
    struct permit *permit, struct server *server, struct buffer *json);

#endif
