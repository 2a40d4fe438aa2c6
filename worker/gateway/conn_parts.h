/*
 * The parts of a connection, for conn.c, which reads requests, conn_answer.c,
 * which writes answers, conn_pour.c, which passes on bodies, conn_state.c,
 * which goes from one request to the next, and conn_room.c, which compares
 * connections.
 */
#ifndef WORKER_GATEWAY_CONN_PARTS_H
#define WORKER_GATEWAY_CONN_PARTS_H

#include <event2/event.h>
#include <stdbool.h>

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "gateway.h"

struct ask;
struct http_head;
struct http_parser;

enum conn_state {
	CONN_READING,   /* waits for a request, or for the rest of one */
	CONN_ASKED,     /* the request was passed on */
	CONN_POURING,   /* its body is passed on as it arrives */
	CONN_STREAMING, /* events are being sent */
	CONN_SENDING,   /* a file is being sent */
	CONN_WRITING,   /* the answer is complete, but not written */
	CONN_CLOSING,   /* the same, and it is the last one */
	CONN_LINGERING, /* what the client still sends is thrown away */
};

struct conn {
	LIST_ENTRY(conn) entry; /* in gateway->conns */
	struct gateway *gateway;
	const struct listener *listener;
	bool local_user;
	char *address; /* of the peer, which may be a proxy */
	struct caller *caller; /* NULL: it has no limits */
	/*
	 * Whom the present request counts for: its guest, or the address of a
	 * client that has no valid token. NULL before its head.
	 */
	struct caller *payer;
	int fd;
	enum conn_state state;
	struct event *readable;
	struct event *writable;
	struct event *closed;
	struct event *timer;
	struct event *more; /* reads on in rest, once others had their turn */
	struct http_parser *parser;
	struct buffer rest; /* read from the client, not used yet */
	size_t held;        /* bytes of its body counted in gateway->bodies */
	struct ask *ask;    /* CONN_ASKED and CONN_STREAMING */
	bool feeding;  /* cleared when a request is complete, or bytes lack */
	bool last;     /* no more requests after this one */
	bool bare;     /* no head was read: the answer depends on none */
	bool foreign;  /* its origin was refused */
	struct buffer unsent;
	size_t sent;    /* of unsent */
	size_t counted; /* bytes of unsent in gateway->unsent */
	struct conn_stream {
		int sink;   /* the pipe for its body; -1: none */
		struct event *writable; /* the pipe */
		size_t poured; /* bytes since its timer was set */
		int file;   /* the file that is sent; -1: none */
		uint64_t at, left; /* in the file */
	} stream;
	unsigned int silent; /* seconds without progress while unsent */
};

/* conn_state.c */

/* Return the head and the body of the present request. */
const struct http_head *conn_head(const struct conn *conn);
struct buffer *conn_body(struct conn *conn);

/* How much memory its body takes may have changed. */
void conn_count_body(struct conn *conn);

/* Logs why it is disconnected or refused. */
void conn_warn(struct conn *conn, const char *why);

/* Frees it from the loop, since its callers still use it. */
void conn_break(struct conn *conn);

void conn_set_timer(struct conn *conn, unsigned int seconds);

/* Reads more from the client, or what it has sent ahead. */
void conn_read_on(struct conn *conn);
/* Leaves the rest of a body where it is, until it is read on. */
void conn_hold_body(struct conn *conn);

/* An answer was written, after which the connection stays. */
void conn_next(struct conn *conn);

/* The last answer was written. */
void conn_linger(struct conn *conn);

/* Frees what conn->stream has. */
void conn_stream_reset(struct conn *conn);

/* conn_answer.c */

/* Returns how many bytes of answers are not written yet. */
size_t conn_unsent(const struct conn *conn);

/* Writes as many of them as the client takes now. */
void conn_write(struct conn *conn);

/* Has a client that waits for it send its body, if unread bytes of it are 0. */
void conn_go_on(struct conn *conn, size_t unread);

/* The event that it takes more: arg is the connection. */
void conn_on_writable(evutil_socket_t fd, short what, void *arg);

/* Answers the present request: see struct ask_client, whose ctx it is. */
void conn_answer(void *ctx, const struct ipc_reply *reply, const char *body,
    size_t len);
void conn_fail(void *ctx, int status, uint64_t retry, const char *message);
void conn_file(void *ctx, struct ipc_reply_file *reply);
void conn_event(
    void *ctx, const char *id, const char *data, size_t len, int last);

/* Sends a sign of life in a stream of events. */
void conn_send_alive(struct conn *conn);

/* conn_pour.c: bodies that are passed on, see struct ask_client. */

void conn_await_body(void *ctx, int *sink);

/* Passes on what has come of a body, as much as the pipe takes. */
void conn_pour(struct conn *conn);

/* conn_room.c */

/*
 * What a connection uses, for conn_heaviest: bytes that its client has not
 * read, and bytes of a body that is not complete.
 */
size_t conn_use_unsent(const struct conn *conn);
size_t conn_use_body(const struct conn *conn);

/*
 * Returns the connection that uses most, of the guest or address whose
 * connections together use most, which payer->sum says then; NULL if none uses
 * anything. So that one with many small shares is found, too.
 */
struct conn *conn_heaviest(
    const struct gateway *gateway, size_t (*use)(const struct conn *conn));

/*
 * Returns the connection of a caller (NULL: those without limits), without the
 * head of a request, that would be given up first; NULL if there is none.
 */
struct conn *conn_first_due(
    const struct gateway *gateway, const struct caller *caller);

/* Returns an idle connection of the address that has most, or NULL. */
struct conn *conn_most_idle(const struct gateway *gateway, size_t own);

/* Returns one with a request, of the guest or address with most, or NULL. */
struct conn *conn_most_busy(const struct gateway *gateway, size_t own);

#endif
