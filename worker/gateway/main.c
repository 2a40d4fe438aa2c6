/*
 * caisson-gateway, the process: makes its loop and its channel, receives its
 * sockets, drops all privileges, then serves clients until the channel to the
 * supervisor ends. Started by the supervisor only, with that channel as
 * descriptor 3.
 */
#include <signal.h>
#include <stdlib.h>

#include "../../common/base/asan_main.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "callers.h"
#include "conn.h"
#include "gateway.h"
#include "guest.h"
#include "listener.h"

/* The supervisor has closed the channel or exited. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct gateway_end *end = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(end->gateway->base);
}

int
main(void)
{
	struct gateway gateway = { .routes = gateway_routes() };
	struct gateway_end end = { &gateway, NULL };
	struct channel_ends ends = { ROLE_GATEWAY, ROLE_SUPERVISOR,
		gateway.routes, main_on_closed, &end };
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_GATEWAY, 0);
	signal(SIGPIPE, SIG_IGN);
	gateway.base = loop_new(0);
	gateway.supervisor = channel_new(gateway.base, &fd, &ends);
	/* SERVE, from the supervisor, causes the lockdown. */
	event_base_dispatch(gateway.base);
	conn_free_all(&gateway);
	guest_free_all(&gateway);
	listener_free_all(&gateway);
	callers_free_all(&gateway);
	channel_free(&gateway.supervisor);
	event_base_free(gateway.base);
	free(gateway.origins);
	free(gateway.proxy);
	return 0;
}
