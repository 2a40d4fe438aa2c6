/*
 * A permit: see permit.h. Runs in the broker.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/ipc/exchange.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "link/queue.h"
#include "state/reason.h"
#include "link/server.h"
#include "permit.h"
#include "tools/shapes.h"

/* A server that the permit may use, by its name. */
struct permit_right {
	const char *name; /* within the permit's names */
	int loaded;
	int started; /* it was started for this permit, and counts */
	struct server_hold hold; /* the server that this permit has loaded */
	/* Why the last server of this name was stopped, or NULL. */
	char *revoked;
};

struct permit {
	TAILQ_ENTRY(permit) entry; /* of the broker */
	struct broker *broker;
	struct exchange exchange;
	char *owner;
	uint64_t patience; /* milliseconds without a sign of the server */
	char *names; /* each with its NUL */
	struct permit_right *rights;
	size_t nrights;
	size_t nstarted; /* of them */
	struct ask_list asks; /* under way */
	size_t nasks;
	int remember; /* report the shapes of results */
};

/* Rights */

static struct permit_right *
permit_right(struct permit *permit, const char *name)
{
	size_t n;

	for (n = 0; n < permit->nrights; n++)
		if (strcmp(permit->rights[n].name, name) == 0)
			return &permit->rights[n];
	return NULL;
}

/*
 * Copies a list of names. Fatal if it is malformed, because its sender is
 * trusted.
 */
static char *
permit_copy_names(const struct ipc_blob *blob)
{
	struct err err;
	char *names = ipc_blob_copy(blob, &err);

	if (names == NULL)
		fatal("the servers of a permit are unreadable: %s", err.text);
	if (!text_list_complete(names, blob->len))
		fatal("a name of the servers of a permit has no end");
	return names;
}

static void
permit_read_allowed(struct permit *permit, const struct ipc_blob *blob)
{
	const char *name;

	permit->names = permit_copy_names(blob);
	permit->rights =
	    mem_alloc(CONFIG_SERVERS_MAX * sizeof(*permit->rights));
	TEXT_LIST_EACH (name, permit->names, blob->len) {
		if (permit->nrights == CONFIG_SERVERS_MAX)
			fatal("a permit has too many servers");
		permit->rights[permit->nrights++].name = name;
	}
	permit->rights = mem_resize(permit->rights,
	    permit->nrights * sizeof(*permit->rights));
}

/*
 * Returns the server that this permit loaded, whatever is configured now;
 * otherwise the configured one, or NULL.
 */
static struct server *
permit_server(
    const struct permit *permit, const struct permit_right *right)
{
	return right->hold.server != NULL ? right->hold.server :
	    server_find(permit->broker, permit->owner, right->name);
}

/* Whether this server may be started for the permit; if so, counts it. */
static int
permit_may_start(struct permit *permit, struct permit_right *right)
{
	if (right->started)
		return 1;
	if (permit->nstarted == GRANT_STARTS_MAX)
		return 0;
	right->started = 1;
	permit->nstarted++;
	return 1;
}

/* Starts a server that the permit loads, if it may. */
static void
permit_start(struct permit *permit, struct permit_right *right,
    struct server *server)
{
	if (!server_runs(server) && permit_may_start(permit, right))
		server_load(server);
}

static void
permit_hold(struct permit_right *right, struct server *server)
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
permit_read_loaded(struct permit *permit, const struct ipc_blob *blob)
{
	auto_free char *names = permit_copy_names(blob);
	struct permit_right *right;
	struct server *server;
	const char *name;
	size_t count = text_list_count(names, blob->len);

	TEXT_LIST_EACH (name, names, blob->len) {
		right = permit_right(permit, name);
		if (right == NULL)
			fatal("a permit loads a server that it may not use");
		right->loaded = 1;
		server = permit_server(permit, right);
		if (server == NULL)
			continue;
		permit_hold(right, server);
		if (count <= GRANT_STARTS_MAX)
			permit_start(permit, right, server);
	}
}

/* Start and end */

static void
permit_on_closed(void *ctx, const struct err *why)
{
	struct permit *permit = ctx;

	exchange_note_closed(&permit->exchange, why);
	permit_free(&permit);
}

static void
permit_on_ending(evutil_socket_t fd, short what, void *arg)
{
	struct permit *permit = arg;

	(void)fd;
	(void)what;
	permit_free(&permit);
}

void
permit_new(struct broker *broker, struct ipc_grant_servers *msg)
{
	struct permit *permit = mem_alloc(sizeof(*permit));
	struct channel_ends ends = { ROLE_BROKER, ROLE_RELAY, broker->routes,
		permit_on_closed, permit };

	permit->broker = broker;
	permit->owner = mem_strdup(msg->owner);
	permit->patience = msg->tool_seconds * 1000;
	permit->remember = msg->remember != 0;
	TAILQ_INIT(&permit->asks);
	TAILQ_INSERT_TAIL(&broker->permits, permit, entry);
	exchange_open(&permit->exchange, broker->base, &msg->relay,
	    msg->execution, &ends, permit_on_ending);
	permit_read_allowed(permit, &msg->allowed);
	permit_read_loaded(permit, &msg->loaded);
}

static void
permit_free_rights(struct permit *permit)
{
	size_t n;

	for (n = 0; n < permit->nrights; n++) {
		server_unhold(&permit->rights[n].hold);
		server_drop_idle(permit->broker, permit->owner,
		    permit->rights[n].name);
		free(permit->rights[n].revoked);
	}
	free(permit->rights);
	free(permit->names);
}

void
permit_free(struct permit **permitp)
{
	struct permit *permit = mem_take(permitp);
	struct ask *ask;

	if (permit == NULL)
		return;
	while ((ask = TAILQ_FIRST(&permit->asks)) != NULL)
		server_withdraw(&ask, "the execution that made the request has "
		    "ended");
	TAILQ_REMOVE(&permit->broker->permits, permit, entry);
	exchange_close(&permit->exchange);
	permit_free_rights(permit);
	free(permit->owner);
	free(permit);
}

void
permit_break(struct permit *permit, const char *how)
{
	exchange_break(&permit->exchange, how);
}

const char *
permit_owner(const struct permit *permit)
{
	return permit->owner;
}

uint64_t
permit_execution(const struct permit *permit)
{
	return permit->exchange.execution;
}

struct broker *
permit_broker(const struct permit *permit)
{
	return permit->broker;
}

/* Refusals */

/* How far a call got: the values of the field reached of REFUSED. */
enum reached { REACHED_NOTHING, REACHED_SERVER, REACHED_ANSWER };

static enum reached
permit_reached(const struct ask *ask)
{
	return ask->sent != 0 ? REACHED_SERVER : REACHED_NOTHING;
}

static void
permit_send_refused(struct permit *permit, uint64_t id, const char *reason,
    struct json_span error, enum reached reached, int unfit)
{
	struct ipc_refused refused = { .id = id, .reason = reason,
		.reached = (uint64_t)reached, .unfit = (uint64_t)unfit };
	auto_free char *line = NULL;
	struct err err;

	if (permit->exchange.over)
		return;
	/*
	 * If there is no room for the error object, the sentence is sent alone.
	 */
	if (error.len > 0 && error.len <= RESULT_MAX &&
	    !exchange_is_full(&permit->exchange, error.len)) {
		line = mem_alloc(error.len);
		json_span_copy_line(error, line);
		refused.error = (struct ipc_blob){ (const uint8_t *)line,
			error.len, -1 };
	}
	exchange_sent(&permit->exchange,
	    channel_send_refused(permit->exchange.relay, &refused, &err), &err);
}

/* Requests in flight */

/* A list of tools, with the shapes of their results. */
static void
permit_answer_list(const struct ask *ask, const char *json, size_t len)
{
	auto_buffer struct buffer list = { 0 };

	shapes_add_list(ask->broker->shapes, ask->definition, json, len,
	    &list);
	if (list.len <= RESULT_MAX)
		permit_answer(ask->permit, ask->id, list.data, list.len);
	else
		permit_answer(ask->permit, ask->id, json, len);
}

/* Only of listed tools: other names could be of any number. */
static void
permit_learn(const struct ask *ask, const char *json, size_t len)
{
	struct json_span tool = { ask->tool.data, ask->tool.len }, found;

	if (shapes_want(ask->broker->shapes, ask->definition, tool) &&
	    server_find_tool(ask->server, tool, &found))
		shapes_learn(ask->broker->shapes, ask->definition, tool,
		    (struct json_span){ json, len });
}

static void
permit_on_answered(const struct ask *ask, const char *json, size_t len)
{
	if (ask->permit->remember && ask->kind == ASK_TOOLS) {
		permit_answer_list(ask, json, len);
		return;
	}
	permit_answer(ask->permit, ask->id, json, len);
	if (ask->permit->remember)
		permit_learn(ask, json, len);
}

static void
permit_on_refused(
    const struct ask *ask, const char *reason, struct json_span error)
{
	permit_send_refused(ask->permit, ask->id, reason, error,
	    error.len > 0 ? REACHED_ANSWER : permit_reached(ask), ask->unfit);
}

/*
 * The permit has the right to this server, or the request would have been
 * refused.
 */
static int
permit_on_starts(const struct ask *ask)
{
	struct permit *permit = ask->permit;

	return permit_may_start(
	    permit, permit_right(permit, server_name(ask->server)));
}

static void
permit_on_freed(struct ask *ask)
{
	struct permit *permit = ask->permit;

	TAILQ_REMOVE(&permit->asks, ask, sibling);
	permit->nasks--;
}

struct ask *
permit_new_ask(struct permit *permit, struct server *server, uint64_t id,
    enum ask_kind kind)
{
	static const struct ask_ends ends = { permit_on_answered,
		permit_on_refused, permit_on_freed, permit_on_starts };
	struct ask *ask = server_new_ask(server, &ends, id, kind);

	ask->permit = permit;
	ask->execution = permit->exchange.execution;
	ask->owner = permit->owner;
	ask->silence = permit->patience;
	TAILQ_INSERT_TAIL(&permit->asks, ask, sibling);
	permit->nasks++;
	return ask;
}

/* Returns the ask in flight of this number, or NULL. */
static struct ask *
permit_ask(struct permit *permit, uint64_t id)
{
	struct ask *ask;

	TAILQ_FOREACH (ask, &permit->asks, sibling)
		if (ask->id == id)
			return ask;
	return NULL;
}

/* Calls that were sent count: their servers may have read only a part. */
int
permit_has_room(const struct permit *permit, size_t len)
{
	const struct ask *ask;
	size_t own = 0;

	TAILQ_FOREACH (ask, &permit->asks, sibling)
		own += ask->arguments;
	return (own == 0 && len <= CALL_SMALL) ||
	    queue_may_have(own, len, permit->broker->unwritten,
	        BROKER_UNWRITTEN_MAX);
}

void
permit_cancel(struct permit *permit, uint64_t id)
{
	static const struct json_span none;
	struct ask *ask = permit_ask(permit, id);
	auto_buffer struct buffer reason = { 0 };

	if (ask == NULL || permit->exchange.over)
		return;
	buffer_add_text(&reason, "it was cancelled before it was answered");
	ask_add_sent(ask, &reason);
	permit_send_refused(
	    permit, id, reason.data, none, permit_reached(ask), 0);
	server_withdraw(&ask, "the code no longer waits for it");
}

static void
permit_refuse_full(struct permit *permit, uint64_t id, enum reached reached)
{
	static const struct json_span none;
	auto_buffer struct buffer reason = { 0 };

	exchange_add_full(&permit->exchange, &reason);
	permit_send_refused(permit, id, reason.data, none, reached, 0);
}

int
permit_admit(struct permit *permit, uint64_t id)
{
	static const struct json_span none;
	auto_buffer struct buffer reason = { 0 };

	if (permit->exchange.over)
		return 0;
	if (permit_ask(permit, id) != NULL) {
		permit_break(permit, "the number of a request in flight is "
		    "used again");
		return 0;
	}
	if (permit->nasks >= REQUESTS_MAX) {
		buffer_printf(&reason, "%d requests of this execution are in "
		    "flight already; await some of them first",
		    REQUESTS_MAX);
		permit_refuse(permit, id, reason.data, none);
		return 0;
	}
	if (exchange_is_full(&permit->exchange, 0)) {
		permit_refuse_full(permit, id, REACHED_NOTHING);
		return 0;
	}
	return 1;
}

/* Answers */

void
permit_answer(
    struct permit *permit, uint64_t id, const char *json, size_t len)
{
	struct ipc_result result = { .id = id,
		.payload = { (const uint8_t *)json, len, -1 } };
	struct err err;

	if (permit->exchange.over)
		return;
	if (exchange_is_full(&permit->exchange, len)) {
		permit_refuse_full(permit, id, REACHED_ANSWER);
		return;
	}
	exchange_sent(&permit->exchange,
	    channel_send_result(permit->exchange.relay, &result, &err), &err);
}

void
permit_refuse(struct permit *permit, uint64_t id, const char *reason,
    struct json_span error)
{
	permit_send_refused(permit, id, reason, error, REACHED_NOTHING, 0);
}

/* Servers */

/* Lists the permitted servers, in a sentence. */
static void
permit_add_names(struct permit *permit, struct buffer *reason)
{
	size_t n;

	if (permit->nrights == 0) {
		buffer_add_text(reason, "; there are none");
		return;
	}
	buffer_add_text(reason, "; there are ");
	for (n = 0; n < permit->nrights && n < REFUSED_NAMES_MAX; n++) {
		if (n > 0)
			buffer_add_text(reason, ", ");
		reason_add_name(reason, permit->rights[n].name);
	}
	if (n < permit->nrights)
		buffer_printf(reason, " and %zu more", permit->nrights - n);
}

static void
permit_refuse_unknown(
    struct permit *permit, uint64_t id, const char *name)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "unknown server ");
	reason_add_name(&reason, name);
	permit_add_names(permit, &reason);
	reason_fit(&reason);
	permit_refuse(
	    permit, id, reason.data, (struct json_span){ NULL, 0 });
}

/* Refuses because of the state of a server. */
static void
permit_refuse_state(struct permit *permit, uint64_t id, const char *name,
    const char *words)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "server ");
	reason_add_name(&reason, name);
	buffer_add_text(&reason, words);
	reason_fit(&reason);
	permit_refuse(
	    permit, id, reason.data, (struct json_span){ NULL, 0 });
}

/* Refuses because there is no server of that name any more. */
static void
permit_refuse_gone(struct permit *permit, uint64_t id,
    const struct permit_right *right)
{
	auto_buffer struct buffer words = { 0 };

	buffer_add_text(&words, " ");
	if (right->revoked != NULL)
		reason_add_stopped(&words, right->revoked);
	else
		buffer_add_text(&words, "is no longer configured");
	permit_refuse_state(permit, id, right->name, words.data);
}

static void
permit_refuse_not_loaded(
    struct permit *permit, uint64_t id, const char *name)
{
	auto_buffer struct buffer words = { 0 };

	buffer_add_text(&words, " is configured but not loaded in this call: "
	    "name it in \"servers\", or await runtime.load_server(");
	reason_add_name(&words, name);
	buffer_add_text(&words, ")");
	permit_refuse_state(permit, id, name, words.data);
}

struct server *
permit_find(struct permit *permit, uint64_t id, const char *name,
    int need_load)
{
	struct permit_right *right = permit_right(permit, name);
	struct server *server = NULL;

	if (right == NULL) {
		permit_refuse_unknown(permit, id, name);
		return NULL;
	}
	server = permit_server(permit, right);
	if (server == NULL) {
		permit_refuse_gone(permit, id, right);
		return NULL;
	}
	if (right->loaded) {
		permit_hold(right, server);
		return server;
	}
	if (!need_load)
		return server;
	permit_refuse_not_loaded(permit, id, name);
	return NULL;
}

void
permit_revoke_all(struct broker *broker, const char *name, const char *why)
{
	struct permit_right *right;
	struct permit *permit;

	TAILQ_FOREACH (permit, &broker->permits, entry) {
		right = permit_right(permit, name);
		if (right == NULL)
			continue;
		free(right->revoked);
		right->revoked = mem_strdup(why);
	}
}

void
permit_load(struct permit *permit, struct server *server)
{
	struct permit_right *right =
	    permit_right(permit, server_name(server));

	right->loaded = 1;
	permit_hold(right, server);
	permit_start(permit, right, server);
}

static void
permit_describe_right(const struct permit_right *right,
    const struct server *server, struct buffer *json)
{
	server_describe(server, json);
	buffer_printf(
	    json, ",\"loaded\":%s}", right->loaded ? "true" : "false");
}

void
permit_describe_server(
    struct permit *permit, struct server *server, struct buffer *json)
{
	permit_describe_right(
	    permit_right(permit, server_name(server)), server, json);
}

void
permit_describe(struct permit *permit, struct buffer *json)
{
	struct server *server;
	size_t n, count = 0;

	buffer_add_text(json, "[");
	for (n = 0; n < permit->nrights; n++) {
		server = permit_server(permit, &permit->rights[n]);
		if (server == NULL)
			continue;
		if (count++ > 0)
			buffer_add_text(json, ",");
		permit_describe_right(&permit->rights[n], server, json);
	}
	buffer_add_text(json, "]");
}
