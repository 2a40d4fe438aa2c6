/*
 * One connection of a client: reads its requests, one at a time, and writes the
 * answers.
 */
#ifndef WORKER_GATEWAY_CONN_H
#define WORKER_GATEWAY_CONN_H

#include "gateway.h"

struct conn_from {
	const struct listener *listener;
	bool local_user; /* came by a Unix socket as the user of SERVE */
	const char *address; /* copied */
	struct caller *caller; /* taken; NULL: it has no limits */
};

/* Takes *fd, which is non-blocking. Freed when the client has disconnected. */
void conn_new(struct gateway *gateway, int *fd, const struct conn_from *from);

/* Ends those by which files are sent that count for this guest. */
void conn_cut_files(struct gateway *gateway, const struct caller *guest);

/* Frees all connections at once. */
void conn_free_all(struct gateway *gateway);

/*
 * Ends idle connections, and others after their request; after the last one
 * the process ends.
 */
void conn_drain_all(struct gateway *gateway);

/*
 * Makes room for a connection of a caller (NULL: it has no limits), if there
 * are too many: of the address that has most, one without an unanswered request
 * is closed; or else that of this caller which has been idle for longest; or
 * else one of the guest or address with most requests, if it has more than
 * HTTP_CONNECTIONS_KEPT. Returns whether there is room.
 */
int conn_make_room(struct gateway *gateway, const struct caller *caller);

#endif
