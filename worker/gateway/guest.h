/*
 * Guests: clients that have the same token, or none at a Unix socket, or that
 * came by a socket of figures, and the channel on which the supervisor knows
 * them.
 */
#ifndef WORKER_GATEWAY_GUEST_H
#define WORKER_GATEWAY_GUEST_H

#include <stdbool.h>

#include "gateway.h"
#include "http.h"

struct ask;

/*
 * The client of a request, and how it gets its answer; all are called with ctx.
 * answer is called once, or fail; after an answer with stream, event follows
 * until last.
 */
struct ask_client {
	const struct http_head *head;
	struct buffer *body; /* emptied when it was passed on; then: */
	void (*passed)(void *ctx, struct caller *guest);
	void (*answer)(void *ctx, const struct ipc_reply *reply,
	    const char *body, size_t len);
	void (*fail)(
	    void *ctx, int status, uint64_t retry, const char *message);
	void (*event)(void *ctx, const char *id, const char *data, size_t len,
	    int last);
	/* An answer with a file; or before it, where the body goes. */
	void (*file)(void *ctx, struct ipc_reply_file *reply);
	void (*await_body)(void *ctx, int *sink);
	void *ctx;
	bool local_user;      /* it needs no token */
	bool figures;        /* its socket is one of figures */
	bool counted;        /* it has limits by its address */
	const char *address; /* valid only during guest_ask */
};

/*
 * Returns the caller of the guest that a request comes from, borrowed; NULL if
 * no guest that is welcome has its token. local_user: it needs none.
 */
struct caller *guest_caller(const struct gateway *gateway,
    const struct http_head *head, int local_user);

/*
 * Passes a request on, now or as soon as its guest is welcome; client is
 * copied. Returns it, or NULL if it was answered already. It is freed by
 * ask_leave, or by itself before its last answer.
 */
struct ask *guest_ask(struct gateway *gateway, const struct ask_client *client);

/* The client has disconnected: frees it. */
void ask_leave(struct ask **ask);

/* The answers of the supervisor. */
void guest_welcome(struct gateway *gateway, uint64_t visit, int *channel);
void guest_turn_away(struct gateway *gateway, struct ipc_turn_away *away);
void guest_on_reply(struct guest *guest, struct ipc_reply *reply);
void guest_on_reply_file(struct guest *guest, struct ipc_reply_file *reply);
void guest_on_await_body(struct guest *guest, struct ipc_await_body *await);
void guest_on_event(struct guest *guest, struct ipc_event *event);

void guest_free_all(struct gateway *gateway);

#endif
