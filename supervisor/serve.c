/*
 * Serves clients at the doors that the options ask for, until a signal or a
 * client for which the program runs ends it, and tells the service manager, if
 * one has started us.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../common/base/clock.h"
#include "../common/base/log.h"
#include "../common/base/loop.h"
#include "../common/base/mem.h"
#include "../common/limits.h"
#include "command/shared/command.h"
#include "front/front.h"
#include "peers/broker.h"
#include "run/pool.h"
#include "run/session.h"
#include "servers/in_force/in_force.h"
#include "supervisor.h"

/* What the service manager is told, by the lines of sd_notify(3). */
struct serve_manager {
	const struct command_setup *setup;
	struct event *timer;
	struct in_force_waiter reading; /* of the files of servers */
	bool reloads;      /* SIGHUP has the settings read again */
	bool reloading;
	bool refused;      /* the settings that were read last */
	char status[SERVE_STATUS_SIZE]; /* as it was told */
};

/* Sends these lines, and the status if it has changed. */
static void
serve_tell(struct serve_manager *manager, const char *lines)
{
	const struct supervisor *sv = manager->setup->sv;
	auto_free char *status = mem_printf("STATUS=%s: clients %zu, boxes "
	    "%zu, calls %zu, waiting %zu\n",
	    sv->runs.draining ? "ending" : "serving",
	    sv->runs.clients, sv->boxes.count, sv->runs.nrunning,
	    sv->runs.nwaiting);
	bool same = strcmp(status, manager->status) == 0;
	auto_free char *all = mem_printf("%s%s", lines, same ? "" : status);
	struct err err;

	snprintf(manager->status, sizeof(manager->status), "%s", status);
	if (all[0] != '\0' && notify_send(&sv->notify, all, &err) == -1)
		log_warn("%s", err.text);
}

static void
serve_on_timer(evutil_socket_t, short, void *arg)
{
	struct serve_manager *manager = arg;

	serve_tell(manager,
	    manager->setup->sv->notify.watchdog ? "WATCHDOG=1\n" : "");
}

/* Clients are served from now on. */
static void
serve_begin(struct serve_manager *manager, const struct command_setup *setup)
{
	manager->timer = event_new(
	    setup->base, -1, EV_PERSIST, serve_on_timer, manager);
	if (setup->sv->notify.where != NULL)
		loop_set_timer(manager->timer, SERVE_STATUS_MS);
	serve_tell(manager, "READY=1\n");
}

/* Settings, tokens and servers are read. */
static void
serve_on_read(void *ctx)
{
	struct serve_manager *manager = ctx;

	manager->reloading = false;
	log_info("%stokens and servers have been read again",
	    manager->refused ? "" : "settings, ");
	serve_tell(manager, "READY=1\n");
}

/* A setting with a fault changes nothing. */
static void
serve_read_settings(struct serve_manager *manager)
{
	const struct command_setup *setup = manager->setup;
	auto_buffer struct buffer later = { 0 };
	struct err err;

	manager->refused = options_reload(setup->options, setup->argc,
	    setup->argv, setup->envp, &later, &err) == -1;
	if (manager->refused)
		log_error("the settings stay as they were: %s", err.text);
	else if (later.len > 0)
		log_warn("these settings have changed, which takes effect "
		    "when Caisson is restarted: %s", later.data);
	log_init("caisson", LOG_TERMS(setup->options->log_level,
	        setup->options->log_format));
}

static void
serve_reload(struct serve_manager *manager)
{
	struct timespec now;
	auto_free char *lines = NULL;

	if (manager->reloading)
		return;
	manager->reloading = true;
	/* In microseconds: it is compared with the time of the request. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	lines = mem_printf("RELOADING=1\nMONOTONIC_USEC=%lld\n",
	    (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	serve_tell(manager, lines);
	serve_read_settings(manager);
	manager->setup->sv->runs.reloads++;
	manager->reading = (struct in_force_waiter){
		.ready = serve_on_read, .ctx = manager };
	in_force_refresh(manager->setup->config, &manager->reading);
}

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
		broker_stop(sv->runs.peers.broker, serve_on_servers_ended, sv);
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

/*
 * The first signal ends every call with an answer, the second one, or some time
 * later, at once.
 */
static void
serve_on_signal(void *ctx, int number)
{
	const struct timeval patience = clock_timeval(SHUTDOWN_DRAIN_MS);
	struct serve_manager *manager = ctx;
	struct supervisor *sv = manager->setup->sv;

	if (sv->runs.draining) {
		event_base_loopbreak(sv->base);
		return;
	}
	if (number == SIGHUP && manager->reloads) {
		serve_reload(manager);
		return;
	}
	log_info("ending after a signal");
	event_base_loopexit(sv->base, &patience);
	call_cancel_all(&sv->runs, "Caisson is shutting down");
	doors_drain(&sv->doors);
	serve_drain(sv);
	serve_tell(manager, "STOPPING=1\n");
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

static int
serve(struct command_setup *setup, bool http, struct err *err)
{
	struct supervisor *sv = setup->sv;
	const struct door_setup door = { &sv->runs, &sv->user, setup->envp,
		serve_on_client_ended, sv, http };
	/* SIGHUP may say that a terminal has gone. */
	struct serve_manager manager = { .setup = setup,
		.reloads = http && !isatty(STDIN_FILENO) };
	struct stop_signals *signals;
	int opened;

	sv->runs.idle = serve_on_idle;
	sv->runs.idle_ctx = sv;
	sv->runs.pool = pool_new(&sv->runs);
	sv->runs.sessions = sessions_new(&sv->runs);
	signals = stop_signals_new(sv->base, serve_on_signal, &manager);
	owner_open_user(&sv->user, &sv->runs);
	opened = doors_open(&sv->doors, &door, err);
	if (opened == 0) {
		serve_begin(&manager, setup);
		event_base_dispatch(sv->base);
		sv->runs.draining = 1;
		pool_free(&sv->runs.pool);
		sessions_stop(sv->runs.sessions);
		serve_flush(sv);
	}
	if (manager.reloading)
		in_force_cancel(sv->config, &manager.reading);
	loop_event_free(&manager.timer);
	stop_signals_free(&signals);
	return opened;
}

COMMAND_DEFINE(serve_run, serve(setup, true, err))
COMMAND_DEFINE(run_run, serve(setup, false, err))
