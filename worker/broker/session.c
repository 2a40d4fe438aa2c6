/*
 * A session: see session.h. Runs in the broker.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "queue.h"
#include "reason.h"
#include "server.h"
#include "session.h"
#include "shapes.h"

/* A server that the session may use, by its name. */
struct session_right {
	const char *name; /* within the session's names */
	int loaded;
	int started; /* it was started for this session, and counts */
	struct server_hold hold; /* the server that this session has loaded */
	/* Why the last server of this name was stopped, or NULL. */
	char *revoked;
};

struct session {
	TAILQ_ENTRY(session) entry; /* of the broker */
	struct broker *broker;
	struct channel *relay;
	uint64_t execution;
	char *owner;
	uint64_t patience; /* milliseconds without a sign of the server */
	char *names; /* each with its NUL */
	struct session_right *rights;
	size_t nrights;
	size_t nstarted; /* of them */
	struct ask_list asks; /* under way */
	size_t nasks;
	int remember; /* report the shapes of results */
	int over;
	struct event *ending; /* activated when it is over */
};

/* Rights */

static struct session_right *
session_right(struct session *session, const char *name)
{
	size_t n;

	for (n = 0; n < session->nrights; n++)
		if (strcmp(session->rights[n].name, name) == 0)
			return &session->rights[n];
	return NULL;
}

/*
 * Copies a list of names. Fatal if it is malformed, because its sender is
 * trusted.
 */
static char *
session_copy_names(const struct ipc_blob *blob)
{
	struct err err;
	char *names = ipc_blob_copy(blob, &err);

	if (names == NULL)
		fatal("the servers of a session are unreadable: %s", err.text);
	if (!text_list_complete(names, blob->len))
		fatal("a name of the servers of a session has no end");
	return names;
}

static void
session_read_allowed(struct session *session, const struct ipc_blob *blob)
{
	const char *name;

	session->names = session_copy_names(blob);
	session->rights =
	    mem_alloc(CONFIG_SERVERS_MAX * sizeof(*session->rights));
	TEXT_LIST_EACH (name, session->names, blob->len) {
		if (session->nrights == CONFIG_SERVERS_MAX)
			fatal("a session has too many servers");
		session->rights[session->nrights++].name = name;
	}
	session->rights = mem_resize(session->rights,
	    session->nrights * sizeof(*session->rights));
}

/*
 * Returns the server that this session loaded, whatever is configured now;
 * otherwise the configured one, or NULL.
 */
static struct server *
session_server(
    const struct session *session, const struct session_right *right)
{
	return right->hold.server != NULL ? right->hold.server :
	    server_find(session->broker, session->owner, right->name);
}

/* Whether this server may be started for the session; if so, counts it. */
static int
session_may_start(struct session *session, struct session_right *right)
{
	if (right->started)
		return 1;
	if (session->nstarted == SESSION_STARTS_MAX)
		return 0;
	right->started = 1;
	session->nstarted++;
	return 1;
}

/* Starts a server that the session loads, if it may. */
static void
session_start(struct session *session, struct session_right *right,
    struct server *server)
{
	if (!server_runs(server) && session_may_start(session, right))
		server_load(server);
}

static void
session_hold(struct session_right *right, struct server *server)
{
	if (right->hold.server != NULL)
		return;
	server_hold(server, &right->hold);
	/* The reason belongs to an earlier server of this name. */
	free(mem_take(&right->revoked));
}

/*
 * Servers named by the client are started in advance, unless there are more
 * than may be started: the code may not use the first ones.
 */
static void
session_read_loaded(struct session *session, const struct ipc_blob *blob)
{
	auto_free char *names = session_copy_names(blob);
	struct session_right *right;
	struct server *server;
	const char *name;
	size_t count = text_list_count(names, blob->len);

	TEXT_LIST_EACH (name, names, blob->len) {
		right = session_right(session, name);
		if (right == NULL)
			fatal("a session loads a server that it may not use");
		right->loaded = 1;
		server = session_server(session, right);
		if (server == NULL)
			continue;
		session_hold(right, server);
		if (count <= SESSION_STARTS_MAX)
			session_start(session, right, server);
	}
}

/* Start and end */

static void
session_on_closed(void *ctx, const struct err *why)
{
	struct session *session = ctx;

	if (why != NULL)
		log_warn("protocol violation by the relay of execution "
		    "%" PRIu64 ": %s", session->execution, why->text);
	session_free(&session);
}

static void
session_on_ending(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;

	(void)fd;
	(void)what;
	session_free(&session);
}

void
session_new(struct broker *broker, struct ipc_session *msg)
{
	struct session *session = mem_alloc(sizeof(*session));
	struct channel_ends ends = { ROLE_BROKER, ROLE_RELAY, broker->routes,
		session_on_closed, session };

	session->broker = broker;
	session->execution = msg->execution;
	session->owner = mem_strdup(msg->owner);
	session->patience = msg->tool_seconds * 1000;
	session->remember = msg->remember != 0;
	TAILQ_INIT(&session->asks);
	TAILQ_INSERT_TAIL(&broker->sessions, session, entry);
	session->relay = channel_new(broker->base, &msg->relay, &ends);
	session->ending =
	    evtimer_new(broker->base, session_on_ending, session);
	session_read_allowed(session, &msg->allowed);
	session_read_loaded(session, &msg->loaded);
}

static void
session_free_rights(struct session *session)
{
	size_t n;

	for (n = 0; n < session->nrights; n++) {
		server_unhold(&session->rights[n].hold);
		server_drop_idle(session->broker, session->owner,
		    session->rights[n].name);
		free(session->rights[n].revoked);
	}
	free(session->rights);
	free(session->names);
}

void
session_free(struct session **sessionp)
{
	struct session *session = mem_take(sessionp);
	struct ask *ask;

	if (session == NULL)
		return;
	while ((ask = TAILQ_FIRST(&session->asks)) != NULL)
		server_withdraw(&ask, "the execution that made the request has "
		    "ended");
	TAILQ_REMOVE(&session->broker->sessions, session, entry);
	loop_event_free(&session->ending);
	channel_free(&session->relay);
	session_free_rights(session);
	free(session->owner);
	free(session);
}

/* From the loop, because the caller may still use the session. */
static void
session_end(struct session *session)
{
	session->over = 1;
	event_active(session->ending, EV_TIMEOUT, 0);
}

void
session_break(struct session *session, const char *how)
{
	log_warn("protocol violation by the relay of execution %" PRIu64
	    ": %s", session->execution, how);
	session_end(session);
}

const char *
session_owner(const struct session *session)
{
	return session->owner;
}

uint64_t
session_execution(const struct session *session)
{
	return session->execution;
}

struct broker *
session_broker(const struct session *session)
{
	return session->broker;
}

/* Requests in flight */

/* A list of tools, with the shapes of their results. */
static void
session_answer_list(const struct ask *ask, const char *json, size_t len)
{
	auto_buffer struct buffer list = { 0 };

	shapes_add_list(ask->broker->shapes, ask->definition, json, len,
	    &list);
	if (list.len <= RESULT_MAX)
		session_answer(ask->session, ask->id, list.data, list.len);
	else
		session_answer(ask->session, ask->id, json, len);
}

/* Only of listed tools: other names could be of any number. */
static void
session_learn(const struct ask *ask, const char *json, size_t len)
{
	struct json_span tool = { ask->tool.data, ask->tool.len };

	if (shapes_want(ask->broker->shapes, ask->definition, tool) &&
	    server_lists(ask->server, tool))
		shapes_learn(ask->broker->shapes, ask->definition, tool,
		    (struct json_span){ json, len });
}

static void
session_on_answered(const struct ask *ask, const char *json, size_t len)
{
	if (ask->session->remember && ask->kind == ASK_TOOLS) {
		session_answer_list(ask, json, len);
		return;
	}
	session_answer(ask->session, ask->id, json, len);
	if (ask->session->remember)
		session_learn(ask, json, len);
}

static void
session_on_refused(
    const struct ask *ask, const char *reason, struct json_span error)
{
	session_refuse(ask->session, ask->id, reason, error);
}

/*
 * The session has the right to this server, or the request would have been
 * refused.
 */
static int
session_on_starts(const struct ask *ask)
{
	struct session *session = ask->session;

	return session_may_start(
	    session, session_right(session, server_name(ask->server)));
}

static void
session_on_freed(struct ask *ask)
{
	struct session *session = ask->session;

	TAILQ_REMOVE(&session->asks, ask, sibling);
	session->nasks--;
}

struct ask *
session_new_ask(struct session *session, struct server *server, uint64_t id,
    enum ask_kind kind)
{
	static const struct ask_ends ends = { session_on_answered,
		session_on_refused, session_on_freed, session_on_starts };
	struct ask *ask = server_new_ask(server, &ends, id, kind);

	ask->session = session;
	ask->execution = session->execution;
	ask->owner = session->owner;
	ask->silence = session->patience;
	TAILQ_INSERT_TAIL(&session->asks, ask, sibling);
	session->nasks++;
	return ask;
}

/* Returns the ask in flight of this number, or NULL. */
static struct ask *
session_ask(struct session *session, uint64_t id)
{
	struct ask *ask;

	TAILQ_FOREACH (ask, &session->asks, sibling)
		if (ask->id == id)
			return ask;
	return NULL;
}

/* Calls that were sent count: their servers may have read only a part. */
int
session_has_room(const struct session *session, size_t len)
{
	const struct ask *ask;
	size_t own = 0;

	TAILQ_FOREACH (ask, &session->asks, sibling)
		own += ask->arguments;
	return (own == 0 && len <= CALL_SMALL) ||
	    queue_may_have(own, len, session->broker->unwritten,
	        BROKER_UNWRITTEN_MAX);
}

void
session_cancel(struct session *session, uint64_t id)
{
	static const struct json_span none;
	struct ask *ask = session_ask(session, id);
	auto_buffer struct buffer reason = { 0 };

	if (ask == NULL || session->over)
		return;
	buffer_add_text(&reason, "it was cancelled before it was answered");
	ask_add_sent(ask, &reason);
	session_refuse(session, id, reason.data, none);
	server_withdraw(&ask, "the code no longer waits for it");
}

/* Whether this many more bytes of answers would exceed the limit. */
static int
session_is_full(const struct session *session, size_t len)
{
	return channel_unsent(session->relay) + len > ANSWERS_UNREAD_MAX;
}

static void
session_refuse_full(struct session *session, uint64_t id)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_printf(&reason, "%zu bytes of answers have not been read yet; "
	    "at most %lu may wait",
	    channel_unsent(session->relay), ANSWERS_UNREAD_MAX);
	session_refuse(
	    session, id, reason.data, (struct json_span){ NULL, 0 });
}

int
session_admit(struct session *session, uint64_t id)
{
	static const struct json_span none;
	auto_buffer struct buffer reason = { 0 };

	if (session->over)
		return 0;
	if (session_ask(session, id) != NULL) {
		session_break(session, "the number of a request in flight is "
		    "used again");
		return 0;
	}
	if (session->nasks >= REQUESTS_MAX) {
		buffer_printf(&reason, "%d requests of this execution are in "
		    "flight already; await some of them first",
		    REQUESTS_MAX);
		session_refuse(session, id, reason.data, none);
		return 0;
	}
	if (session_is_full(session, 0)) {
		session_refuse_full(session, id);
		return 0;
	}
	return 1;
}

/* Answers */

/* If a relay cannot be sent an answer, only its own session ends. */
static void
session_sent(struct session *session, int sent, const struct err *err)
{
	if (sent == 0)
		return;
	log_debug("execution %" PRIu64 " cannot be answered: %s",
	    session->execution, err->text);
	session_end(session);
}

void
session_answer(
    struct session *session, uint64_t id, const char *json, size_t len)
{
	struct ipc_result result = { .id = id,
		.payload = { (const uint8_t *)json, len, -1 } };
	struct err err;

	if (session->over)
		return;
	if (session_is_full(session, len)) {
		session_refuse_full(session, id);
		return;
	}
	session_sent(session,
	    channel_send_result(session->relay, &result, &err), &err);
}

void
session_refuse(struct session *session, uint64_t id, const char *reason,
    struct json_span error)
{
	struct ipc_refused refused = { .id = id, .reason = reason };
	auto_free char *line = NULL;
	struct err err;

	if (session->over)
		return;
	/*
	 * If there is no room for the error object, the sentence is sent alone.
	 */
	if (error.len > 0 && error.len <= RESULT_MAX &&
	    !session_is_full(session, error.len)) {
		line = mem_alloc(error.len);
		json_span_copy_line(error, line);
		refused.error = (struct ipc_blob){ (const uint8_t *)line,
			error.len, -1 };
	}
	session_sent(session,
	    channel_send_refused(session->relay, &refused, &err), &err);
}

/* Servers */

/* Lists the permitted servers, in a sentence. */
static void
session_add_names(struct session *session, struct buffer *reason)
{
	size_t n;

	if (session->nrights == 0) {
		buffer_add_text(reason, "; there are none");
		return;
	}
	buffer_add_text(reason, "; there are ");
	for (n = 0; n < session->nrights && n < REFUSED_NAMES_MAX; n++) {
		if (n > 0)
			buffer_add_text(reason, ", ");
		reason_add_name(reason, session->rights[n].name);
	}
	if (n < session->nrights)
		buffer_printf(reason, " and %zu more", session->nrights - n);
}

static void
session_refuse_unknown(
    struct session *session, uint64_t id, const char *name)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "unknown server ");
	reason_add_name(&reason, name);
	session_add_names(session, &reason);
	reason_fit(&reason);
	session_refuse(
	    session, id, reason.data, (struct json_span){ NULL, 0 });
}

/* Refuses because of the state of a server. */
static void
session_refuse_state(struct session *session, uint64_t id, const char *name,
    const char *words)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "server ");
	reason_add_name(&reason, name);
	buffer_add_text(&reason, words);
	reason_fit(&reason);
	session_refuse(
	    session, id, reason.data, (struct json_span){ NULL, 0 });
}

/* Refuses because there is no server of that name any more. */
static void
session_refuse_gone(struct session *session, uint64_t id,
    const struct session_right *right)
{
	auto_buffer struct buffer words = { 0 };

	buffer_add_text(&words, " ");
	if (right->revoked != NULL)
		reason_add_stopped(&words, right->revoked);
	else
		buffer_add_text(&words, "is no longer configured");
	session_refuse_state(session, id, right->name, words.data);
}

static void
session_refuse_not_loaded(
    struct session *session, uint64_t id, const char *name)
{
	auto_buffer struct buffer words = { 0 };

	buffer_add_text(&words, " is configured but not loaded in this call: "
	    "name it in \"servers\", or await runtime.load_server(");
	reason_add_name(&words, name);
	buffer_add_text(&words, ")");
	session_refuse_state(session, id, name, words.data);
}

struct server *
session_find(struct session *session, uint64_t id, const char *name,
    int need_load)
{
	struct session_right *right = session_right(session, name);
	struct server *server = NULL;

	if (right == NULL) {
		session_refuse_unknown(session, id, name);
		return NULL;
	}
	server = session_server(session, right);
	if (server == NULL) {
		session_refuse_gone(session, id, right);
		return NULL;
	}
	if (right->loaded) {
		session_hold(right, server);
		return server;
	}
	if (!need_load)
		return server;
	session_refuse_not_loaded(session, id, name);
	return NULL;
}

void
session_revoke_all(struct broker *broker, const char *name, const char *why)
{
	struct session_right *right;
	struct session *session;

	TAILQ_FOREACH (session, &broker->sessions, entry) {
		right = session_right(session, name);
		if (right == NULL)
			continue;
		free(right->revoked);
		right->revoked = mem_strdup(why);
	}
}

void
session_load(struct session *session, struct server *server)
{
	struct session_right *right =
	    session_right(session, server_name(server));

	right->loaded = 1;
	session_hold(right, server);
	session_start(session, right, server);
}

static void
session_describe_right(const struct session_right *right,
    const struct server *server, struct buffer *json)
{
	server_describe(server, json);
	buffer_printf(
	    json, ",\"loaded\":%s}", right->loaded ? "true" : "false");
}

void
session_describe_server(
    struct session *session, struct server *server, struct buffer *json)
{
	session_describe_right(
	    session_right(session, server_name(server)), server, json);
}

void
session_describe(struct session *session, struct buffer *json)
{
	struct server *server;
	size_t n, count = 0;

	buffer_add_text(json, "[");
	for (n = 0; n < session->nrights; n++) {
		server = session_server(session, &session->rights[n]);
		if (server == NULL)
			continue;
		if (count++ > 0)
			buffer_add_text(json, ",");
		session_describe_right(&session->rights[n], server, json);
	}
	buffer_add_text(json, "]");
}
