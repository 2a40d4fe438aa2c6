/*
 * The gateway as the supervisor sees it: see gateway.h. After its end it is
 * restarted once a second at most; sockets and sessions outlive it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../process/process.h"
#include "gateway.h"

struct gateway_guest {
	LIST_ENTRY(gateway_guest) entry; /* in gateway->guests */
	struct gateway_peer peer;
	struct gateway_guest_user user;
	struct channel *channel; /* NULL: its process has ended */
};

struct gateway {
	struct gateway_terms terms;
	struct gateway_user user;
	struct gateway_peer peer;
	struct service service;
	LIST_HEAD(, gateway_guest) guests;
};

static void
gateway_guest_free(struct gateway_guest *guest)
{
	LIST_REMOVE(guest, entry);
	channel_free(&guest->channel);
	free(guest);
}

void
gateway_dismiss(struct gateway_guest **guestp)
{
	struct gateway_guest *guest = mem_take(guestp);

	if (guest != NULL)
		gateway_guest_free(guest);
}

static void
gateway_guest_lose(struct gateway_guest *guest)
{
	const struct gateway_guest_user user = guest->user;

	gateway_guest_free(guest);
	user.gone(user.ctx);
}

/* Its guests cannot be sent anything. */
static void
gateway_forget_process(void *ctx)
{
	struct gateway_peer *peer = ctx;
	struct gateway_guest *guest;

	LIST_FOREACH (guest, &peer->gateway->guests, entry)
		channel_free(&guest->channel);
}

static void
gateway_on_failed(void *ctx, const char *)
{
	struct gateway_peer *peer = ctx;

	while (!LIST_EMPTY(&peer->gateway->guests))
		gateway_guest_lose(LIST_FIRST(&peer->gateway->guests));
}

static void
gateway_on_guest_closed(void *ctx, const struct err *why)
{
	struct gateway_peer *peer = ctx;

	if (why != NULL)
		service_closed(&peer->gateway->peer, why);
	else
		gateway_guest_lose(peer->guest);
}

/* Starting it */

static int
gateway_pass_socket(struct gateway *gateway,
    const struct gateway_socket *socket, struct err *err)
{
	struct ipc_listen listen = { .local = (uint64_t)socket->local,
		.figures = (uint64_t)socket->figures,
		.hosts = socket->hosts,
		.socket = fcntl(socket->fd, F_DUPFD_CLOEXEC, 0) };

	if (listen.socket == -1)
		return err_sys(err, "pass a socket on");
	return channel_send_listen(gateway->service.channel, &listen, err);
}

static int
gateway_start_process(void *ctx, struct err *err)
{
	struct gateway *gateway = ((struct gateway_peer *)ctx)->gateway;
	const struct gateway_terms *terms = &gateway->terms;
	struct ipc_serve serve = { .log_terms = log_terms(),
		.user = getuid(),
		.body_max = terms->body_max,
		.origins = terms->origins,
		.proxy = terms->proxy };
	size_t i;

	if (service_start(&gateway->service, err) == -1)
		return -1;
	for (i = 0; i < terms->nsockets; i++)
		if (gateway_pass_socket(gateway, &terms->sockets[i], err) == -1)
			return -1;
	return channel_send_serve(gateway->service.channel, &serve, err);
}

int
gateway_start(struct gateway *gateway, const struct gateway_terms *terms,
    const struct gateway_user *user, struct err *err)
{
	gateway->terms = *terms;
	gateway->user = *user;
	return service_want(&gateway->service, err);
}

struct gateway *
gateway_new(const struct peers_setup *setup, const struct peers *)
{
	struct gateway *gateway = mem_alloc(sizeof(*gateway));

	gateway->peer.gateway = gateway;
	gateway->service = (struct service){ .base = setup->base,
		.role = ROLE_GATEWAY,
		.ctx = &gateway->peer,
		.start = gateway_start_process,
		.forget = gateway_forget_process,
		.failed = gateway_on_failed,
		.again_ms = GATEWAY_RESTART_MS };
	return gateway;
}

void
gateway_drain(struct gateway *gateway)
{
	struct ipc_drain drain = { 0 };
	struct err err;

	gateway->service.again_ms = 0;
	gateway->service.leaving = true;
	if (gateway->service.channel != NULL &&
	    channel_send_drain(gateway->service.channel, &drain, &err) == -1)
		log_warn("the gateway cannot be told to end: %s", err.text);
}

int
gateway_ended(const struct gateway *gateway)
{
	return gateway->service.channel == NULL;
}

void
gateway_stop(struct gateway *gateway)
{
	while (!LIST_EMPTY(&gateway->guests))
		gateway_guest_free(LIST_FIRST(&gateway->guests));
	service_stop(&gateway->service);
}

void
gateway_free(struct gateway **gatewayp)
{
	struct gateway *gateway = mem_take(gatewayp);

	if (gateway == NULL)
		return;
	gateway_stop(gateway);
	free(gateway);
}

/* Guests */

struct gateway_guest *
gateway_welcome(struct gateway *gateway, uint64_t visit,
    const struct gateway_guest_user *user)
{
	struct gateway_guest *guest;
	struct ipc_welcome welcome = { .visit = visit };
	struct channel_ends ends;
	auto_fd int ours = -1;
	struct err err;

	if (gateway->service.channel == NULL)
		return NULL;
	if (ipc_pair(&ours, &welcome.guest, 0, &err) == -1 ||
	    channel_send_welcome(gateway->service.channel, &welcome, &err) ==
	        -1) {
		log_error("a guest cannot be welcomed: %s", err.text);
		return NULL;
	}
	guest = mem_alloc(sizeof(*guest));
	guest->peer = (struct gateway_peer){ gateway, guest };
	guest->user = *user;
	ends = worker_ends(ROLE_GATEWAY, gateway_on_guest_closed, &guest->peer);
	guest->channel = channel_new(gateway->service.base, &ours, &ends);
	LIST_INSERT_HEAD(&gateway->guests, guest, entry);
	return guest;
}

void
gateway_turn_away(struct gateway *gateway, uint64_t visit, int status,
    unsigned int seconds, const char *reason)
{
	struct ipc_turn_away away = { visit, (uint64_t)status, seconds, reason,
		0 };
	struct err err;

	if (gateway->service.channel != NULL &&
	    channel_send_turn_away(gateway->service.channel, &away, &err) ==
	        -1)
		log_warn("a guest cannot be turned away: %s", err.text);
}

/* fd: its descriptor, or NULL. */
static void
gateway_send(struct gateway_guest *guest, enum ipc_type type, void *message,
    int *fd)
{
	struct err err;

	if (guest->channel != NULL)
		service_sent(&guest->peer.gateway->service,
		    channel_send(guest->channel, type, message, &err), &err);
	else if (fd != NULL)
		fd_close(fd);
}

void
gateway_reply(struct gateway_guest *guest, struct ipc_reply *reply)
{
	gateway_send(guest, IPC_REPLY, reply, NULL);
}

void
gateway_event(struct gateway_guest *guest, struct ipc_event *event)
{
	gateway_send(guest, IPC_EVENT, event, NULL);
}

void
gateway_reply_file(struct gateway_guest *guest, struct ipc_reply_file *reply)
{
	gateway_send(guest, IPC_REPLY_FILE, reply, &reply->file);
}

void
gateway_await_body(struct gateway_guest *guest, struct ipc_await_body *await)
{
	gateway_send(guest, IPC_AWAIT_BODY, await, &await->sink);
}

size_t
gateway_unsent(const struct gateway_guest *guest)
{
	return guest->channel == NULL ? 0 : channel_unsent(guest->channel);
}

/* The handlers: each message belongs to one of the two kinds of channels. */

void
gateway_hear_hello(struct gateway_peer *peer, struct ipc_hello *hello)
{
	struct gateway *gateway = peer->gateway;

	if (peer->guest != NULL)
		service_violate(&gateway->peer, "a guest says hello");
	else
		gateway->user.hello(gateway->user.ctx, hello);
}

void
gateway_hear_ask(struct gateway_peer *peer, struct ipc_ask *ask)
{
	if (peer->guest == NULL)
		service_violate(&peer->gateway->peer, "a request of no guest");
	else
		peer->guest->user.asked(peer->guest->user.ctx, ask);
}

void
gateway_hear_client_gone(
    struct gateway_peer *peer, struct ipc_client_gone *gone)
{
	if (peer->guest == NULL)
		service_violate(&peer->gateway->peer, "no guest has left");
	else
		peer->guest->user.client_gone(
		    peer->guest->user.ctx, gone->request);
}
