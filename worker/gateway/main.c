/*
 * caisson-gateway, the process: makes its loop and its channel, receives its
 * sockets, drops all privileges, then serves clients until the channel to the
 * supervisor ends. Started by the supervisor only, with that channel as
 * descriptor 3.
 */
#include <stdlib.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "callers.h"
#include "conn.h"
#include "gateway.h"
#include "guest.h"
#include "listener.h"
#include "../../common/ipc/ipc_route.h"

int
main(void)
{
	struct gateway gateway = { .base = loop_new(0), .routes = ipc_routes };
	struct gateway_end end = { &gateway, NULL };

	gateway.supervisor =
	    worker_open(ROLE_GATEWAY, gateway.base, gateway.routes, &end);
	worker_await(); /* LISTEN and SERVE: its sockets */
	worker_lockdown(ROLE_GATEWAY, LOCKDOWN_NO_FILES, -1);
	listener_start_all(&gateway);
	worker_run();
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
