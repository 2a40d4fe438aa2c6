/*
 * Accepts clients: see listener.h. Above a limit, more clients are
 * disconnected; without descriptors, they wait.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "callers.h"
#include "conn.h"
#include "listener.h"

union listener_peer {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

/*
 * Writes the peer's address without its port. A socket of IPv6 can also accept
 * clients of IPv4; their address is written as at a socket of IPv4, so that a
 * proxy and the limits of an address do not depend on the socket.
 */
static void
listener_name(const union listener_peer *peer, int fd, char *address)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	snprintf(address, HTTP_ADDRESS_MAX + 1, "unknown");
	if (peer->any.sa_family == AF_INET6 &&
	    IN6_IS_ADDR_V4MAPPED(&peer->in6.sin6_addr))
		inet_ntop(AF_INET, &peer->in6.sin6_addr.s6_addr[12], address,
		    HTTP_ADDRESS_MAX + 1);
	else if (peer->any.sa_family == AF_INET)
		inet_ntop(AF_INET, &peer->in.sin_addr, address,
		    HTTP_ADDRESS_MAX + 1);
	else if (peer->any.sa_family == AF_INET6)
		inet_ntop(AF_INET6, &peer->in6.sin6_addr, address,
		    HTTP_ADDRESS_MAX + 1);
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0)
		snprintf(address, HTTP_ADDRESS_MAX + 1, "user %u",
		    (unsigned int)who.uid);
}

/* The kernel has noted who connected. */
static int
listener_is_own(const struct listener *listener, int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return listener->local &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	    who.uid == listener->gateway->user;
}

static void
listener_accept(struct listener *listener, int *fd,
    const union listener_peer *peer)
{
	char address[HTTP_ADDRESS_MAX + 1];
	struct conn_from from = { listener, listener_is_own(listener, *fd),
		address, NULL };
	struct gateway *gateway = listener->gateway;

	listener_name(peer, *fd, address);
	if (!listener->local && strcmp(address, gateway->proxy) != 0)
		from.caller = caller_of(gateway, address);
	if (conn_make_room(gateway, from.caller)) {
		conn_new(gateway, fd, &from);
		return;
	}
	caller_warn(gateway, from.caller, address, WARNED_OTHER,
	    "there are too many");
	caller_drop(&from.caller);
}

static void
listener_on_rested(evutil_socket_t, short, void *arg)
{
	struct listener *listener = arg;

	if (listener->readable != NULL)
		event_add(listener->readable, NULL);
}

/* The client stays in the queue of the socket, which would call at once. */
static void
listener_pause(struct listener *listener)
{
	const struct timeval rest = { .tv_sec = 1 };

	log_warn("cannot accept clients: too many open files");
	event_del(listener->readable);
	event_base_once(listener->gateway->base, -1, EV_TIMEOUT,
	    listener_on_rested, listener, &rest);
}

static void
listener_on_readable(evutil_socket_t fd, short, void *arg)
{
	struct listener *listener = arg;
	union listener_peer peer = { .any.sa_family = AF_UNSPEC };
	socklen_t len = sizeof(peer);
	auto_fd int client = accept4((int)fd, &peer.any, &len,
	    SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (client != -1)
		listener_accept(listener, &client, &peer);
	else if (errno == EMFILE || errno == ENFILE)
		listener_pause(listener);
}

void
listener_new(struct gateway *gateway, struct ipc_listen *listen)
{
	struct listener *listener = mem_alloc(sizeof(*listener));

	listener->gateway = gateway;
	listener->fd = fd_take(&listen->socket);
	listener->local = (int)listen->local;
	listener->figures = (int)listen->figures;
	listener->hosts = mem_strdup(listen->hosts);
	LIST_INSERT_HEAD(&gateway->listeners, listener, entry);
}

void
listener_start_all(struct gateway *gateway)
{
	struct listener *listener;

	LIST_FOREACH(listener, &gateway->listeners, entry) {
		listener->readable = event_new(gateway->base, listener->fd,
		    EV_READ | EV_PERSIST, listener_on_readable, listener);
		event_add(listener->readable, NULL);
	}
}

void
listener_stop_all(struct gateway *gateway)
{
	struct listener *listener;

	LIST_FOREACH(listener, &gateway->listeners, entry) {
		loop_event_free(&listener->readable);
		fd_close(&listener->fd);
	}
}

void
listener_free_all(struct gateway *gateway)
{
	struct listener *listener;

	listener_stop_all(gateway);
	while (!LIST_EMPTY(&gateway->listeners)) {
		listener = LIST_FIRST(&gateway->listeners);
		LIST_REMOVE(listener, entry);
		free(listener->hosts);
		free(listener);
	}
}
