/*
 * MCP sessions over HTTP, of versions with a handshake (2025-03-26 to
 * 2025-11-25, basic, transports): a session begins with an answer to initialize
 * and is named in each later request. A client that loses its connection may
 * come back, so a session ends only by DELETE, or when newer ones take its
 * place.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "http.h"
#include "../../front/rpc/rpc.h"
#include "../../front/methods.h"
#include "../../front/tools/tool.h"

struct http_session {
	TAILQ_ENTRY(http_session) entry; /* in guest->sessions or http->dead */
	struct http_guest *guest;
	char id[HTTP_START_SIZE + HTTP_SESSION_SIZE + 1];
	struct mcp *mcp;
	size_t nrequests;            /* unanswered, the stream included */
	uint64_t answers;            /* begun so far, and number of the last */
	struct http_request *stream; /* GET, for messages of no request; NULL */
	bool dead;
};

static const struct json_span http_session_no_id = { NULL, 0 };

/* Returns the unanswered request that contains a message of this id. */
static struct http_request *
http_session_find_request(
    const struct http_session *session, struct json_span id)
{
	struct http_request *request;
	const char *p;

	LIST_FOREACH (request, &session->guest->requests, entry) {
		if (request->session != session)
			continue;
		for (p = request->ids.data; p != NULL && *p != '\0';
		     p = strchr(p, '\n') + 1)
			if (strncmp(p, id.p, id.len) == 0 && p[id.len] == '\n')
				return request;
	}
	return NULL;
}

/*
 * Returns the request whose events are what is sent before this answer: its
 * own; or the stream, if the client accepts no events there.
 */
static struct http_request *
http_session_find_way(const struct http_session *session, struct json_span id)
{
	struct http_request *request = http_session_find_request(session, id);

	return request == NULL || request->streams || session->stream == NULL ?
	    request : session->stream;
}

/* Messages of no request go to the stream; without one, they are dropped. */
static void
http_session_on_send(
    void *ctx, struct buffer *lines, const struct mcp_about *about)
{
	struct http_session *session = ctx;
	struct http *http = session->guest->http;
	struct http_request *request = NULL;

	if (session->dead)
		http_reap(http);
	else if (about->id.len > 0)
		request = about->answers ?
		    http_session_find_request(session, about->id) :
		    http_session_find_way(session, about->id);
	else if (about->answers)
		request = http->current;
	else
		request = session->stream;
	if (request != NULL)
		http_send(request, lines, about);
	buffer_reset(lines);
}

static int
http_session_busy(void *ctx)
{
	const struct http_session *session = ctx;

	return http_busy(session->guest);
}

static int
http_session_reaches(void *ctx, struct json_span id)
{
	const struct http_request *request = http_session_find_way(ctx, id);

	return request != NULL && request->streams;
}

/* Beginning and ending */

/* Its name is a secret of its client. */
static void
http_session_tell(const struct http_session *session, const char *what)
{
	const char *owner = session->guest->owner->name;

	log_info("a session of %s%s %s",
	    *owner == '\0' ? "the user" : "token ", owner, what);
}

/*
 * Its calls are cancelled, and their clients are told so. why is for the log.
 */
static void
http_session_end(struct http_session *session, const char *why)
{
	struct http_guest *guest = session->guest;
	struct http_request *request, *next;

	session->dead = true;
	http_session_tell(session, "ends");
	TAILQ_REMOVE(&guest->sessions, session, entry);
	guest->nsessions--;
	guest->http->runs->clients--;
	TAILQ_INSERT_TAIL(&guest->http->dead, session, entry);
	mcp_on_end(session->mcp, why);
	for (request = LIST_FIRST(&guest->requests); request != NULL;
	     request = next) {
		next = LIST_NEXT(request, entry);
		if (request->session == session)
			http_give_up(request, 404, "this session has ended");
	}
	http_replay_forget(guest, session);
	http_reap(guest->http);
}

static void
http_session_free(struct http_sessions *sessions, struct http_session *session)
{
	TAILQ_REMOVE(sessions, session, entry);
	mcp_free(&session->mcp);
	free(session);
}

void
http_session_free_all(struct http_sessions *sessions)
{
	while (!TAILQ_EMPTY(sessions))
		http_session_free(sessions, TAILQ_FIRST(sessions));
}

void
http_session_reap(struct http *http)
{
	struct http_session *session, *next;

	for (session = TAILQ_FIRST(&http->dead); session != NULL;
	     session = next) {
		next = TAILQ_NEXT(session, entry);
		if (session->nrequests == 0 && mcp_idle(session->mcp))
			http_session_free(&http->dead, session);
	}
}

/* Above the limit, the session that was not used for longest is ended. */
static void
http_session_make_room(struct http_guest *guest)
{
	struct http_session *session;

	if (guest->nsessions < HTTP_SESSIONS_MAX)
		return;
	TAILQ_FOREACH_REVERSE (session, &guest->sessions, http_sessions, entry)
		if (session->nrequests == 0)
			break;
	if (session == NULL)
		session = TAILQ_LAST(&guest->sessions, http_sessions);
	log_info("a session is ended: more than %d are open",
	    HTTP_SESSIONS_MAX);
	http_session_end(session, "too many sessions are open");
}

/* Writes so many random hexadecimal digits, and a NUL. */
static void
http_session_add_random(char *out, size_t len)
{
	unsigned char random[HTTP_SESSION_SIZE / 2];
	size_t i;

	if (getrandom(random, len / 2, 0) != (ssize_t)(len / 2))
		fatal("no random numbers for a session");
	for (i = 0; i < len / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
}

void
http_session_start(struct http *http)
{
	http_session_add_random(http->start, HTTP_START_SIZE);
}

static struct http_session *
http_session_new(struct http_guest *guest)
{
	struct http_session *session = mem_alloc(sizeof(*session));
	const struct mcp_door door = { http_session_on_send, http_session_busy,
		session, http_session_reaches };

	http_session_make_room(guest);
	session->guest = guest;
	memcpy(session->id, guest->http->start, HTTP_START_SIZE);
	http_session_add_random(
	    session->id + HTTP_START_SIZE, HTTP_SESSION_SIZE);
	session->mcp = mcp_new(guest->http->runs, guest->owner, &door);
	http_session_tell(session, "begins");
	TAILQ_INSERT_HEAD(&guest->sessions, session, entry);
	guest->nsessions++;
	guest->http->runs->clients++;
	return session;
}

/* The client of a request has left, or got its answer. */
static void
http_session_forget(struct http_request *request)
{
	struct http_session *session = request->session;

	session->nrequests--;
	if (session->stream != request)
		return;
	session->stream = NULL;
	if (!session->dead)
		tool_call_check_asked(session->mcp);
}

static void
http_session_attach(struct http_session *session, struct http_request *request)
{
	request->session = session;
	request->forget = http_session_forget;
	session->nrequests++;
}

/* Finding */

/* Returns why there is no session of this name, of HTTP_SESSION_CHARS. */
static const char *
http_session_why_none(const struct http *http, const char *id)
{
	if (strlen(id) != HTTP_START_SIZE + HTTP_SESSION_SIZE)
		return "there is no such session: send initialize again";
	if (strncmp(id, http->start, HTTP_START_SIZE) == 0)
		return "this session has ended: send initialize again";
	return "this session is gone, as the server was restarted since it "
	       "began: send initialize again";
}

/*
 * Returns the session that a request names, as the last used one; NULL if an
 * error was answered.
 */
static struct http_session *
http_session_find(struct http_request *request, const struct ipc_ask *ask)
{
	struct http_guest *guest = request->guest;
	struct http_session *session;

	if (ask->version.len > 0 &&
	    !era_initialize_has(
	        (const char *)ask->version.data, ask->version.len)) {
		http_reply_error(request, 400, http_session_no_id,
		    JSONRPC_INVALID_REQUEST,
		    "this MCP-Protocol-Version is not supported");
		return NULL;
	}
	if (*ask->session == '\0') {
		http_reply_error(request, 400, http_session_no_id,
		    JSONRPC_INVALID_REQUEST,
		    "Mcp-Session-Id is missing: send initialize first");
		return NULL;
	}
	TAILQ_FOREACH (session, &guest->sessions, entry)
		if (strcmp(session->id, ask->session) == 0) {
			TAILQ_REMOVE(&guest->sessions, session, entry);
			TAILQ_INSERT_HEAD(&guest->sessions, session, entry);
			return session;
		}
	http_reply_error(request, 404, http_session_no_id,
	    JSONRPC_INVALID_REQUEST,
	    http_session_why_none(guest->http, ask->session));
	return NULL;
}

/* The messages of a request */

/*
 * Notes the id of a message that is answered, a request or one that is not
 * valid. Returns 1 if it is answered, or -1 if an earlier one with this id is
 * unanswered.
 */
static int
http_session_note(struct http_request *request, struct json_span value)
{
	struct jsonrpc message;
	struct err err;

	rpc_sort(request->session->mcp->rpc, value, &message, &err);
	if (message.kind == JSONRPC_RESPONSE || message.id.len == 0)
		return message.kind == JSONRPC_INVALID;
	if (http_session_find_request(request->session, message.id) != NULL)
		return -1;
	http_note_id(request, message.id);
	return 1;
}

/* Returns as http_session_note, for one message or a batch. */
static int
http_session_note_all(struct http_request *request, struct json_span value)
{
	struct json_span_walk walk;
	struct json_span element;
	int asks = 0, noted;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return http_session_note(request, value);
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &element)) {
		noted = http_session_note(request, element);
		if (noted == -1)
			return -1;
		asks |= noted;
	}
	/* An empty one is an error, which is answered. */
	return asks || value.len == 2;
}

/* A client that is told an id without a message must know how to read it. */
static int
http_session_primes(const struct http_session *session)
{
	const char *version = session->mcp->session.version;

	return version != NULL && strcmp(version, "2025-11-25") >= 0;
}

/* Has the messages of a request handled by its session. */
static void
http_session_handle(struct http_request *request, struct json_span value)
{
	int asks = http_session_note_all(request, value);

	if (asks == -1) {
		http_reply_error(request, 400, http_session_no_id,
		    JSONRPC_INVALID_REQUEST,
		    "a request with this id is unanswered");
		return;
	}
	if (asks && request->streams)
		http_replay_new(request, ++request->session->answers,
		    http_session_primes(request->session));
	mcp_on_value(request->session->mcp, value);
	if (!asks)
		http_reply(request, 202, NULL, 0);
	else if (!request->over && request->streams)
		http_stream(request);
}

/* Returns whether it is initialize, and nothing else. */
static int
http_session_begins(struct json_span value)
{
	struct jsonrpc message;
	struct err err;

	if (json_span_kind(value) == JSON_SPAN_ARRAY)
		return 0;
	rpc_sort(NULL, value, &message, &err);
	return message.kind == JSONRPC_REQUEST &&
	    json_span_is(message.method, "initialize");
}

/* The answer carries the name of the session, which ends if it is an error. */
static void
http_session_begin(struct http_request *request, struct json_span value)
{
	struct http_session *session = http_session_new(request->guest);

	http_session_attach(session, request);
	request->begins = session->id;
	http_session_handle(request, value);
	if (session->mcp->session.version == NULL && !session->dead)
		http_session_end(session, "its session could not begin");
}

void
http_session_on_post(struct http_request *request, const struct ipc_ask *ask,
    struct json_span value)
{
	struct http_session *session;
	struct jsonrpc message;
	struct err err;

	if (http_session_begins(value)) {
		http_session_begin(request, value);
		return;
	}
	session = http_session_find(request, ask);
	if (session == NULL)
		return;
	rpc_sort(session->mcp->rpc, value, &message, &err);
	if (message.kind == JSONRPC_INVALID &&
	    json_span_kind(value) != JSON_SPAN_ARRAY) {
		http_reply_error(request, 400, message.id,
		    JSONRPC_INVALID_REQUEST, err.text);
		return;
	}
	http_session_attach(session, request);
	http_session_handle(request, value);
}

/*
 * The request becomes the stream of what follows an event. Returns 0, or -1 if
 * the event is unknown.
 */
static int
http_session_resume(struct http_request *request,
    const struct http_session *session, struct ipc_bytes id)
{
	uint64_t event;
	const struct http_replay *replay =
	    http_replay_find(request->guest, session, id, &event);
	struct http_request *first;

	if (replay == NULL)
		return -1;
	http_stream(request);
	first = http_replay_send(replay, event, http_pass, request);
	if (first != NULL) {
		http_request_move(first, request);
	} else {
		http_pass(request, "", &(struct buffer){ 0 }, 1);
		http_request_end(request);
	}
	return 0;
}

/*
 * A client that names an event comes back for the answer that it belongs to. A
 * newer stream of no request takes the place of the last one.
 */
void
http_session_on_get(struct http_request *request, struct ipc_ask *ask)
{
	struct http_session *session = http_session_find(request, ask);
	const struct mcp_about end = { .answers = 1 };
	struct http_request *last;

	if (session == NULL)
		return;
	if (ask->last_event.len > 0) {
		if (http_session_resume(
		        request, session, ask->last_event) == -1)
			http_reply_error(request, 400, http_session_no_id,
			    JSONRPC_INVALID_REQUEST, HTTP_REPLAY_UNKNOWN);
		return;
	}
	last = session->stream;
	http_session_attach(session, request);
	session->stream = request;
	request->streams = true;
	http_stream(request);
	if (last != NULL)
		http_send(last, &(struct buffer){ 0 }, &end);
}

void
http_session_on_delete(struct http_request *request, struct ipc_ask *ask)
{
	struct http_session *session = http_session_find(request, ask);

	if (session == NULL)
		return;
	http_session_end(session, "its session was ended by the client");
	http_reply(request, 200, NULL, 0);
}

void
http_session_end_all(struct http_guest *guest, const char *why)
{
	while (!TAILQ_EMPTY(&guest->sessions))
		http_session_end(TAILQ_FIRST(&guest->sessions), why);
}

void
http_session_drain_all(struct http_guest *guest)
{
	struct http_session *session;
	const struct mcp_about end = { .answers = 1 };

	TAILQ_FOREACH (session, &guest->sessions, entry)
		if (session->stream != NULL)
			http_send(session->stream, &(struct buffer){ 0 }, &end);
}
