/* The session with a remote server: see connector.h. */
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../../common/json/jsonrpc.h"
#include "../../common/limits.h"
#include "connector.h"

#define SESSION_DISCOVER "\"discover\""
#define SESSION_LISTEN "\"listen\""
#define SESSION_LEARN "\"learn\""

enum session_state {
	SESSION_NEW,   /* how it is spoken to is not known yet */
	SESSION_READY,
	SESSION_LOST,  /* it is begun again; what comes meanwhile waits */
	SESSION_OVER,  /* of the broker: the server is told */
};

enum talk_kind {
	TALK_GREETING, /* "initialize" of the broker */
	TALK_REQUEST,
	TALK_OTHER,    /* a notification, or an answer */
	TALK_DISCOVER, /* which versions the server has: ours */
	TALK_LEARN,    /* which arguments go into headers: ours */
	TALK_AGAIN,    /* "initialize" in a new session: ours */
	TALK_LEVEL,    /* "logging/setLevel" there: ours */
	TALK_STREAM,   /* what the server sends unasked */
	TALK_LISTEN,   /* the same, of a version without sessions */
	TALK_GOODBYE,
};

/* A message that is under way, or waits for a session. */
struct talk {
	TAILQ_ENTRY(talk) entry;
	struct session *session;
	enum talk_kind kind;
	struct exchange *exchange; /* NULL: it waits */
	char *line;
	size_t len;
	char *id;     /* as JSON; NULL: it gets no answer */
	unsigned int begun; /* of the session by which it was sent */
	bool again;   /* it was refused once, as the session was gone */
	bool once;    /* it changes something: it must not be sent twice */
	bool begins;  /* it ends the greeting: "initialized" */
	bool lists;   /* it asks for the tools */
};

/* How a server is spoken to. */
enum session_manner {
	MANNER_SESSIONS,  /* Streamable HTTP: 2025-03-26 to 2025-11-25 */
	MANNER_STATELESS, /* the same without sessions: 2026-07-28 */
	MANNER_EVENTS,    /* HTTP+SSE: 2024-11-05 */
};

struct session {
	struct event_base *base;
	const struct remote *remote;
	struct session_ends ends;
	struct transfers *transfers;
	struct renew *renew;
	struct pair *pair;
	struct event *timer; /* until the stream is read again */
	enum session_state state;
	enum session_manner manner;
	bool recalled;   /* manner is that of an earlier run, not proven */
	bool asked;      /* for its versions, twice */
	bool listens;    /* it tells of changes to who listens */
	char *endpoint;  /* to which messages go; NULL: the URL itself */
	struct params params; /* MANNER_STATELESS: what goes into headers */
	unsigned int pages;   /* of the list of tools, read for that */
	struct buffer welcome; /* the answer to "initialize", until then */
	char *refusal;   /* of "initialize", before another manner was tried */
	unsigned int begun; /* how often */
	char *name;    /* Mcp-Session-Id; NULL: none */
	char *version; /* of the protocol; NULL: not agreed */
	char *greeting; /* the line of "initialize" */
	size_t greeting_len;
	struct buffer level; /* the last line of "logging/setLevel" */
	TAILQ_HEAD(, talk) talks;
};

/* As they are remembered between starts. */
static const char *const session_manners[] = {
	[MANNER_SESSIONS] = "sessions",
	[MANNER_STATELESS] = "stateless",
	[MANNER_EVENTS] = "sse",
};

static const char session_initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":"
    "\"notifications/initialized\"}";

static void session_on_message(void *ctx, const char *data, size_t len);
static void session_on_event(void *ctx, const char *type, const char *data);
static void session_on_ended(
    void *ctx, enum exchange_outcome outcome, const char *why);

/* What is sent */

/* The headers that repeat parts of the message. */
static void
session_add_era(const struct talk *talk, struct buffer *headers)
{
	struct jsonrpc message;
	struct json_span value;
	struct err err;

	if (json_span_parse(talk->line, talk->len, &value, &err) == -1)
		return;
	jsonrpc_sort(value, &message, &err);
	era_add_headers(headers, &message);
	if (json_span_is(message.method, "tools/call"))
		params_add_headers(
		    &talk->session->params, message.params, headers);
}

static void
session_add_headers(const struct session *session, const struct talk *talk,
    struct buffer *headers)
{
	if (talk->kind == TALK_STREAM) {
		text_list_add(headers, "Accept: text/event-stream");
	} else if (talk->kind != TALK_GOODBYE) {
		text_list_add(headers, "Content-Type: application/json");
		text_list_add(headers,
		    "Accept: application/json, text/event-stream");
	}
	if (talk->kind == TALK_DISCOVER ||
	    session->manner == MANNER_STATELESS) {
		session_add_era(talk, headers);
	} else if (session->version != NULL && talk->kind != TALK_AGAIN) {
		auto_free char *line = mem_printf(
		    "MCP-Protocol-Version: %s", session->version);

		text_list_add(headers, line);
	}
	if (session->name != NULL) {
		auto_free char *line =
		    mem_printf("Mcp-Session-Id: %s", session->name);

		text_list_add(headers, line);
	}
}

static void
talk_send(struct talk *talk)
{
	struct session *session = talk->session;
	const struct exchange_ends ends = { session_on_message,
		session_on_event, session_on_ended, talk };
	auto_buffer struct buffer headers = { 0 };
	const struct exchange_wanted wanted = {
		.method = talk->kind == TALK_STREAM ? "GET" :
		    talk->kind == TALK_GOODBYE ? "DELETE" : "POST",
		.url = session->endpoint != NULL && talk->kind != TALK_STREAM ?
		    session->endpoint : session->remote->url,
		.headers = &headers,
		.body = talk->line,
		.len = talk->len,
		.expects = (session->manner == MANNER_EVENTS) ==
		    (talk->kind == TALK_STREAM) &&
		    (talk->kind == TALK_STREAM || talk->id != NULL),
		.session = session->name != NULL,
		.again = !talk->once,
		.renew = session->renew };

	session_add_headers(session, talk, &headers);
	talk->begun = session->begun;
	talk->exchange = exchange_start(
	    session->base, session->transfers, &wanted, &ends);
}

static struct talk *
talk_new(struct session *session, enum talk_kind kind, const char *line,
    size_t len)
{
	struct talk *talk = mem_alloc(sizeof(*talk));

	talk->session = session;
	talk->kind = kind;
	if (len > 0)
		talk->line = mem_dup(line, len);
	talk->len = len;
	TAILQ_INSERT_TAIL(&session->talks, talk, entry);
	return talk;
}

static void
talk_free(struct talk **talkp)
{
	struct talk *talk = mem_take(talkp);

	TAILQ_REMOVE(&talk->session->talks, talk, entry);
	free(talk->line);
	free(talk->id);
	free(talk);
}

static int
talk_has_id(const struct talk *talk, struct json_span id)
{
	return talk->id != NULL && id.len == strlen(talk->id) &&
	    memcmp(id.p, talk->id, id.len) == 0;
}

/* Returns the request of the broker with this id, or NULL. */
static struct talk *
session_find_id(struct session *session, struct json_span id)
{
	struct talk *talk;

	TAILQ_FOREACH (talk, &session->talks, entry)
		if ((talk->kind == TALK_REQUEST ||
		        talk->kind == TALK_GREETING) && talk_has_id(talk, id))
			return talk;
	return NULL;
}

static struct talk *
session_find(struct session *session, enum talk_kind kind)
{
	struct talk *talk;

	TAILQ_FOREACH (talk, &session->talks, entry)
		if (talk->kind == kind)
			return talk;
	return NULL;
}

/* What the broker gets */

/* Passes a value on as one line: of the stream of this request, or NULL. */
static void
session_pass(struct session *session, struct json_span value, const char *id)
{
	auto_buffer struct buffer line = { 0 };

	if (id != NULL) {
		buffer_printf(&line, "{\"relatedRequestId\":%s,", id);
		value.p++;
		value.len--;
	}
	json_span_copy_line(value, buffer_reserve(&line, value.len));
	line.len += value.len;
	buffer_add(&line, "\n", 1);
	pair_write(session->pair, line.data, line.len);
	if (pair_is_full(session->pair))
		transfers_hold(session->transfers, 1);
}

static void
session_on_room(void *ctx)
{
	struct session *session = ctx;

	transfers_hold(session->transfers, 0);
}

static void
session_pass_error(
    struct session *session, const struct talk *talk, const char *why)
{
	struct json_span id = { talk->id, strlen(talk->id) };
	auto_buffer struct buffer line = { 0 };

	jsonrpc_add_error(&line, id, JSONRPC_REFUSED, why, NULL);
	pair_write(session->pair, line.data, line.len);
}

/* Answers a request with a result or an error. Returns whether it can. */
static int
session_pass_made(struct session *session, const struct talk *talk,
    const char *member, const char *data, size_t len)
{
	auto_buffer struct buffer line = { 0 };
	struct json_span value;
	struct err err;

	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":",
	    talk->id, member);
	buffer_add(&line, data, len);
	buffer_add_text(&line, "}");
	if (json_span_parse(line.data, line.len, &value, &err) == -1)
		return 0;
	session_pass(session, value, NULL);
	return 1;
}

/* An answer to "initialize" that did not come whole may have begun one. */
static void
session_keep_name(struct session *session)
{
	const struct talk *greeting = session_find(session, TALK_GREETING);
	const char *name = greeting == NULL || greeting->exchange == NULL ?
	    "" : exchange_head(greeting->exchange)->session;

	if (session->name == NULL && name[0] != '\0')
		session->name = mem_strdup(name);
}

/* The server is told that its session is over; it need not know DELETE. */
static void
session_end(struct session *session)
{
	session->state = SESSION_OVER;
	if (session->name == NULL) {
		session->ends.ended(session->ends.ctx);
		return;
	}
	loop_set_timer(session->timer, CONNECTOR_GOODBYE_MS);
	talk_send(talk_new(session, TALK_GOODBYE, NULL, 0));
}

static void
session_fail(struct session *session, const char *why)
{
	if (session->state == SESSION_OVER)
		return;
	session->ends.failed(session->ends.ctx, why);
	session_keep_name(session);
	session_end(session);
}

/* Keeps what the server has agreed to. */
static void
session_agree(struct session *session, const struct talk *talk,
    const struct jsonrpc *message)
{
	const char *name = session->manner == MANNER_EVENTS ? "" :
	    exchange_head(talk->exchange)->session;
	struct json_span version;
	size_t len;

	free(mem_take(&session->name));
	if (name[0] != '\0')
		session->name = mem_strdup(name);
	if (message->result.count != 1)
		return;
	free(mem_take(&session->version));
	if (json_span_get(
	        message->result.value, "protocolVersion", &version) > 0)
		session->version = json_span_string(version, &len, NULL);
	/* It is sent in a header; what it means, the broker judges. */
	if (session->version != NULL && session->version[strspn(
	        session->version, "0123456789-")] != '\0')
		free(mem_take(&session->version));
}

/* It speaks so: the next start need not find that out. */
static void
session_prove(struct session *session)
{
	if (!session->recalled)
		store_write_manner(session->remote->logins,
		    session->remote->url, session_manners[session->manner]);
	session->recalled = false;
}

static void
session_resume(struct session *session)
{
	struct talk *talk = talk_new(session, TALK_OTHER, session_initialized,
	    sizeof(session_initialized) - 1);

	session->state = SESSION_READY;
	talk->begins = true;
	talk_send(talk);
	if (session->level.len > 0)
		talk_send(talk_new(session, TALK_LEVEL, session->level.data,
		    session->level.len));
	TAILQ_FOREACH (talk, &session->talks, entry)
		if (talk->exchange == NULL)
			talk_send(talk);
}

/* Sends a request of ours, of a version without sessions. */
static void
session_ask(struct session *session, enum talk_kind kind, const char *id,
    const char *method, const char *params)
{
	auto_buffer struct buffer line = { 0 };
	struct talk *talk;

	era_add_request(&line, id, method, params);
	talk = talk_new(session, kind, line.data, line.len);
	if (kind != TALK_LISTEN)
		talk->id = mem_strdup(id);
	talk_send(talk);
}

/* The broker may have the list from before, but headers need it here. */
static void
session_learn(struct session *session, struct json_span cursor)
{
	auto_free char *params = cursor.len == 0 ? mem_strdup("") :
	    mem_printf("\"cursor\":%.*s,", (int)cursor.len, cursor.p);

	session->pages++;
	session_ask(session, TALK_LEARN, SESSION_LEARN, "tools/list", params);
}

/* All is known: the broker may call. */
static void
session_welcome(struct session *session)
{
	struct talk *greeting = session_find(session, TALK_GREETING);
	struct json_span value;
	struct err err;

	session->state = SESSION_READY;
	session_prove(session);
	if (json_span_parse(session->welcome.data, session->welcome.len,
	        &value, &err) == 0)
		session_pass(session, value, NULL);
	buffer_reset(&session->welcome);
	if (greeting != NULL)
		talk_free(&greeting);
}

static void
session_on_learnt(struct session *session, struct json_span result)
{
	auto_buffer struct buffer list = { 0 };
	struct json_span cursor;

	params_learn(&session->params, result, &list);
	if (json_span_get(result, "nextCursor", &cursor) > 0 &&
	    json_span_kind(cursor) == JSON_SPAN_STRING &&
	    session->pages < CONNECTOR_PAGES_MAX)
		session_learn(session, cursor);
	else
		session_welcome(session);
}

/* A version without sessions: it answers "initialize" by what it is. */
static void
session_begin_stateless(struct session *session, struct json_span result)
{
	const struct talk *greeting = session_find(session, TALK_GREETING);
	const struct json_span none = { NULL, 0 };

	session->manner = MANNER_STATELESS;
	session->listens = era_tells_changes(result);
	if (greeting == NULL)
		return;
	era_add_greeting(&session->welcome, greeting->id, result);
	session_learn(session, none);
}

static void
session_discover(struct session *session)
{
	session_ask(session, TALK_DISCOVER, SESSION_DISCOVER,
	    "server/discover", "");
}

/* Goes on by what a server has said of its versions. */
static void
session_judge(struct session *session, const struct jsonrpc *message)
{
	enum era_verdict verdict = era_judge(message);
	struct talk *greeting = session_find(session, TALK_GREETING);

	if (verdict == ERA_IS_STATELESS) {
		session_begin_stateless(session, message->result.value);
	} else if (verdict == ERA_ASK_AGAIN && !session->asked) {
		session->asked = true;
		session_discover(session);
	} else if (greeting != NULL) {
		talk_send(greeting);
	}
}

/* Passes on a list without the tools that must not be called, if it has any. */
static int
session_pass_tools(struct session *session, const struct talk *talk,
    struct json_span result)
{
	auto_buffer struct buffer list = { 0 };

	if (!params_learn(&session->params, result, &list))
		return 0;
	log_warn("the server has tools whose x-mcp-header is wrong: they "
	    "are left out");
	return session_pass_made(session, talk, "result", list.data, list.len);
}

/* The answer to a request has come. */
static void
session_answered(struct talk *talk, struct json_span value,
    const struct jsonrpc *message)
{
	struct session *session = talk->session;

	if (talk->kind == TALK_GREETING || talk->kind == TALK_AGAIN)
		session_agree(session, talk, message);
	if (talk->kind == TALK_GREETING) {
		session->state = SESSION_READY;
		session_prove(session);
	}
	if (talk->kind == TALK_DISCOVER)
		session_judge(session, message);
	else if (talk->kind == TALK_LEARN && message->result.count == 1)
		session_on_learnt(session, message->result.value);
	else if (talk->kind == TALK_LEARN)
		session_welcome(session);
	else if (talk->kind == TALK_AGAIN)
		talk->again = message->result.count == 1;
	else if (!talk->lists || message->result.count != 1 ||
	    !session_pass_tools(session, talk, message->result.value))
		session_pass(session, value, NULL);
}

static void
session_one(struct talk *talk, struct json_span value)
{
	struct session *session = talk->session;
	struct talk *asked = talk;
	struct jsonrpc message;
	struct err err;

	jsonrpc_sort(value, &message, &err);
	if ((talk->kind == TALK_LISTEN || talk->kind == TALK_LEVEL) &&
	    message.kind == JSONRPC_RESPONSE)
		return;
	if (talk->kind == TALK_STREAM && session->manner == MANNER_EVENTS &&
	    message.kind == JSONRPC_RESPONSE)
		asked = session_find_id(session, message.id);
	if (asked == NULL || message.kind != JSONRPC_RESPONSE ||
	    !talk_has_id(asked, message.id)) {
		session_pass(session, value, talk->kind == TALK_REQUEST &&
		    message.method.len > 0 ? talk->id : NULL);
		return;
	}
	if (asked == talk)
		exchange_satisfy(talk->exchange);
	session_answered(asked, value, &message);
	if (asked != talk) {
		exchange_cancel(&asked->exchange);
		talk_free(&asked);
	}
}

static void
session_on_message(void *ctx, const char *data, size_t len)
{
	struct talk *talk = ctx;
	struct json_span value, each;
	struct json_span_walk walk;
	struct err err;

	if (json_span_parse(data, len, &value, &err) == -1) {
		/* Its content is not logged: it may be secret. */
		log_debug("a message of %zu bytes: %s", len, err.text);
		return;
	}
	if (json_span_kind(value) != JSON_SPAN_ARRAY) {
		session_one(talk, value);
		return;
	}
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &each))
		session_one(talk, each);
}

/* HTTP+SSE: where messages go. What waits is sent there. */
static void
session_on_event(void *ctx, const char *type, const char *data)
{
	struct talk *talk = ctx;
	struct session *session = talk->session;
	struct talk *greeting = session_find(session, TALK_GREETING);
	auto_free char *shown = url_shown(session->remote->url);
	auto_free char *why = mem_printf("%s names an endpoint of another "
	    "origin", shown);

	if (session->manner != MANNER_EVENTS || strcmp(type, "endpoint") != 0 ||
	    session->endpoint != NULL)
		return;
	exchange_satisfy(talk->exchange);
	session->endpoint = url_redirect(session->remote->url, data);
	if (session->endpoint == NULL)
		session_fail(session, why);
	else if (greeting != NULL)
		talk_send(greeting);
}

/* The end of an exchange */

/*
 * The server does not know the session any more: it is begun again, and what it
 * has refused for that is sent again.
 */
static void
session_begin_again(struct session *session)
{
	struct talk *talk;
	struct json_span value, id;
	struct err err;

	session->state = SESSION_LOST;
	session->begun++;
	free(mem_take(&session->name));
	talk = talk_new(session, TALK_AGAIN, session->greeting,
	    session->greeting_len);
	if (json_span_parse(talk->line, talk->len, &value, &err) == 0 &&
	    json_span_get(value, "id", &id) > 0)
		talk->id = mem_dup(id.p, id.len);
	talk_send(talk);
}

/* Returns whether what was refused for that is sent again, now or later. */
static int
session_keep(struct session *session, struct talk *talk)
{
	int twice = talk->again;

	/* Others, which were sent by then, may hear of it later. */
	if (talk->begun == session->begun)
		session_begin_again(session);
	if (twice || talk->kind == TALK_STREAM)
		return 0;
	talk->again = true;
	talk->exchange = NULL;
	if (session->state == SESSION_READY)
		talk_send(talk);
	return 1;
}

/* Answers what waits for a session: there is none. */
static void
session_give_up(struct session *session, const char *why)
{
	struct talk *talk, *next;

	session->state = SESSION_READY;
	for (talk = TAILQ_FIRST(&session->talks); talk != NULL; talk = next) {
		next = TAILQ_NEXT(talk, entry);
		if (talk->exchange != NULL)
			continue;
		if (talk->id != NULL)
			session_pass_error(session, talk, why);
		talk_free(&talk);
	}
}

/* Returns whether the body of a refusal is an error that can be passed on. */
static int
session_pass_refusal(struct session *session, const struct talk *talk)
{
	const struct buffer *body = exchange_body(talk->exchange);
	struct json_span value, error;
	struct err err;

	if (body->len == 0 ||
	    json_span_parse(body->data, body->len, &value, &err) == -1 ||
	    json_span_get(value, "error", &error) != 1 ||
	    json_span_kind(error) != JSON_SPAN_OBJECT ||
	    json_span_get(value, "jsonrpc", &value) == 0)
		return 0;
	return session_pass_made(session, talk, "error", error.p, error.len);
}

static void
session_answer_failure(struct session *session, const struct talk *talk,
    enum exchange_outcome outcome, const char *why)
{
	long status = outcome == EXCHANGE_REFUSED ?
	    exchange_head(talk->exchange)->status : 0;

	if (status / 100 == 4 && status != 401 && status != 403 &&
	    session_pass_refusal(session, talk))
		return;
	if (talk->kind == TALK_GREETING)
		session_fail(session, why);
	else
		session_pass_error(session, talk, why);
}

/* Reads what the server sends unasked, where it has such a stream. */
static void
session_read_stream(struct session *session)
{
	if (session->state != SESSION_READY ||
	    session_find(session, TALK_STREAM) != NULL ||
	    session_find(session, TALK_LISTEN) != NULL)
		return;
	if (session->manner == MANNER_SESSIONS)
		talk_send(talk_new(session, TALK_STREAM, NULL, 0));
	else if (session->listens)
		session_ask(session, TALK_LISTEN, SESSION_LISTEN,
		    "subscriptions/listen",
		    "\"notifications\":{\"toolsListChanged\":true},");
}

/* Tries HTTP+SSE, where "initialize" was refused. */
static void
session_begin_events(struct session *session, const char *why)
{
	session->manner = MANNER_EVENTS;
	session->refusal = why == NULL ? NULL : mem_strdup(why);
	loop_set_timer(session->timer, session->recalled ?
	    CONNECTOR_RECALLED_MS : CONNECTOR_ENDPOINT_MS);
	talk_send(talk_new(session, TALK_STREAM, NULL, 0));
}

/* Returns whether a failure of "initialize" leads to HTTP+SSE. */
static int
session_tries_events(struct session *session, struct talk *talk,
    enum exchange_outcome outcome, const char *why)
{
	long status = exchange_head(talk->exchange)->status;

	if (talk->kind != TALK_GREETING || outcome != EXCHANGE_REFUSED ||
	    session->manner != MANNER_SESSIONS ||
	    (status != 400 && status != 404 && status != 405) ||
	    strcmp(exchange_head(talk->exchange)->type,
	        "application/json") == 0)
		return 0;
	talk->exchange = NULL;
	session_begin_events(session, why);
	return 1;
}

/* Returns whether all is tried, as what was remembered is not so any more. */
static int
session_tries_anew(
    struct session *session, struct talk *talk, enum exchange_outcome outcome)
{
	if (!session->recalled || outcome != EXCHANGE_REFUSED ||
	    (talk->kind != TALK_GREETING && talk->kind != TALK_STREAM))
		return 0;
	session->recalled = false;
	session->manner = MANNER_SESSIONS;
	talk->exchange = NULL;
	if (talk->kind == TALK_STREAM)
		talk_free(&talk);
	session_discover(session);
	return 1;
}

/* Which versions a server has is known from how it refuses to say so. */
static void
session_on_undiscovered(struct session *session, const struct talk *talk,
    enum exchange_outcome outcome, const char *why)
{
	const struct buffer *body = exchange_body(talk->exchange);
	long status = exchange_head(talk->exchange)->status;
	struct jsonrpc message = { 0 };
	struct json_span value;
	struct err err;

	if (outcome != EXCHANGE_REFUSED || status / 100 != 4 ||
	    status == 401 || status == 403) {
		session_fail(session, why);
		return;
	}
	if (body->len > 0 &&
	    json_span_parse(body->data, body->len, &value, &err) == 0)
		jsonrpc_sort(value, &message, &err);
	session_judge(session, &message);
}

/* HTTP+SSE has failed: it was the last manner to try, or the only one. */
static void
session_fail_events(struct session *session, long status, const char *why)
{
	auto_free char *all = NULL;

	if (session->endpoint == NULL && session->refusal != NULL)
		all = mem_strdup(session->refusal);
	else if (session->endpoint == NULL && (status / 100 == 2 ||
	    status == 400 || status == 405 || status == 406))
		all = mem_printf(
		    "%s (its type is sse; http may be right)", why);
	session_fail(session, all != NULL ? all : why);
}

static void
session_on_timer(evutil_socket_t, short, void *ctx)
{
	struct session *session = ctx;
	struct talk *stream = session_find(session, TALK_STREAM);

	if (session->state == SESSION_OVER) {
		session->ends.ended(session->ends.ctx);
	} else if (session->manner != MANNER_EVENTS) {
		session_read_stream(session);
	} else if (session->endpoint == NULL && stream != NULL) {
		exchange_cancel(&stream->exchange);
		if (!session_tries_anew(session, stream, EXCHANGE_REFUSED))
			session_fail_events(session, 200,
			    "it has named no address for messages");
	}
}

static void
session_on_done(struct session *session, const struct talk *talk)
{
	if (talk->kind == TALK_AGAIN) {
		if (talk->again)
			session_resume(session);
		else
			session_give_up(session,
			    "the session has ended, and there is no new one");
	} else if (talk->kind == TALK_STREAM &&
	    session->manner == MANNER_EVENTS) {
		session_fail_events(
		    session, 0, "it has ended its stream of events");
	} else if (talk->kind == TALK_STREAM || talk->kind == TALK_LISTEN) {
		loop_set_timer(session->timer, CONNECTOR_STREAM_MS);
	} else if (talk->begins) {
		session_read_stream(session);
	}
}

static void
session_on_failed(struct session *session, const struct talk *talk,
    enum exchange_outcome outcome, const char *why)
{
	if (talk->kind == TALK_AGAIN)
		session_give_up(session, why);
	else if (talk->kind == TALK_DISCOVER)
		session_on_undiscovered(session, talk, outcome, why);
	else if (talk->kind == TALK_LEARN)
		session_welcome(session);
	else if (talk->kind == TALK_STREAM && session->manner == MANNER_EVENTS)
		session_fail_events(
		    session, exchange_head(talk->exchange)->status, why);
	else if ((talk->kind == TALK_STREAM || talk->kind == TALK_LISTEN) &&
	    outcome == EXCHANGE_FAILED)
		loop_set_timer(session->timer, CONNECTOR_STREAM_MS);
	else if (talk->id != NULL)
		session_answer_failure(session, talk, outcome, why);
	else
		log_debug("%s", why);
}

static void session_on_closed(void *ctx);

static void
session_on_ended(void *ctx, enum exchange_outcome outcome, const char *why)
{
	struct talk *talk = ctx;
	struct session *session = talk->session;

	if (talk->kind == TALK_GOODBYE) {
		session->ends.ended(session->ends.ctx);
	} else if (session->state == SESSION_OVER) {
		/* Nobody waits for it. */
	} else if (outcome == EXCHANGE_GONE && talk->kind != TALK_AGAIN) {
		if (session_keep(session, talk))
			return;
		if (talk->id != NULL)
			session_pass_error(session, talk, why);
	} else if (outcome == EXCHANGE_DONE &&
	    session->manner == MANNER_EVENTS && talk->id != NULL) {
		/* Its answer comes in the stream of events. */
		talk->exchange = NULL;
		return;
	} else if (outcome == EXCHANGE_DONE) {
		session_on_done(session, talk);
	} else if (session_tries_anew(session, talk, outcome) ||
	    session_tries_events(session, talk, outcome, why)) {
		return;
	} else {
		session_on_failed(session, talk, outcome, why);
	}
	talk_free(&talk);
	if (renew_is_refused(session->renew))
		session_on_closed(session);
}

/* What the broker sends */

/* Gives up the request that a notification cancels, once that was sent. */
static void
session_cancel(struct session *session, struct json_span params)
{
	struct json_span id;
	struct talk *talk;

	if (params.len == 0 || json_span_get(params, "requestId", &id) == 0)
		return;
	talk = session_find_id(session, id);
	if (talk == NULL)
		return;
	exchange_cancel(&talk->exchange);
	talk_free(&talk);
}

static enum talk_kind
session_sort(struct session *session, const struct jsonrpc *message,
    const struct line *line)
{
	if (message->kind != JSONRPC_REQUEST)
		return TALK_OTHER;
	if (json_span_is(message->method, "logging/setLevel")) {
		buffer_reset(&session->level);
		buffer_add(&session->level, line->data, line->len);
	}
	if (!json_span_is(message->method, "initialize"))
		return TALK_REQUEST;
	free(session->greeting);
	session->greeting = mem_dup(line->data, line->len);
	session->greeting_len = line->len;
	return TALK_GREETING;
}

/* A version without sessions needs no word of a greeting, and no answer. */
static void
session_on_told(struct session *session, const struct jsonrpc *message)
{
	if (message->kind != JSONRPC_NOTIFICATION)
		return;
	if (json_span_is(message->method, "notifications/initialized"))
		session_read_stream(session);
	else if (json_span_is(message->method, "notifications/cancelled"))
		session_cancel(session, message->params);
}

static void
session_on_greeting(struct session *session)
{
	auto_free char *known =
	    store_read_manner(session->remote->logins, session->remote->url);

	session->recalled = known != NULL &&
	    strcmp(known, session_manners[MANNER_STATELESS]) != 0;
	if (session->remote->events || (session->recalled &&
	        strcmp(known, session_manners[MANNER_EVENTS]) == 0))
		session_begin_events(session, NULL);
	else if (session->recalled)
		talk_send(session_find(session, TALK_GREETING));
	else
		session_discover(session);
}

static void
session_on_line(void *ctx, const struct line *line)
{
	struct session *session = ctx;
	struct jsonrpc message;
	struct json_span value;
	struct talk *talk;
	struct err err;

	if (line->oversized ||
	    json_span_parse(line->data, line->len, &value, &err) == -1)
		fatal("the broker has sent a line that is no message");
	jsonrpc_sort(value, &message, &err);
	if (session->manner == MANNER_STATELESS &&
	    message.kind != JSONRPC_REQUEST) {
		session_on_told(session, &message);
		return;
	}
	talk = talk_new(session, session_sort(session, &message, line),
	    line->data, line->len);
	talk->once = message.kind != JSONRPC_NOTIFICATION &&
	    (message.kind != JSONRPC_REQUEST ||
	        json_span_is(message.method, "tools/call"));
	if (message.kind == JSONRPC_REQUEST) {
		talk->id = mem_dup(message.id.p, message.id.len);
		talk->lists = session->manner == MANNER_STATELESS &&
		    json_span_is(message.method, "tools/list");
	} else if (message.kind == JSONRPC_NOTIFICATION) {
		talk->begins = json_span_is(
		    message.method, "notifications/initialized");
		if (json_span_is(message.method, "notifications/cancelled"))
			session_cancel(session, message.params);
	}
	if (talk->kind == TALK_GREETING)
		session_on_greeting(session);
	else if (session->state == SESSION_READY)
		talk_send(talk);
}

/* Its life */

static void
session_cancel_all(struct session *session)
{
	struct talk *talk;

	while ((talk = TAILQ_FIRST(&session->talks)) != NULL) {
		exchange_cancel(&talk->exchange);
		talk_free(&talk);
	}
}

static void
session_on_closed(void *ctx)
{
	struct session *session = ctx;

	if (session->state == SESSION_OVER)
		return;
	session_keep_name(session);
	session_cancel_all(session);
	session_end(session);
}

struct session *
session_new(struct event_base *base, const struct remote *remote, int *in,
    int *out, const struct session_ends *ends)
{
	struct session *session = mem_alloc(sizeof(*session));
	const struct pair_ends pair = { session_on_line, session_on_closed,
		session_on_room, session };

	session->base = base;
	session->remote = remote;
	session->ends = *ends;
	TAILQ_INIT(&session->talks);
	session->timer = evtimer_new(base, session_on_timer, session);
	session->transfers = transfers_new(base, remote);
	session->renew = renew_new(base, session->transfers, remote);
	session->pair = pair_new(base, in, out, &pair);
	return session;
}

void
session_free(struct session **sessionp)
{
	struct session *session = mem_take(sessionp);

	if (session == NULL)
		return;
	session_cancel_all(session);
	renew_free(&session->renew);
	transfers_free(&session->transfers);
	pair_free(&session->pair);
	loop_event_free(&session->timer);
	free(session->name);
	free(session->version);
	free(session->greeting);
	free(session->endpoint);
	free(session->refusal);
	params_reset(&session->params);
	buffer_reset(&session->level);
	buffer_reset(&session->welcome);
	free(session);
}
