/* A listening socket: accepts clients. */
#ifndef WORKER_GATEWAY_LISTENER_H
#define WORKER_GATEWAY_LISTENER_H

#include "gateway.h"

struct listener {
	LIST_ENTRY(listener) entry; /* in gateway->listeners */
	struct gateway *gateway;
	int fd;
	bool local; /* a Unix socket */
	bool figures; /* nothing else is answered */
	char *hosts; /* that its requests may name */
	struct event *readable;
};

/* Takes the socket. Nothing is accepted before listener_start_all. */
void listener_new(struct gateway *gateway, struct ipc_listen *listen);
void listener_start_all(struct gateway *gateway);
/* Closes all sockets: no more clients are accepted. */
void listener_stop_all(struct gateway *gateway);
void listener_free_all(struct gateway *gateway);

#endif
