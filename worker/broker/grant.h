/* The grants of executions, and what they ask for. */
#ifndef WORKER_BROKER_GRANT_H
#define WORKER_BROKER_GRANT_H

#include <stdbool.h>

#include "../../common/ipc/exchange.h"
#include "link/link.h"
#include "state/state.h"

/*
 * A grant: the channel to the relay of one execution, which is the right to use
 * some servers. They were named when the channel was passed; no message on it
 * can add one. A relay that breaks a rule loses its own grant only.
 */

/* A server that a grant may use, by its name. */
struct grant_right {
	const char *name; /* within the grant's names */
	bool loaded;
	bool started; /* it was started for this grant, and counts */
	struct server_hold hold; /* the server that this grant has loaded */
	/* Why the last server of this name was stopped, or NULL. */
	char *revoked;
};

/* Others than grant.c only read it, and end it by exchange_break(). */
struct grant {
	TAILQ_ENTRY(grant) entry; /* of the broker */
	struct broker *broker;
	struct exchange exchange;
	char *owner;
	uint64_t patience; /* milliseconds without a sign of the server */
	uint64_t longest;  /* the same of a whole call */
	char *names; /* each with its NUL */
	struct grant_right *rights;
	size_t nrights;
	size_t nstarted; /* of them */
	struct ask_list asks; /* under way */
	size_t nasks;
	bool remember; /* report the shapes of results */
	unsigned int can_ask; /* its client: bits of enum client_asked */
	uint64_t client;      /* its number; 0: none */
};

/* Makes a grant: takes the relay's channel and starts the servers to load. */
void grant_new(struct broker *broker, struct ipc_grant_servers *msg);

/* Frees its asks; the servers are notified. */
void grant_free(struct grant **grant);

/* Makes an ask of this grant; it is in no list of the server yet. */
struct ask *grant_new_ask(struct grant *grant, struct server *server,
    uint64_t id, enum ask_kind kind);

/* Answers a request, unless the relay has too much unread already. */
void grant_answer(
    struct grant *grant, uint64_t id, const char *json, size_t len);
void grant_refuse(struct grant *grant, uint64_t id, const char *reason,
    struct json_span error);

/*
 * Whether a request is accepted: returns 1, or 0 if it was refused, or the
 * grant is over.
 */
int grant_admit(struct grant *grant, uint64_t id);

/*
 * Whether a call with this many bytes of arguments may wait for its server, by
 * the bytes that wait for all servers and those of this execution.
 */
int grant_has_room(const struct grant *grant, size_t len);

/* Refuses a request whose answer is not needed, if it is in flight. */
void grant_cancel(struct grant *grant, uint64_t id);

/*
 * Returns the permitted server of this name that was loaded here or is
 * configured; if need_load is set, it must be loaded. Returns NULL if there is
 * none, and the request was refused.
 */
struct server *grant_find(struct grant *grant, uint64_t id,
    const char *name, int need_load);

/*
 * The server of this name was stopped for this reason, and no other server has
 * its name. Until one has, each grant that may use it refuses its requests
 * with that reason.
 */
void grant_revoke_all(struct broker *broker, const char *name, const char *why);

/*
 * Loads a permitted server for this grant, and starts it unless the grant
 * has started GRANT_STARTS_MAX servers; its requests are refused then.
 */
void grant_load(struct grant *grant, struct server *server);

/* Appends the description of its servers: an array, or one object. */
void grant_describe(struct grant *grant, struct buffer *json);
void grant_describe_server(
    struct grant *grant, struct server *server, struct buffer *json);

/*
 * A call of a tool on its way to its server. Its arguments are compared with
 * the schema in the list of tools that is known. If none is known, the call
 * waits for the list. If they do not fit, it waits SERVER_RELIST_MS for another
 * one: the server may take today what it refused yesterday. Nothing that does
 * not fit reaches a server.
 */

/*
 * Whether the tool of this name, a JSON string, may not be called by the
 * configuration of its server; if so, appends the sentence that says why.
 */
int call_is_barred(const struct server *server, struct json_span tool,
    struct buffer *reason);

/*
 * Begins a call that is permitted: tool is a JSON string, arguments an object,
 * both on one line; both are copied.
 */
void call_begin(struct grant *grant, struct server *server, uint64_t id,
    struct json_span tool, struct json_span arguments);

/*
 * Asks a server for what ASK_SERVER says; method may be NULL: it is refused.
 * name is a JSON string or of length 0, arguments an object; both are copied.
 */
void call_ask(struct grant *grant, struct server *server, uint64_t id,
    const struct method *method, struct json_span name,
    struct json_span arguments);

#endif
