/*
 * Operators: see operators.h. One that sends nothing, anything else, or reads
 * nothing costs only itself: what it is sent is bounded, and so is its time.
 * Runs in the supervisor.
 */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "../../common/ipc/channel.h"
#include "../../common/json/json.h"
#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../options/state_dir.h"
#include "../process/socket/socket.h"
#include "../run/session.h"
#include "door.h"
#include "operators.h"

struct operator_peer {
	LIST_ENTRY(operator_peer) entry;
	struct operators *operators;
	struct channel *channel;
	struct event *timer; /* its time is over */
};

struct operators {
	struct runs *runs;
	char **envp;
	int dir;    /* -1, like the socket: it does not listen */
	int socket;
	char name[RENDEZVOUS_NAME_SIZE + 1]; /* of the socket */
	struct event *waiting;               /* one waits to be accepted */
	struct event *again;                 /* accepts them again */
	LIST_HEAD(, operator_peer) list;
	size_t count;
};

static void
operator_free(struct operator_peer *peer)
{
	LIST_REMOVE(peer, entry);
	peer->operators->count--;
	loop_event_free(&peer->timer);
	channel_free(&peer->channel);
	free(peer);
}

static void
operator_on_closed(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_info("%s a command: %s", channel_blame(why), why->text);
	operator_free(ctx);
}

static void
operator_on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	operator_free(arg);
}

/* Takes its descriptor. */
static void
operator_new(struct operators *operators, int *fd)
{
	const struct timeval most = clock_timeval(OPERATOR_MS);
	struct operator_peer *peer = mem_alloc(sizeof(*peer));
	const struct channel_ends ends =
	    worker_ends(ROLE_OPERATOR, operator_on_closed, peer);
	struct event_base *base = operators->runs->base;

	peer->operators = operators;
	peer->channel = channel_new(base, fd, &ends);
	peer->timer = evtimer_new(base, operator_on_timer, peer);
	event_add(peer->timer, &most);
	LIST_INSERT_HEAD(&operators->list, peer, entry);
	operators->count++;
}

/* Accepting */

static void
operators_on_again(evutil_socket_t fd, short what, void *arg)
{
	struct operators *operators = arg;

	(void)fd;
	(void)what;
	event_add(operators->waiting, NULL);
}

/* Descriptors are short: those that wait would wake us without an end. */
static void
operators_pause(struct operators *operators)
{
	const struct timeval pause = clock_timeval(OPERATOR_PAUSE_MS);

	event_del(operators->waiting);
	event_add(operators->again, &pause);
}

static void
operators_on_waiting(evutil_socket_t socket, short what, void *arg)
{
	struct operators *operators = arg;
	struct err err = { .code = 0 };
	auto_fd int fd = rendezvous_accept((int)socket, &err);

	(void)what;
	if (fd == -1) {
		log_info("a command was not accepted: %s", err.text);
		if (err.code == EMFILE || err.code == ENFILE ||
		    err.code == ENOBUFS || err.code == ENOMEM)
			operators_pause(operators);
		return;
	}
	/* The command sees that it is closed, and says so. */
	if (operators->count < OPERATORS_MAX)
		operator_new(operators, &fd);
}

static void
operators_close(void *state)
{
	struct operators *operators = state;

	while (!LIST_EMPTY(&operators->list))
		operator_free(LIST_FIRST(&operators->list));
	loop_event_free(&operators->waiting);
	loop_event_free(&operators->again);
	rendezvous_close(operators->dir, operators->name, &operators->socket);
	fd_close(&operators->dir);
	free(operators);
}

/*
 * Makes our socket, and removes those that killed Caissons have left. Calls do
 * not depend on it.
 */
static void
operators_listen(void *ctx)
{
	struct operators *operators = ctx;
	const struct options *options = operators->runs->options;
	struct err err;

	operators->dir = state_dir_open_inner(
	    options, operators->envp, STATE_DIR_RUNNING, &err);
	if (operators->dir != -1) {
		rendezvous_sweep(operators->dir);
		operators->socket = rendezvous_open(
		    operators->dir, operators->name, &err);
	}
	if (operators->socket == -1) {
		(options_argument(options, ARGUMENT_SESSION) ? log_warn :
		        log_info)("'caisson calls' and 'caisson sessions' "
		    "cannot reach this process: %s", err.text);
		return;
	}
	operators->waiting = event_new(operators->runs->base,
	    operators->socket, EV_READ | EV_PERSIST, operators_on_waiting,
	    operators);
	operators->again = evtimer_new(
	    operators->runs->base, operators_on_again, operators);
	event_add(operators->waiting, NULL);
}

/*
 * Listens at once if there can be sessions, or with the first call that is
 * kept: nothing is created before.
 */
static int
operators_open(void **state, const struct door_setup *setup, struct err *err)
{
	const struct options *options = setup->runs->options;
	struct operators *operators = mem_alloc(sizeof(*operators));

	(void)err;
	operators->runs = setup->runs;
	operators->envp = setup->envp;
	LIST_INIT(&operators->list);
	operators->socket = operators->dir = -1;
	if (options_argument(options, ARGUMENT_SESSION)) {
		operators_listen(operators);
	} else if (options->calls_days > 0) {
		setup->runs->first = operators_listen;
		setup->runs->first_ctx = operators;
	}
	*state = operators;
	return 0;
}

const struct door door_operators = { .open = operators_open,
	.close = operators_close };

/* Requests */

struct operator_list {
	const struct runs *runs;
	struct buffer text;
};

static void
operator_tell(void *ctx, const struct session_facts *facts)
{
	struct operator_list *list = ctx;
	struct buffer *text = &list->text;
	uint64_t bytes = !facts->busy ? facts->bytes : call_session_bytes(
	    list->runs, facts->scope, facts->name);

	buffer_add_text(text, "{\"owner\":");
	if (facts->scope[0] == '\0')
		buffer_add_text(text, "null");
	else
		json_add_text(text, facts->scope);
	buffer_add_text(text, ",\"name\":");
	json_add_text(text, facts->name);
	buffer_add_text(text, ",\"language\":");
	json_add_text(text, facts->language);
	buffer_printf(text, ",\"busy\":%s,\"calls\":%lu,\"age_ms\":%llu,"
	    "\"idle_ms\":%llu,\"bytes\":%llu},",
	    facts->busy ? "true" : "false", facts->calls,
	    (unsigned long long)facts->age_ms,
	    (unsigned long long)facts->idle_ms, (unsigned long long)bytes);
}

/* Returns whether there was such a session. */
static int
operator_end_session(struct runs *runs, const struct ipc_ask_running *ask)
{
	enum session_fate fate = sessions_end_named(runs->sessions, ask->owner,
	    ask->end, "it was ended with 'caisson sessions end'");

	if (fate == SESSION_ENDING)
		call_end_session(runs, ask->owner, ask->end,
		    "the session was ended with 'caisson sessions end'");
	return fate != SESSION_UNKNOWN;
}

/* It closes the channel when it has read the answer. */
void
operators_hear(struct operator_peer *peer, const struct ipc_ask_running *ask)
{
	struct runs *runs = peer->operators->runs;
	struct operator_list list = { .runs = runs };
	struct ipc_all_running answer = { .ended = 0 };
	struct err err;

	if (ask->end[0] != '\0')
		answer.ended = (uint64_t)(ask->sessions ?
		    operator_end_session(runs, ask) :
		    call_cancel_id(runs, ask->owner, ask->end, "the call was "
		        "cancelled with 'caisson calls cancel'"));
	else if (ask->sessions)
		sessions_tell(runs->sessions, operator_tell, &list);
	else
		calls_tell(runs, ask->owner, &list.text);
	answer.list = (struct ipc_blob){
		(const uint8_t *)list.text.data, list.text.len, -1 };
	if (channel_send_all_running(peer->channel, &answer, &err) == -1)
		operator_free(peer);
	buffer_reset(&list.text);
}
