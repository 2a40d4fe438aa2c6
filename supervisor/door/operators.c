/*
 * Operators: see operators.h. One that sends nothing, anything else, or reads
 * nothing costs only itself: what it is sent is bounded, and so is its time.
 */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

#include "../../common/ipc/channel.h"
#include "../../common/json/json.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/stored_kind.h"
#include "../options/state_dir.h"
#include "../peers/broker.h"
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
	char since[sizeof("2026-01-31T12:00:00Z")]; /* when we began */
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
operator_on_timer(evutil_socket_t, short, void *arg)
{
	operator_free(arg);
}

/* Takes its descriptor. */
static void
operator_new(struct operators *operators, int *fd)
{
	struct operator_peer *peer = mem_alloc(sizeof(*peer));
	const struct channel_ends ends =
	    worker_ends(ROLE_OPERATOR, operator_on_closed, peer);
	struct event_base *base = operators->runs->base;

	peer->operators = operators;
	peer->channel = channel_new(base, fd, &ends);
	peer->timer = evtimer_new(base, operator_on_timer, peer);
	loop_set_timer(peer->timer, OPERATOR_MS);
	LIST_INSERT_HEAD(&operators->list, peer, entry);
	operators->count++;
}

/* Accepting */

static void
operators_on_again(evutil_socket_t, short, void *arg)
{
	struct operators *operators = arg;

	event_add(operators->waiting, NULL);
}

/* Descriptors are short: those that wait would wake us without an end. */
static void
operators_pause(struct operators *operators)
{
	event_del(operators->waiting);
	loop_set_timer(operators->again, OPERATOR_PAUSE_MS);
}

static void
operators_on_waiting(evutil_socket_t socket, short, void *arg)
{
	struct operators *operators = arg;
	struct err err = { .code = 0 };
	auto_fd int fd = rendezvous_accept((int)socket, &err);

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
	operators->waiting = event_new(operators->runs->base, operators->socket,
	    EV_READ | EV_PERSIST, operators_on_waiting, operators);
	operators->again = evtimer_new(
	    operators->runs->base, operators_on_again, operators);
	event_add(operators->waiting, NULL);
}

/*
 * Listens at once where it serves or there can be sessions, or with the first
 * call that is kept: nothing is created before.
 */
static int
operators_open(void **state, const struct door_setup *setup, struct err *)
{
	const struct options *options = setup->runs->options;
	struct operators *operators = mem_alloc(sizeof(*operators));
	time_t now = time(NULL);
	struct tm utc;

	operators->runs = setup->runs;
	operators->envp = setup->envp;
	LIST_INIT(&operators->list);
	operators->socket = operators->dir = -1;
	gmtime_r(&now, &utc);
	strftime(operators->since, sizeof(operators->since),
	    "%Y-%m-%dT%H:%M:%SZ", &utc);
	if (options_argument(options, ARGUMENT_SESSION) ||
	    options->command.task == COMMAND_SERVE) {
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

/* Begins an object with the owner (empty: our user) and the name of a thing. */
static void
operator_add_owned(struct buffer *text, const char *owner, const char *name)
{
	buffer_add_text(text, "{\"owner\":");
	if (owner[0] == '\0')
		buffer_add_text(text, "null");
	else
		json_add_text(text, owner);
	buffer_add_text(text, ",\"name\":");
	json_add_text(text, name);
}

static void
operator_tell(void *ctx, const struct session_facts *facts)
{
	struct operator_list *list = ctx;
	struct buffer *text = &list->text;
	uint64_t bytes = !facts->busy ? facts->bytes : call_session_bytes(
	    list->runs, facts->scope, facts->name);

	if (text->len > EXECUTIONS_TOLD_MAX - KIB)
		return;
	operator_add_owned(text, facts->scope, facts->name);
	buffer_add_text(text, ",\"language\":");
	json_add_text(text, facts->language);
	buffer_printf(text, ",\"busy\":%s,\"calls\":%lu,\"age_ms\":%llu,"
	    "\"idle_ms\":%llu,\"bytes\":%llu},",
	    facts->busy ? "true" : "false", facts->calls,
	    (unsigned long long)facts->age_ms,
	    (unsigned long long)facts->idle_ms, (unsigned long long)bytes);
}

static void
operator_tell_server(void *ctx, const char *name, const char *owner)
{
	struct operator_list *list = ctx;

	if (list->text.len > EXECUTIONS_TOLD_MAX - KIB)
		return;
	operator_add_owned(&list->text, owner, name);
	buffer_add_text(&list->text, "},");
}

/* Begins the next member, a list, after the one before. */
static void
operator_begin(struct buffer *text, const char *name)
{
	text->len -= text->data[text->len - 1] == ',';
	buffer_printf(text, "],\"%s\":[", name);
}

/* Appends one object about all that we do. */
static void
operator_tell_all(const struct operators *operators, struct operator_list *list)
{
	const struct runs *runs = operators->runs;
	struct buffer *text = &list->text;

	buffer_printf(text, "{\"since\":\"%s\",\"clients\":%zu,\"boxes\":%zu,"
	    "\"running\":%zu,\"waiting\":%zu,\"calls\":[", operators->since,
	    runs->clients, runs->boxes->count, runs->nrunning, runs->nwaiting);
	calls_tell(runs, SCOPE_ALL, text);
	operator_begin(text, "sessions");
	sessions_tell(runs->sessions, operator_tell, list);
	operator_begin(text, "servers");
	if (runs->peers.broker != NULL)
		broker_each_link(
		    runs->peers.broker, operator_tell_server, list);
	text->len -= text->data[text->len - 1] == ',';
	buffer_add_text(text, "]}");
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
	else if (ask->self)
		operator_tell_all(peer->operators, &list);
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
