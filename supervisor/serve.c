/*
 * Serves one client on standard input and output, until the client or a signal
 * ends the program; or clients by HTTP, until a signal does. Runs in the
 * supervisor.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../common/base/fd.h"
#include "../common/limits.h"
#include "../common/base/log.h"
#include "../common/base/mem.h"
#include "command/shared/command.h"
#include "door/door.h"
#include "door/http/http.h"
#include "front/front.h"
#include "door/operators.h"
#include "peers/broker.h"
#include "options/state_dir.h"
#include "run/pool.h"
#include "run/session.h"
#include "servers/in_force/in_force.h"
#include "door/http/serve_sockets.h"
#include "door/http/serve_tokens.h"
#include "supervisor.h"

struct serving {
	struct supervisor *sv;
	struct stop_signals *signals;
};

/*
 * Moves the client's descriptors off 0 and 1. A stray read then gets end of
 * file, and a stray print goes to the log.
 */
static int
serve_move_client(int *in, int *out, struct err *err)
{
	auto_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	*in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	*out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	if (null == -1 || *in == -1 || *out == -1 ||
	    dup2(null, STDIN_FILENO) == -1 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
		return err_sys(err, "move the descriptors of the client");
	return 0;
}

/* Every server has ended. */
static void
serve_on_servers_ended(void *ctx)
{
	struct serving *serving = ctx;

	event_base_loopexit(serving->sv->base, NULL);
}

/*
 * No call is running or waiting. While draining, the servers are ended, and
 * then the program.
 */
static void
serve_on_idle(void *ctx)
{
	struct serving *serving = ctx;
	struct supervisor *sv = serving->sv;

	if (sv->runs.draining && sv->runs.nrunning == 0 &&
	    sv->runs.nwaiting == 0 && LIST_EMPTY(&sv->boxes.dropped) &&
	    !in_force_reading(sv->config))
		broker_stop(sv->runs.peers.broker, serve_on_servers_ended,
		    serving);
}

/* Ends every call; the last one calls serve_on_idle. */
static void
serve_drain(struct serving *serving)
{
	serving->sv->runs.draining = 1;
	pool_stop(serving->sv->runs.pool);
	sessions_stop(serving->sv->runs.sessions);
	serve_on_idle(serving);
}

/*
 * The client has closed its end: every call is ended at once, unanswered. This
 * takes the usual way, because the processes of a box under construction are
 * not known yet and cannot be killed.
 */
static void
serve_on_client_ended(void *ctx)
{
	struct serving *serving = ctx;

	call_cancel_all(&serving->sv->runs, MCP_DISCONNECTED);
	serve_drain(serving);
}

/* The first signal ends every call with an answer, the second one at once. */
static void
serve_on_signal(void *ctx)
{
	struct serving *serving = ctx;
	struct supervisor *sv = serving->sv;

	if (sv->runs.draining) {
		event_base_loopbreak(sv->base);
		return;
	}
	log_info("ending after a signal");
	call_cancel_all(&sv->runs, "Caisson is shutting down");
	if (sv->client != NULL)
		stdio_drain(sv->client);
	if (sv->http != NULL)
		http_drain(sv->http);
	serve_drain(serving);
}

static int
serve_flushed(const struct supervisor *sv)
{
	return (sv->client == NULL || stdio_flushed(sv->client)) &&
	    (sv->http == NULL || http_flushed(sv->http));
}

/* Waits a moment for the clients to read their last answers. */
static void
serve_flush(struct serving *serving)
{
	struct timeval patience = { 1, 0 };

	event_base_loopexit(serving->sv->base, &patience);
	while (!serve_flushed(serving->sv) &&
	    event_base_loop(serving->sv->base, EVLOOP_ONCE) == 0 &&
	    !event_base_got_exit(serving->sv->base))
		;
}

/*
 * Lets commands find us, if there can be sessions. Calls do not depend on it.
 */
static void
serve_open_operators(struct supervisor *sv, char **envp)
{
	auto_fd int dir = -1;
	struct err err;

	if (!options_argument(&sv->options, ARGUMENT_SESSION))
		return;
	dir = state_dir_open_inner(
	    &sv->options, envp, STATE_DIR_RUNNING, &err);
	if (dir != -1)
		sv->operators = operators_new(&sv->runs, &dir, &err);
	if (sv->operators == NULL)
		log_warn("'caisson sessions' cannot reach this process: %s",
		    err.text);
}

/* Everything but the clients. */
static void
serve_begin(struct serving *serving, char **envp)
{
	struct supervisor *sv = serving->sv;

	sv->runs.idle = serve_on_idle;
	sv->runs.idle_ctx = serving;
	sv->runs.pool = pool_new(&sv->runs);
	sv->runs.sessions = sessions_new(&sv->runs);
	serving->signals = stop_signals_new(sv->base, serve_on_signal, serving);
	owner_open_user(&sv->user, &sv->runs);
	serve_open_operators(sv, envp);
}

/* Serves until the end. */
static void
serve_loop(struct serving *serving)
{
	struct supervisor *sv = serving->sv;

	event_base_dispatch(sv->base);
	sv->runs.draining = 1;
	pool_free(&sv->runs.pool);
	sessions_stop(sv->runs.sessions);
	serve_flush(serving);
	stop_signals_free(&serving->signals);
}

int
serve_stdio_run(struct command_setup *setup, struct err *err)
{
	struct supervisor *sv = setup->sv;
	struct serving serving = { .sv = sv };
	int in, out;

	if (serve_move_client(&in, &out, err) == -1)
		return -1;
	serve_begin(&serving, setup->envp);
	sv->client = stdio_new(&sv->runs, &sv->user, &in, &out,
	    serve_on_client_ended, &serving);
	serve_loop(&serving);
	return 0;
}

/* HTTP */

/* Opens the sockets and the tokens, and starts the gateway. */
static int
serve_open_http(struct supervisor *sv, struct serve_sockets *sockets,
    struct gateway_terms *terms, char **envp, struct err *err)
{
	auto_free char *path = NULL;
	auto_fd int dir = -1;

	if (serve_sockets_open(sockets, &sv->options, envp, err) == -1)
		return -1;
	path = state_dir_path(&sv->options, envp, err);
	dir = serve_tokens_open(
	    &sv->options, envp, sockets->remote > 0, err);
	if (dir == -1 && sockets->remote > 0)
		return -1;
	terms->nsockets = sockets->count;
	terms->origins = sockets->origins.data;
	terms->proxy = sockets->proxy;
	sv->http = http_new(&sv->runs, &sv->user, &dir, path);
	return http_start(sv->http, terms, err);
}

int
serve_http_run(struct command_setup *setup, struct err *err)
{
	struct supervisor *sv = setup->sv;
	struct serving serving = { .sv = sv };
	struct serve_sockets sockets = { .count = 0 };
	struct gateway_terms terms = { .sockets = sockets.one,
		.body_max = CLIENT_LINE_FACTOR * sv->options.max_code +
		    CLIENT_LINE_EXTRA };
	int opened =
	    serve_open_http(sv, &sockets, &terms, setup->envp, err);

	if (opened == 0) {
		serve_begin(&serving, setup->envp);
		serve_sockets_tell(&sockets);
		runs_begin(&sv->runs);
		serve_loop(&serving);
	}
	/* It refers to the sockets. */
	http_free(&sv->http);
	serve_sockets_close(&sockets);
	return opened;
}
