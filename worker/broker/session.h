/*
 * A session: the channel to the relay of one execution, and with it the right
 * to some servers. Which ones was said when the channel came; nothing that
 * comes on it can widen that. A relay that breaks a rule loses its session,
 * and no other session anything. Runs in the broker.
 */
#ifndef WORKER_BROKER_SESSION_H
#define WORKER_BROKER_SESSION_H

#include "ask.h"

/* Begins a session: takes the relay's channel and starts what is loaded. */
void session_new(struct broker *broker, struct ipc_session *msg);

/* Frees its asks; the servers are told. */
void session_free(struct session **session);

/* Makes an ask of this session; it is in no list of the server yet. */
struct ask *session_new_ask(struct session *session, struct server *server,
    uint64_t id, enum ask_kind kind);

/* Answers a request, if the relay has not too much unread already. */
void session_answer(
    struct session *session, uint64_t id, const char *json, size_t len);
void session_refuse(struct session *session, uint64_t id, const char *reason,
    struct json_span error);

/*
 * Whether a request may begin: returns 1, or 0 when it was refused, or the
 * session is over.
 */
int session_admit(struct session *session, uint64_t id);

/*
 * Whether a call with so many bytes of arguments may wait for its server, by
 * what waits for all servers and what this execution has under way.
 */
int session_has_room(const struct session *session, size_t len);

/* Refuses a request that is not waited for, if it is in flight. */
void session_cancel(struct session *session, uint64_t id);

/* The relay broke a rule: ends the session, in a moment. */
void session_break(struct session *session, const char *how);

/* Returns whose execution it is, as long as it lasts. */
const char *session_owner(const struct session *session);

/* Returns the number of its execution. */
uint64_t session_execution(const struct session *session);

/* The broker that it is a session of. */
struct broker *session_broker(const struct session *session);

/*
 * The server of this name: one that is allowed, and that was loaded here or is
 * configured; with need_load set it must be loaded. Returns NULL when there is
 * none, and the request was refused.
 */
struct server *session_find(struct session *session, uint64_t id,
    const char *name, int need_load);

/*
 * The server of this name was stopped because of why, and no other one has its
 * name: until one has, each session that may use it refuses its requests so.
 */
void session_revoke_all(
    struct broker *broker, const char *name, const char *why);

/*
 * Loads an allowed server for this session, and starts it unless the session
 * has started SESSION_STARTS_MAX servers: then what is asked of it is refused.
 */
void session_load(struct session *session, struct server *server);

/* Appends what is said of its servers: an array, or one object. */
void session_describe(struct session *session, struct buffer *json);
void session_describe_server(
    struct session *session, struct server *server, struct buffer *json);

#endif
