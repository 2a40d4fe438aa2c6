/*
 * The gateway as the supervisor sees it: see gateway.h. After its end it is
 * restarted once a second at most; sockets and sessions outlive it. Runs in the
 * supervisor.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../process/process.h"
#include "gateway.h"

struct gateway_guest {
	LIST_ENTRY(gateway_guest) entry; /* in gateway->guests */
	struct gateway_peer peer;
	struct gateway_guest_user user;
	struct channel *channel;
	int broken; /* nothing can be sent any more */
};

struct gateway {
	struct gateway_terms terms;
	struct gateway_user user;
	struct gateway_peer peer;
	struct service service;
	struct event *again; /* restarts it */
	int draining;        /* it ends by itself */
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

static void
gateway_start_later(struct gateway *gateway)
{
	const struct timeval pause = clock_timeval(GATEWAY_RESTART_MS);

	if (!gateway->draining)
		event_add(gateway->again, &pause);
}

/* Ends the process; it is started again a moment later. */
static void
gateway_restart(struct gateway *gateway)
{
	service_end(&gateway->service);
	while (!LIST_EMPTY(&gateway->guests))
		gateway_guest_lose(LIST_FIRST(&gateway->guests));
	gateway_start_later(gateway);
}

static void
gateway_fail(struct gateway *gateway, const char *why)
{
	log_error("protocol violation by the gateway: %s", why);
	gateway_restart(gateway);
}

/* A channel of it was lost, or it has violated the protocol. */
static void
gateway_break(struct gateway *gateway, const struct err *why)
{
	log_error("%s the gateway: %s", channel_blame(why), why->text);
	gateway_restart(gateway);
}

static void
gateway_on_closed(void *ctx, const struct err *why)
{
	struct gateway_peer *peer = ctx;
	struct gateway *gateway = peer->gateway;

	if (why != NULL) {
		gateway_break(gateway, why);
		return;
	}
	if (!gateway->draining)
		log_error("gateway exited; its connections are lost; it "
		    "restarts");
	gateway_restart(gateway);
}

static void
gateway_on_guest_closed(void *ctx, const struct err *why)
{
	struct gateway_peer *peer = ctx;

	if (why != NULL)
		gateway_break(peer->gateway, why);
	else
		gateway_guest_lose(peer->guest);
}

/* Starting it */

static int
gateway_pass_socket(struct gateway *gateway,
    const struct gateway_socket *socket, struct err *err)
{
	struct ipc_listen listen = { .local = (uint64_t)socket->local,
		.hosts = socket->hosts,
		.socket = fcntl(socket->fd, F_DUPFD_CLOEXEC, 0) };

	if (listen.socket == -1)
		return err_sys(err, "pass a socket on");
	return channel_send_listen(gateway->service.channel, &listen, err);
}

static int
gateway_begin(struct gateway *gateway, struct err *err)
{
	const struct gateway_terms *terms = &gateway->terms;
	struct ipc_serve serve = { .log_level = log_level_get(),
		.user = getuid(),
		.body_max = terms->body_max,
		.origins = terms->origins,
		.proxy = terms->proxy };
	size_t i;

	if (service_start(&gateway->service, err) == -1)
		return -1;
	for (i = 0; i < terms->nsockets; i++)
		if (gateway_pass_socket(gateway, &terms->sockets[i], err) ==
		    -1)
			return -1;
	return channel_send_serve(gateway->service.channel, &serve, err);
}

/* Starts its process. Returns 0, or -1 with err. */
static int
gateway_try(struct gateway *gateway, struct err *err)
{
	if (gateway_begin(gateway, err) == 0)
		return 0;
	service_end(&gateway->service);
	return -1;
}

int
gateway_start(struct gateway *gateway, const struct gateway_terms *terms,
    const struct gateway_user *user, struct err *err)
{
	gateway->terms = *terms;
	gateway->user = *user;
	return gateway_try(gateway, err);
}

static void
gateway_on_again(evutil_socket_t fd, short what, void *arg)
{
	struct gateway *gateway = arg;
	struct err err;

	(void)fd;
	(void)what;
	if (gateway->service.channel != NULL)
		gateway_restart(gateway);
	else if (gateway_try(gateway, &err) == -1) {
		log_error("the gateway cannot be started: %s; the next attempt "
		    "follows", err.text);
		gateway_start_later(gateway);
	}
}

struct gateway *
gateway_new(const struct peers_setup *setup, const struct peers *peers)
{
	struct gateway *gateway = mem_alloc(sizeof(*gateway));

	(void)peers;
	gateway->peer.gateway = gateway;
	gateway->service.base = setup->base;
	gateway->service.role = ROLE_GATEWAY;
	gateway->service.closed = gateway_on_closed;
	gateway->service.ctx = &gateway->peer;
	gateway->again = evtimer_new(setup->base, gateway_on_again, gateway);
	return gateway;
}

void
gateway_drain(struct gateway *gateway)
{
	struct ipc_drain drain = { 0 };
	struct err err;

	gateway->draining = 1;
	event_del(gateway->again);
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
	gateway->draining = 1;
	event_del(gateway->again);
	while (!LIST_EMPTY(&gateway->guests))
		gateway_guest_free(LIST_FIRST(&gateway->guests));
	service_end(&gateway->service);
}

void
gateway_free(struct gateway **gatewayp)
{
	struct gateway *gateway = mem_take(gatewayp);

	if (gateway == NULL)
		return;
	gateway_stop(gateway);
	loop_event_free(&gateway->again);
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
	ends = worker_ends(
	    ROLE_GATEWAY, gateway_on_guest_closed, &guest->peer);
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

/* It does not read its messages: restarts it from the loop. */
static void
gateway_guest_break(struct gateway_guest *guest, const struct err *why)
{
	log_error("the gateway cannot be sent an answer: %s", why->text);
	guest->broken = 1;
	event_active(guest->peer.gateway->again, EV_TIMEOUT, 0);
}

void
gateway_reply(struct gateway_guest *guest, struct ipc_reply *reply)
{
	struct err err;

	if (!guest->broken &&
	    channel_send_reply(guest->channel, reply, &err) == -1)
		gateway_guest_break(guest, &err);
}

void
gateway_event(struct gateway_guest *guest, struct ipc_event *event)
{
	struct err err;

	if (!guest->broken &&
	    channel_send_event(guest->channel, event, &err) == -1)
		gateway_guest_break(guest, &err);
}

size_t
gateway_unsent(const struct gateway_guest *guest)
{
	return channel_unsent(guest->channel);
}

/* The handlers: each message belongs to one of the two kinds of channels. */

void
gateway_hear_hello(struct gateway_peer *peer, struct ipc_hello *hello)
{
	struct gateway *gateway = peer->gateway;
	const struct gateway_hello told = { hello->visit, (int)hello->local,
		hello->address, hello->token };

	if (peer->guest != NULL)
		gateway_fail(gateway, "a guest says hello");
	else
		gateway->user.hello(gateway->user.ctx, &told);
}

void
gateway_hear_ask(struct gateway_peer *peer, struct ipc_ask *ask)
{
	if (peer->guest == NULL)
		gateway_fail(peer->gateway, "a request of no guest");
	else
		peer->guest->user.asked(peer->guest->user.ctx, ask);
}

void
gateway_hear_left(struct gateway_peer *peer, struct ipc_left *left)
{
	if (peer->guest == NULL)
		gateway_fail(peer->gateway, "no guest has left");
	else
		peer->guest->user.left(peer->guest->user.ctx, left->request);
}
