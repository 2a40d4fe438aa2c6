/*
 * A session: the channel to the relay of one execution, which is the right to
 * use some servers. They were named when the channel was passed; no message on
 * it can add one. A relay that breaks a rule loses its own session only. Runs
 * in the broker.
 */
#ifndef WORKER_BROKER_SESSION_H
#define WORKER_BROKER_SESSION_H

#include "ask.h"

/* Opens a session: takes the relay's channel and starts the servers to load. */
void session_new(struct broker *broker, struct ipc_session *msg);

/* Frees its asks; the servers are notified. */
void session_free(struct session **session);

/* Makes an ask of this session; it is in no list of the server yet. */
struct ask *session_new_ask(struct session *session, struct server *server,
    uint64_t id, enum ask_kind kind);

/* Answers a request, unless the relay has too much unread already. */
void session_answer(
    struct session *session, uint64_t id, const char *json, size_t len);
void session_refuse(struct session *session, uint64_t id, const char *reason,
    struct json_span error);

/*
 * Whether a request is accepted: returns 1, or 0 if it was refused, or the
 * session is over.
 */
int session_admit(struct session *session, uint64_t id);

/*
 * Whether a call with this many bytes of arguments may wait for its server, by
 * the bytes that wait for all servers and those of this execution.
 */
int session_has_room(const struct session *session, size_t len);

/* Refuses a request whose answer is not needed, if it is in flight. */
void session_cancel(struct session *session, uint64_t id);

/* The relay broke a rule: ends the session, from the loop. */
void session_break(struct session *session, const char *how);

/* Returns the owner of its execution, valid as long as the session. */
const char *session_owner(const struct session *session);

/* Returns the number of its execution. */
uint64_t session_execution(const struct session *session);

/* The broker of the session. */
struct broker *session_broker(const struct session *session);

/*
 * Returns the permitted server of this name that was loaded here or is
 * configured; if need_load is set, it must be loaded. Returns NULL if there is
 * none, and the request was refused.
 */
struct server *session_find(struct session *session, uint64_t id,
    const char *name, int need_load);

/*
 * The server of this name was stopped for this reason, and no other server has
 * its name. Until one has, each session that may use it refuses its requests
 * with that reason.
 */
void session_revoke_all(
    struct broker *broker, const char *name, const char *why);

/*
 * Loads a permitted server for this session, and starts it unless the session
 * has started SESSION_STARTS_MAX servers; its requests are refused then.
 */
void session_load(struct session *session, struct server *server);

/* Appends the description of its servers: an array, or one object. */
void session_describe(struct session *session, struct buffer *json);
void session_describe_server(
    struct session *session, struct server *server, struct buffer *json);

#endif
