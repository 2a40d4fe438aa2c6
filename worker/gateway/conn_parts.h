/*
 * The parts of a connection, for conn.c, which reads and writes, and for
 * conn_room.c, which compares connections. Runs in the gateway.
 */
#ifndef WORKER_GATEWAY_CONN_PARTS_H
#define WORKER_GATEWAY_CONN_PARTS_H

#include "../../common/buffer.h"
#include "gateway.h"

struct ask;
struct event;
struct http_reader;

enum conn_state {
	CONN_READING,   /* waits for a request, or for the rest of one */
	CONN_ASKED,     /* the request was passed on */
	CONN_STREAMING, /* events are being sent */
	CONN_WRITING,   /* the answer is complete, but not written */
	CONN_CLOSING,   /* the same, and it is the last one */
	CONN_LINGERING, /* what the client still sends is thrown away */
};

struct conn {
	LIST_ENTRY(conn) entry; /* in gateway->conns */
	struct gateway *gateway;
	const struct listener *listener;
	int own_user;
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
	struct http_reader *reader;
	struct buffer rest; /* read from the client, not used yet */
	size_t held;        /* bytes of its body counted in gateway->bodies */
	struct ask *ask;    /* CONN_ASKED and CONN_STREAMING */
	int feeding;  /* cleared when a request is complete, or bytes lack */
	int last;     /* no more requests after this one */
	int bare;     /* no head was read: the answer depends on none */
	int foreign;  /* its origin was refused */
	struct buffer unsent;
	size_t sent;    /* of unsent */
	size_t counted; /* bytes of unsent in gateway->unsent */
	unsigned int silent; /* seconds without progress while unsent */
};

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

/* Returns an idle connection of the address that has most, or NULL. */
struct conn *conn_most_idle(const struct gateway *gateway, size_t own);

/* Returns one that is not idle, of the guest or address with most, or NULL. */
struct conn *conn_most_busy(const struct gateway *gateway, size_t own);

#endif
