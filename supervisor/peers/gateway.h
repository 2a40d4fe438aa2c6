/*
 * The gateway as the supervisor sees it: HTTP requests of guests, whose answers
 * go back. A guest is bound to an owner when it is welcomed; its later messages
 * contain no identity. Runs in the supervisor, which parses no HTTP.
 */
#ifndef SUPERVISOR_GATEWAY_H
#define SUPERVISOR_GATEWAY_H

#include "../../common/ipc/channel.h"
#include "peers.h"

struct gateway_guest;

/* The user of a gateway. */
struct gateway_user {
	/*
	 * Called with ctx by a guest that asks to be welcomed: answers with
	 * gateway_welcome or gateway_turn_away, now or later.
	 */
	void (*hello)(void *ctx, const struct ipc_hello *hello);
	void *ctx;
};

/* The user of a guest; all are called with ctx. */
struct gateway_guest_user {
	/* A request, answered by a REPLY, now or later. */
	void (*asked)(void *ctx, struct ipc_ask *ask);
	/* The client of an unanswered request has disconnected. */
	void (*client_gone)(void *ctx, uint64_t request);
	/* The gateway has closed its channel, or ended: it is freed. */
	void (*gone)(void *ctx);
	void *ctx;
};

/* A socket at which clients are accepted. */
struct gateway_socket {
	int fd; /* owned by the caller, open as long as the gateway */
	int local; /* a Unix socket */
	int figures; /* nothing else can be read there */
	const char *hosts; /* as the field of LISTEN */
};

/* What the gateway needs to know; borrowed as long as the gateway. */
struct gateway_terms {
	const struct gateway_socket *sockets;
	size_t nsockets;
	uint64_t body_max;
	const char *origins; /* as the fields of SERVE */
	const char *proxy;
};

/*
 * Starts its process, which accepts clients; both are copied. Returns 0, or -1
 * with err.
 */
int gateway_start(struct gateway *gateway, const struct gateway_terms *terms,
    const struct gateway_user *user, struct err *err);

/*
 * Accepts no more clients, and closes connections after their requests; then
 * its process ends.
 */
void gateway_drain(struct gateway *gateway);

/* Returns whether it has no process: after gateway_drain, all is sent. */
int gateway_ended(const struct gateway *gateway);

/* Ends its process, for good; guests are freed, and not told. */
void gateway_stop(struct gateway *gateway);

/*
 * Answers a hello: the guest, which is freed by gateway_dismiss or after gone;
 * user is copied. NULL if no channel can be made.
 */
struct gateway_guest *gateway_welcome(struct gateway *gateway, uint64_t visit,
    const struct gateway_guest_user *user);

/* Answers a hello; seconds: for Retry-After, 0 for none. */
void gateway_turn_away(struct gateway *gateway, uint64_t visit, int status,
    unsigned int seconds, const char *reason);

/*
 * Closes the channel of a guest, and frees it without calling gone. Requests
 * without an answer get status 401; streams of events end.
 */
void gateway_dismiss(struct gateway_guest **guest);

/* Send an answer, or an event of one, and take its descriptors. */
void gateway_reply(struct gateway_guest *guest, struct ipc_reply *reply);
void gateway_event(struct gateway_guest *guest, struct ipc_event *event);
void gateway_reply_file(
    struct gateway_guest *guest, struct ipc_reply_file *reply);
void gateway_await_body(
    struct gateway_guest *guest, struct ipc_await_body *await);

/* Returns the bytes that wait to be sent to it. */
size_t gateway_unsent(const struct gateway_guest *guest);

/* The context of the handlers. */
struct gateway_peer {
	struct gateway *gateway;
	struct gateway_guest *guest; /* NULL: the gateway itself */
};

/* Called by the handlers of these messages. */
void gateway_hear_hello(struct gateway_peer *peer, struct ipc_hello *hello);
void gateway_hear_ask(struct gateway_peer *peer, struct ipc_ask *ask);
void gateway_hear_client_gone(
    struct gateway_peer *peer, struct ipc_client_gone *gone);

#endif
