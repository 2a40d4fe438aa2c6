/*
 * caisson-connector, the process: makes its loop and its channel, receives its
 * server, drops all privileges but that to connect, then passes messages until
 * the broker closes its input, or logs in. Started by the supervisor only, with
 * the channel as descriptor 3.
 */
#include <string.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
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
}

/* A login waits for a person. */
static void
connector_on_visit(void *ctx, const char *url)
{
	const struct connector *connector = ctx;
	struct ipc_visit visit = { .url = url };
	struct err err;

	if (channel_send_visit(connector->supervisor, &visit, &err) == -1)
		fatal("%s", err.text);
}

static void
connector_on_over(void *ctx, const struct login *login, const char *why)
{
	const struct connector *connector = ctx;
	auto_free char *reason = document_shown(why == NULL ? "" : why);
	auto_free char *scope =
	    document_shown(login->scope == NULL ? "" : login->scope);
	struct ipc_login_over over = { .reason = reason, .scope = scope };
	struct err err;

	if (channel_send_login_over(connector->supervisor, &over, &err) == -1)
		fatal("%s", err.text);
}

static void
connector_on_ended(void *)
{
	worker_stop();
}

int
main(void)
{
	struct connector connector = { .base = loop_new(0),
		.routes = ipc_routes,
		.in = -1,
		.out = -1,
		.errors = -1,
		.listener = -1,
		.remote.logins = -1 };
	const struct session_ends ends = { connector_on_failed,
		connector_on_ended, &connector };
	const struct enter_ends over = { connector_on_visit,
		connector_on_over, &connector };
	struct session *session = NULL;

	connector.supervisor = worker_open(
	    ROLE_CONNECTOR, connector.base, connector.routes, &connector);
	worker_await(); /* CONNECT: its server */
	transfer_load();
	worker_lockdown(ROLE_CONNECTOR, connector.remote.url == NULL ?
	        LOCKDOWN_NO_FILES : LOCKDOWN_CONNECTS, connector.remote.logins);
	if (connector.enters)
		connector.enter = enter_new(connector.base, &connector.remote,
		    &connector.listener, &over);
	else if (connector.in != -1)
		session = session_new(connector.base, &connector.remote,
		    &connector.in, &connector.out, &ends);
	worker_run();
	enter_free(&connector.enter);
	session_free(&session);
	remote_reset(&connector.remote);
	channel_free(&connector.supervisor);
	fd_close(&connector.errors);
	event_base_free(connector.base);
	return 0;
}
