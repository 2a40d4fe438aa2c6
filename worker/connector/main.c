/*
 * caisson-connector, the process: makes its loop and its channel, receives its
 * server, drops all privileges but that to connect, then passes messages until
 * the broker closes its input. Started by the supervisor only, with the channel
 * as descriptor 3.
 */
#include <string.h>
#include <unistd.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "connector.h"
#include "../../common/ipc/ipc_route.h"

/* There is no session, and why: the last line that the broker reads. */
static void
connector_on_failed(void *ctx, const char *why)
{
	struct connector *connector = ctx;

	fd_write_all(connector->errors, why, strlen(why));
	fd_write_all(connector->errors, "\n", 1);
	worker_stop();
}

static void
connector_on_ended(void *ctx)
{
	(void)ctx;
	worker_stop();
}

int
main(void)
{
	struct connector connector = { .base = loop_new(0),
		.routes = ipc_routes,
		.in = -1,
		.out = -1,
		.errors = -1 };
	const struct session_ends ends = { connector_on_failed,
		connector_on_ended, &connector };
	struct session *session = NULL;

	connector.supervisor = worker_open(
	    ROLE_CONNECTOR, connector.base, connector.routes, &connector);
	worker_await(); /* CONNECT: its server */
	transfer_load();
	worker_lockdown(ROLE_CONNECTOR, LOCKDOWN_CONNECTS, -1);
	if (connector.in != -1)
		session = session_new(connector.base, &connector.remote,
		    &connector.in, &connector.out, &ends);
	worker_run();
	session_free(&session);
	remote_reset(&connector.remote);
	channel_free(&connector.supervisor);
	fd_close(&connector.errors);
	event_base_free(connector.base);
	return 0;
}
