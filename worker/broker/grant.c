/* A grant: see grant.h. */
#include <stdlib.h>
#include <string.h>

#include "../../common/ipc/exchange.h"
#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "link/link.h"
#include "state/state.h"
#include "grant.h"
#include "schema/schema.h"
#include "tools/tools.h"

/* Rights */

static struct grant_right *
grant_right(struct grant *grant, const char *name)
{
	size_t n;

	for (n = 0; n < grant->nrights; n++)
		if (strcmp(grant->rights[n].name, name) == 0)
			return &grant->rights[n];
	return NULL;
}

/*
 * Copies a list of names. Fatal if it is malformed, because its sender is
 * trusted.
 */
static char *
grant_copy_names(const struct ipc_blob *blob)
{
	struct err err;
	char *names = ipc_blob_copy(blob, &err);

	if (names == NULL)
		fatal("the servers of a grant are unreadable: %s", err.text);
	if (!text_list_complete(names, blob->len))
		fatal("a name of the servers of a grant has no end");
	return names;
}

/*
 * Returns the server that this grant loaded, whatever is configured now;
 * otherwise the configured one, or NULL.
 */
static struct server *
grant_server(const struct grant *grant, const struct grant_right *right)
{
	return right->hold.server != NULL ? right->hold.server :
	    server_find(grant->broker, grant->owner, right->name);
}

/* Whether this server may be started for the grant; if so, counts it. */
static int
grant_may_start(struct grant *grant, struct grant_right *right)
{
	if (right->started)
		return 1;
	if (grant->nstarted == GRANT_STARTS_MAX)
		return 0;
	right->started = true;
	grant->nstarted++;
	return 1;
}

/* Starts a server that the grant loads, if it may. */
static void
grant_start(struct grant *grant, struct grant_right *right,
    struct server *server)
{
	if (server->link == NULL && grant_may_start(grant, right))
		server_start(server);
}

static void
grant_hold(const struct grant *grant, struct grant_right *right,
    struct server *server)
{
	if (right->hold.server != NULL)
		return;
	right->hold.execution = grant->exchange.execution;
	right->hold.asks = grant->can_ask;
	right->hold.client = grant->client;
	server_hold(server, &right->hold);
	/* The reason belongs to an earlier server of this name. */
	free(mem_take(&right->revoked));
}

/*
 * Servers named by the client are started in advance, unless there are more
 * than may be started: the code may not use the first ones.
 */
static void
grant_read_loaded(struct grant *grant, const struct ipc_blob *blob)
{
	auto_free char *names = grant_copy_names(blob);
	struct grant_right *right;
	struct server *server;
	const char *name;
	size_t count = text_list_count(names, blob->len);

	TEXT_LIST_EACH (name, names, blob->len) {
		right = grant_right(grant, name);
		if (right == NULL)
			fatal("a grant loads a server that it may not use");
		right->loaded = true;
		server = grant_server(grant, right);
		if (server == NULL)
			continue;
		grant_hold(grant, right, server);
		if (count <= GRANT_STARTS_MAX)
			grant_start(grant, right, server);
	}
}

/* Start and end */

static void
grant_on_closed(void *ctx, const struct err *why)
{
	struct grant *grant = ctx;

	exchange_note_closed(&grant->exchange, why);
	grant_free(&grant);
}

static void
grant_on_ending(evutil_socket_t, short, void *arg)
{
	struct grant *grant = arg;

	grant_free(&grant);
}

void
grant_new(struct broker *broker, struct ipc_grant_servers *msg)
{
	struct grant *grant = mem_alloc(sizeof(*grant));
	struct channel_ends ends = { ROLE_BROKER, ROLE_RELAY, broker->routes,
		grant_on_closed, grant };
	const char *name;

	grant->broker = broker;
	grant->owner = mem_strdup(msg->owner);
	grant->patience = msg->tool_seconds * 1000;
	grant->longest = (msg->tool_ceiling > msg->tool_seconds ?
	    msg->tool_ceiling : msg->tool_seconds) * 1000;
	grant->remember = msg->remember != 0;
	grant->can_ask = (unsigned int)msg->asks;
	grant->client = msg->client;
	TAILQ_INIT(&grant->asks);
	TAILQ_INSERT_TAIL(&broker->grants, grant, entry);
	exchange_open(&grant->exchange, broker->base, &msg->relay,
	    msg->execution, &ends, grant_on_ending);
	grant->names = grant_copy_names(&msg->allowed);
	grant->rights = mem_alloc(CONFIG_SERVERS_MAX * sizeof(*grant->rights));
	TEXT_LIST_EACH (name, grant->names, msg->allowed.len) {
		if (grant->nrights == CONFIG_SERVERS_MAX)
			fatal("a grant has too many servers");
		grant->rights[grant->nrights++].name = name;
	}
	grant->rights = mem_resize(grant->rights,
	    grant->nrights * sizeof(*grant->rights));
	grant_read_loaded(grant, &msg->loaded);
}

void
grant_free(struct grant **grantp)
{
	struct grant *grant = mem_take(grantp);
	struct ask *ask;
	size_t n;

	if (grant == NULL)
		return;
	while ((ask = TAILQ_FIRST(&grant->asks)) != NULL)
		server_withdraw(&ask, "the execution that made the request has "
		    "ended");
	TAILQ_REMOVE(&grant->broker->grants, grant, entry);
	exchange_close(&grant->exchange);
	for (n = 0; n < grant->nrights; n++) {
		server_unhold(&grant->rights[n].hold);
		server_drop_idle(grant->broker, grant->owner,
		    grant->rights[n].name);
		free(grant->rights[n].revoked);
	}
	free(grant->rights);
	free(grant->names);
	free(grant->owner);
	free(grant);
}

/* Refusals */

/* How far a call got: the values of the field reached of REFUSED. */
enum reached { REACHED_NOTHING, REACHED_SERVER, REACHED_ANSWER };

static enum reached
grant_reached(const struct ask *ask)
{
	return ask->sent != 0 ? REACHED_SERVER : REACHED_NOTHING;
}

static void
grant_send_refused(struct grant *grant, uint64_t id, const char *reason,
    struct json_span error, enum reached reached, int unfit)
{
	struct ipc_refused refused = { .id = id, .reason = reason,
		.reached = (uint64_t)reached, .unfit = (uint64_t)unfit };
	auto_free char *line = NULL;
	struct err err;

	if (grant->exchange.over)
		return;
	/*
	 * If there is no room for the error object, the sentence is sent alone.
	 */
	if (error.len > 0 && error.len <= RESULT_MAX &&
	    !exchange_is_full(&grant->exchange, error.len)) {
		line = mem_alloc(error.len);
		json_span_copy_line(error, line);
		refused.error = (struct ipc_blob){ (const uint8_t *)line,
			error.len, -1 };
	}
	exchange_sent(&grant->exchange,
	    channel_send_refused(grant->exchange.relay, &refused, &err), &err);
}

/* Requests in flight */

/* Answers with a list of tools as TypeScript. */
static void
grant_answer_types(const struct ask *ask, const char *json, size_t len)
{
	auto_buffer struct buffer text = { 0 }, string = { 0 };
	struct json_span list, tool = { ask->tool.data, ask->tool.len };

	if (json_span_parse(json, len, &list, NULL) == -1)
		return;
	if (module_add(ask->definition->alias, list, tool, &text) > 0 ||
	    tool.len == 0) {
		json_add_string(&string, text.data, text.len);
		grant_answer(ask->grant, ask->id, string.data, string.len);
		return;
	}
	definition_begin_reason(ask->definition, &string);
	buffer_add_text(&string, " has no tool \"");
	reason_add_string(&string, tool, NULL);
	buffer_add_text(&string, "\"");
	reason_fit(&string);
	grant_refuse(ask->grant, ask->id, string.data,
	    (struct json_span){ NULL, 0 });
}

static void
grant_on_answered(const struct ask *ask, const char *json, size_t len)
{
	if (ask->declare) {
		grant_answer_types(ask, json, len);
		return;
	}
	if (ask->grant->remember && ask->kind == ASK_TOOLS) {
		auto_buffer struct buffer list = { 0 };

		/* A list of tools, with the shapes of their results. */
		shapes_add_list(ask->broker->shapes, ask->definition, json, len,
		    &list);
		if (list.len <= RESULT_MAX)
			grant_answer(ask->grant, ask->id, list.data, list.len);
		else
			grant_answer(ask->grant, ask->id, json, len);
		return;
	}
	grant_answer(ask->grant, ask->id, json, len);
	if (ask->grant->remember && ask->method == NULL) {
		struct json_span tool = { ask->tool.data, ask->tool.len },
		    found;

		/* Only of listed tools: other names could be of any number. */
		if (shapes_want(ask->broker->shapes, ask->definition, tool) &&
		    server_find_tool(ask->server, tool, &found))
			shapes_learn(ask->broker->shapes, ask->definition, tool,
			    (struct json_span){ json, len });
	}
}

static void
grant_on_refused(
    const struct ask *ask, const char *reason, struct json_span error)
{
	grant_send_refused(ask->grant, ask->id, reason, error,
	    error.len > 0 ? REACHED_ANSWER : grant_reached(ask), ask->unfit);
}

/*
 * The grant has the right to this server, or the request would have been
 * refused.
 */
static int
grant_on_starts(const struct ask *ask)
{
	struct grant *grant = ask->grant;

	return grant_may_start(
	    grant, grant_right(grant, ask->server->definition.name));
}

static void
grant_on_freed(struct ask *ask)
{
	struct grant *grant = ask->grant;

	TAILQ_REMOVE(&grant->asks, ask, sibling);
	grant->nasks--;
}

struct ask *
grant_new_ask(struct grant *grant, struct server *server, uint64_t id,
    enum ask_kind kind)
{
	static const struct ask_ends ends = { grant_on_answered,
		grant_on_refused, grant_on_freed, grant_on_starts };
	struct ask *ask = server_new_ask(server, &ends, id, kind);

	ask->grant = grant;
	ask->execution = grant->exchange.execution;
	ask->owner = grant->owner;
	ask->silence = grant->patience;
	ask->longest = grant->longest;
	ask->asks = grant->can_ask;
	ask->client = grant->client;
	TAILQ_INSERT_TAIL(&grant->asks, ask, sibling);
	grant->nasks++;
	return ask;
}

/* Returns the ask in flight of this number, or NULL. */
static struct ask *
grant_ask(struct grant *grant, uint64_t id)
{
	struct ask *ask;

	TAILQ_FOREACH (ask, &grant->asks, sibling)
		if (ask->id == id)
			return ask;
	return NULL;
}

/* Calls that were sent count: their servers may have read only a part. */
int
grant_has_room(const struct grant *grant, size_t len)
{
	const struct ask *ask;
	size_t own = 0;

	TAILQ_FOREACH (ask, &grant->asks, sibling)
		own += ask->arguments;
	return (own == 0 && len <= CALL_SMALL) ||
	    queue_may_have(own, len, grant->broker->unwritten,
	        BROKER_UNWRITTEN_MAX);
}

void
grant_cancel(struct grant *grant, uint64_t id)
{
	static const struct json_span none;
	struct ask *ask = grant_ask(grant, id);
	auto_buffer struct buffer reason = { 0 };

	if (ask == NULL || grant->exchange.over)
		return;
	buffer_add_text(&reason, "it was cancelled before it was answered");
	ask_add_sent(ask, &reason);
	grant_send_refused(grant, id, reason.data, none, grant_reached(ask), 0);
	server_withdraw(&ask, "the code no longer waits for it");
}

static void
grant_refuse_full(struct grant *grant, uint64_t id, enum reached reached)
{
	static const struct json_span none;
	auto_buffer struct buffer reason = { 0 };

	exchange_add_full(&grant->exchange, &reason);
	grant_send_refused(grant, id, reason.data, none, reached, 0);
}

int
grant_admit(struct grant *grant, uint64_t id)
{
	static const struct json_span none;
	auto_buffer struct buffer reason = { 0 };

	if (grant->exchange.over)
		return 0;
	if (grant_ask(grant, id) != NULL) {
		exchange_break(&grant->exchange, "the number of a request in "
		    "flight is used again");
		return 0;
	}
	if (grant->nasks >= REQUESTS_MAX) {
		buffer_printf(&reason, "%d requests of this execution are in "
		    "flight already; await some of them first", REQUESTS_MAX);
		grant_refuse(grant, id, reason.data, none);
		return 0;
	}
	if (exchange_is_full(&grant->exchange, 0)) {
		grant_refuse_full(grant, id, REACHED_NOTHING);
		return 0;
	}
	return 1;
}

/* Answers */

void
grant_answer(struct grant *grant, uint64_t id, const char *json, size_t len)
{
	struct ipc_result result = { .id = id,
		.payload = { (const uint8_t *)json, len, -1 } };
	struct err err;

	if (grant->exchange.over)
		return;
	if (exchange_is_full(&grant->exchange, len)) {
		grant_refuse_full(grant, id, REACHED_ANSWER);
		return;
	}
	exchange_sent(&grant->exchange,
	    channel_send_result(grant->exchange.relay, &result, &err), &err);
}

void
grant_refuse(struct grant *grant, uint64_t id, const char *reason,
    struct json_span error)
{
	grant_send_refused(grant, id, reason, error, REACHED_NOTHING, 0);
}

/* Servers */

/* Lists the permitted servers, in a sentence. */
static void
grant_add_names(struct grant *grant, struct buffer *reason)
{
	size_t n;

	if (grant->nrights == 0) {
		buffer_add_text(reason, "; there are none");
		return;
	}
	buffer_add_text(reason, "; there are ");
	for (n = 0; n < grant->nrights && n < REFUSED_NAMES_MAX; n++) {
		if (n > 0)
			buffer_add_text(reason, ", ");
		reason_add_name(reason, grant->rights[n].name);
	}
	if (n < grant->nrights)
		buffer_printf(reason, " and %zu more", grant->nrights - n);
}

/* Refuses because of the state of a server. */
static void
grant_refuse_state(struct grant *grant, uint64_t id, const char *name,
    const char *words)
{
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "server ");
	reason_add_name(&reason, name);
	buffer_add_text(&reason, words);
	reason_fit(&reason);
	grant_refuse(grant, id, reason.data, (struct json_span){ NULL, 0 });
}

static void
grant_refuse_not_loaded(struct grant *grant, uint64_t id, const char *name)
{
	auto_buffer struct buffer words = { 0 };

	buffer_add_text(&words, " is configured but not loaded in this call: "
	    "name it in \"servers\", or await runtime.load_server(");
	reason_add_name(&words, name);
	buffer_add_text(&words, ")");
	grant_refuse_state(grant, id, name, words.data);
}

struct server *
grant_find(struct grant *grant, uint64_t id, const char *name, int need_load)
{
	struct grant_right *right = grant_right(grant, name);
	struct server *server = NULL;

	if (right == NULL) {
		auto_buffer struct buffer reason = { 0 };

		buffer_add_text(&reason, "unknown server ");
		reason_add_name(&reason, name);
		grant_add_names(grant, &reason);
		reason_fit(&reason);
		grant_refuse(
		    grant, id, reason.data, (struct json_span){ NULL, 0 });
		return NULL;
	}
	server = grant_server(grant, right);
	if (server == NULL) {
		auto_buffer struct buffer words = { 0 };

		buffer_add_text(&words, " ");
		if (right->revoked != NULL)
			reason_add_stopped(&words, right->revoked);
		else
			buffer_add_text(&words, "is no longer configured");
		grant_refuse_state(grant, id, right->name, words.data);
		return NULL;
	}
	if (right->loaded) {
		grant_hold(grant, right, server);
		return server;
	}
	if (!need_load)
		return server;
	grant_refuse_not_loaded(grant, id, name);
	return NULL;
}

void
grant_revoke_all(struct broker *broker, const char *name, const char *why)
{
	struct grant_right *right;
	struct grant *grant;

	TAILQ_FOREACH (grant, &broker->grants, entry) {
		right = grant_right(grant, name);
		if (right == NULL)
			continue;
		free(right->revoked);
		right->revoked = mem_strdup(why);
	}
}

void
grant_load(struct grant *grant, struct server *server)
{
	struct grant_right *right = grant_right(grant, server->definition.name);

	right->loaded = true;
	grant_hold(grant, right, server);
	grant_start(grant, right, server);
}

static void
grant_describe_right(const struct grant_right *right,
    const struct server *server, struct buffer *json)
{
	definition_describe(&server->definition,
	    server->about != NULL ? server->about : "", json);
	buffer_printf(
	    json, ",\"loaded\":%s}", right->loaded ? "true" : "false");
}

void
grant_describe_server(
    struct grant *grant, struct server *server, struct buffer *json)
{
	grant_describe_right(
	    grant_right(grant, server->definition.name), server, json);
}

void
grant_describe(struct grant *grant, struct buffer *json)
{
	struct server *server;
	size_t n, count = 0;

	buffer_add_text(json, "[");
	for (n = 0; n < grant->nrights; n++) {
		server = grant_server(grant, &grant->rights[n]);
		if (server == NULL)
			continue;
		if (count++ > 0)
			buffer_add_text(json, ",");
		grant_describe_right(&grant->rights[n], server, json);
	}
	buffer_add_text(json, "]");
}
