/*
 * Serves clients at the doors that the options ask for, until a signal or a
 * client for which the program runs ends it. Runs in the supervisor.
 */
#include "../common/base/log.h"
#include "command/shared/command.h"
#include "front/front.h"
#include "peers/broker.h"
#include "run/pool.h"
#include "run/session.h"
#include "servers/in_force/in_force.h"
#include "supervisor.h"

/* Every server has ended. */
static void
serve_on_servers_ended(void *ctx)
{
	struct supervisor *sv = ctx;

	event_base_loopexit(sv->base, NULL);
}

/*
 * No call is running or waiting. While draining, the servers are ended, and
 * then the program.
 */
static void
serve_on_idle(void *ctx)
{
	struct supervisor *sv = ctx;

	if (sv->runs.draining && sv->runs.nrunning == 0 &&
	    sv->runs.nwaiting == 0 && LIST_EMPTY(&sv->boxes.dropped) &&
	    !in_force_reading(sv->config))
		broker_stop(
		    sv->runs.peers.broker, serve_on_servers_ended, sv);
}

/* Ends every call; the last one calls serve_on_idle. */
static void
serve_drain(struct supervisor *sv)
{
	sv->runs.draining = 1;
	pool_stop(sv->runs.pool);
	sessions_stop(sv->runs.sessions);
	serve_on_idle(sv);
}

/*
 * The client has closed its end: every call is ended at once, unanswered. This
 * takes the usual way, because the processes of a box under construction are
 * not known yet and cannot be killed.
 */
static void
serve_on_client_ended(void *ctx)
{
	struct supervisor *sv = ctx;

	call_cancel_all(&sv->runs, MCP_DISCONNECTED);
	serve_drain(sv);
}

/* The first signal ends every call with an answer, the second one at once. */
static void
serve_on_signal(void *ctx)
{
	struct supervisor *sv = ctx;

	if (sv->runs.draining) {
		event_base_loopbreak(sv->base);
		return;
	}
	log_info("ending after a signal");
	call_cancel_all(&sv->runs, "Caisson is shutting down");
	doors_drain(&sv->doors);
	serve_drain(sv);
}

/* Waits a moment for the clients to read their last answers. */
static void
serve_flush(struct supervisor *sv)
{
	struct timeval patience = { 1, 0 };

	event_base_loopexit(sv->base, &patience);
	while (!doors_flushed(&sv->doors) &&
	    event_base_loop(sv->base, EVLOOP_ONCE) == 0 &&
	    !event_base_got_exit(sv->base))
		;
}

int
serve_run(struct command_setup *setup, struct err *err)
{
	struct supervisor *sv = setup->sv;
	const struct door_setup door = { &sv->runs, &sv->user, setup->envp,
		serve_on_client_ended, sv };
	struct stop_signals *signals;
	int opened;

	sv->runs.idle = serve_on_idle;
	sv->runs.idle_ctx = sv;
	sv->runs.pool = pool_new(&sv->runs);
	sv->runs.sessions = sessions_new(&sv->runs);
	signals = stop_signals_new(sv->base, serve_on_signal, sv);
	owner_open_user(&sv->user, &sv->runs);
	opened = doors_open(&sv->doors, &door, err);
	if (opened == 0) {
		event_base_dispatch(sv->base);
		sv->runs.draining = 1;
		pool_free(&sv->runs.pool);
		sessions_stop(sv->runs.sessions);
		serve_flush(sv);
	}
	stop_signals_free(&signals);
	return opened;
}
