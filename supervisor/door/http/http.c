/*
 * HTTP clients: see http.h. Each request without a session has an MCP session
 * of its own, which ends with it; what a session sends is given to the request
 * that it belongs to.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../options/state_dir.h"
#include "../door.h"
#include "http.h"
#include "../../front/rpc/rpc.h"
#include "../../front/methods.h"

static const struct json_span http_no_id = { NULL, 0 };

/* Requests without a session */

static void
http_on_send(void *ctx, struct buffer *lines, const struct mcp_about *about)
{
	struct http_request *request = ctx;

	if (request->over)
		http_reap(request->guest->http);
	else
		http_send(request, lines, about);
	buffer_reset(lines);
}

static int
http_on_busy(void *ctx)
{
	const struct http_request *request = ctx;

	return http_busy(request->guest);
}

/*
 * Has a message handled by a session of its own, which ends with the request.
 * ask: it has no version of its own, but perhaps a field with one; or NULL.
 */
static void
http_on_alone(struct http_request *request, const struct ipc_ask *ask,
    const struct jsonrpc *message, struct json_span value)
{
	const struct mcp_door door = { http_on_send, http_on_busy, request,
		NULL };

	if (message->kind == JSONRPC_REQUEST)
		http_note_id(request, message->id);
	request->mcp =
	    mcp_new(request->guest->http->runs, request->guest->owner, &door);
	if (ask != NULL)
		era_initialize_assume(request->mcp,
		    (const char *)ask->version.data, ask->version.len);
	mcp_on_value(request->mcp, value);
	if (message->kind == JSONRPC_NOTIFICATION)
		http_reply(request, 202, NULL, 0);
	else if (!request->over && request->streams)
		/* The client must notice that it waits, and proxies, too. */
		http_stream(request);
}

static void
http_on_stateless(struct http_request *request, const struct ipc_ask *ask,
    const struct jsonrpc *message, struct json_span value)
{
	const char *fault = http_headers_fault(ask, message);

	if (fault != NULL) {
		http_reply_error(request, 400, message->id,
		    HTTP_HEADER_MISMATCH, fault);
		return;
	}
	/* It has no other form, as GET has none. */
	if (json_span_is(message->method, LISTEN_METHOD))
		request->streams = true;
	http_on_alone(request, NULL, message, value);
}

/*
 * Returns whether a message of a version with a handshake has none: a client
 * with a token, such as curl, needs no session for one request.
 */
static int
http_is_alone(const struct http_request *request, const struct ipc_ask *ask,
    const struct jsonrpc *message)
{
	return request->guest->owner != request->guest->http->user &&
	    *ask->session == '\0' && message->kind != JSONRPC_RESPONSE &&
	    !json_span_is(message->method, "initialize") &&
	    (ask->version.len == 0 ||
	        era_initialize_has(
	            (const char *)ask->version.data, ask->version.len));
}

/* Receiving */

/* Refuses a request before anything of it is handled. */
static void
http_refuse(struct http_request *request, const struct http_refusal *refusal)
{
	request->guest->http->runs->figures.refused[FIGURE_RATE] +=
	    refusal->status == 429;
	request->wait = refusal->seconds;
	http_reply_error(request, refusal->status, http_no_id, JSONRPC_REFUSED,
	    refusal->reason);
}

/*
 * A batch counts as its messages, so it is handled as a whole or not at all.
 * Its size is checked first, because each of its ids is compared with others.
 */
static void
http_on_batch(struct http_request *request, const struct ipc_ask *ask,
    struct json_span value)
{
	size_t count = rpc_batch_count(value);
	struct http_refusal refusal;

	if (count > CLIENT_BATCH_MAX)
		http_reply_error(request, 400, http_no_id,
		    JSONRPC_INVALID_REQUEST, RPC_BATCH_TOO_LARGE);
	else if (http_tokens_allow_batch(request->guest, count, &refusal))
		http_session_on_post(request, ask, value);
	else
		http_refuse(request, &refusal);
}

/* A message of a version without sessions is alone, never in a batch. */
static void
http_on_value(struct http_request *request, const struct ipc_ask *ask,
    struct json_span value)
{
	struct jsonrpc message;
	struct err err;

	rpc_sort(NULL, value, &message, &err);
	if (json_span_kind(value) == JSON_SPAN_ARRAY)
		http_on_batch(request, ask, value);
	else if (message.kind == JSONRPC_INVALID && *ask->session != '\0')
		http_session_on_post(request, ask, value);
	else if (message.kind == JSONRPC_INVALID)
		http_reply_error(request, 400, message.id,
		    JSONRPC_INVALID_REQUEST, err.text);
	else if (message.kind != JSONRPC_RESPONSE &&
	    era_stateless_claims(&message))
		http_on_stateless(request, ask, &message, value);
	else if (era_stateless_has(
	             (const char *)ask->version.data, ask->version.len))
		http_reply_error(request, 400,
		    message.id.len > 0 ? message.id : http_no_id,
		    JSONRPC_INVALID_PARAMS,
		    "a request of this MCP-Protocol-Version needs _meta with "
		    "io.modelcontextprotocol/protocolVersion and "
		    "io.modelcontextprotocol/clientCapabilities");
	else if (http_is_alone(request, ask, &message))
		http_on_alone(request, ask, &message, value);
	else
		http_session_on_post(request, ask, value);
}

void
http_on_post(struct http_request *request, struct ipc_ask *ask)
{
	auto_free char *body = NULL;
	struct json_span value;
	struct err err;

	body = ipc_blob_copy(&ask->body, &err);
	if (body == NULL) {
		http_reply_error(request, 500, http_no_id,
		    JSONRPC_INTERNAL_ERROR, err.text);
		return;
	}
	if (json_span_parse(body, ask->body.len, &value, &err) == -1) {
		err_wrap(&err, "Parse error");
		http_reply_error(
		    request, 400, http_no_id, JSONRPC_PARSE_ERROR, err.text);
		return;
	}
	request->guest->http->current = request;
	http_on_value(request, ask, value);
	request->guest->http->current = NULL;
}

/* By enum http_route. */
static http_handler *const http_handlers[] = {
#define HTTP_ROUTE(NAME, method, path, WHO, BODY, FORM, handler) handler,
#include "../../../common/http_routes.def"
};

static void
http_on_asked(void *ctx, struct ipc_ask *ask)
{
	struct http_guest *guest = ctx;
	static const struct http_refusal nothing = { 404, 0,
		"there is no such path at this socket" };
	struct http_request *request;
	struct http_refusal refusal;

	http_tokens_look(guest->http);
	/* Its token was revoked, and its channel closed. */
	if (guest->guest == NULL)
		return;
	request = mem_alloc(sizeof(*request));
	request->guest = guest;
	request->number = ask->request;
	request->streams = (int)ask->streams;
	LIST_INSERT_HEAD(&guest->requests, request, entry);
	/* The socket is the right; the gateway has compared the two before. */
	if (http_figures_is(ask) != (guest == &guest->http->figures)) {
		http_refuse(request, &nothing);
		return;
	}
	if (!http_tokens_allow(guest, &refusal)) {
		http_refuse(request, &refusal);
		return;
	}
	/* What its channel is for decides, as above. */
	if (http_guest_is_of_links(guest) !=
	    (ask->route >= HTTP_ROUTE_LINK_GET &&
	        ask->route <= HTTP_ROUTE_LINK_PUT)) {
		http_reply_error(request, 403, http_no_id, JSONRPC_REFUSED,
		    "a token is no link, and a link no token");
		return;
	}
	http_handlers[ask->route](request, ask);
}

static void
http_on_client_gone(void *ctx, uint64_t number)
{
	struct http_guest *guest = ctx;
	struct http_request *request;

	LIST_FOREACH (request, &guest->requests, entry)
		if (request->number == number) {
			http_guest_leave(request);
			return;
		}
}

/* The gateway has ended: sessions wait for their clients to come back. */
static void
http_on_gone(void *ctx)
{
	http_guest_lose(ctx);
}

/* Guests */

/* The clients of one owner are one guest, on its latest channel. */
static void
http_welcome(struct http *http, struct http_guest *guest, uint64_t visit)
{
	const struct gateway_guest_user user = { http_on_asked,
		http_on_client_gone, http_on_gone, guest };

	if (guest->guest != NULL) {
		gateway_dismiss(&guest->guest);
		http_guest_lose(guest);
	}
	if (guest->owner == http->user && guest != &http->figures)
		log_info("a client of the user has connected");
	guest->guest = gateway_welcome(http->gateway, visit, &user);
	if (guest->guest == NULL)
		gateway_turn_away(http->gateway, visit, 503, 1,
		    "Caisson has too many open files: try again");
}

static void
http_on_hello(void *ctx, const struct ipc_hello *hello)
{
	struct http *http = ctx;
	struct http_refusal refusal;
	struct http_guest *guest = hello->figures ? &http->figures :
	    hello->local ? http_guest_of_user(http) :
	    hello->links ? http_guest_of_token(http, &HTTP_LINKS_TOKEN) :
	    http_tokens_guest(http, hello, &refusal);

	if (guest != NULL)
		http_welcome(http, guest, hello->visit);
	else {
		http->runs->figures.refused[FIGURE_TOKEN] +=
		    refusal.status == 401;
		gateway_turn_away(http->gateway, hello->visit, refusal.status,
		    refusal.seconds, refusal.reason);
	}
}

static void
http_on_reap(evutil_socket_t, short, void *arg)
{
	struct http *http = arg;
	struct http_request *request, *next;

	for (request = LIST_FIRST(&http->over); request != NULL;
	     request = next) {
		next = LIST_NEXT(request, entry);
		if (request->mcp == NULL || mcp_idle(request->mcp))
			http_request_free(request);
	}
	http_session_reap(http);
}

/* The door */

/*
 * Returns the state directory, where the tokens are, a descriptor that the
 * caller owns. If they are needed, they must be valid, and the first one is
 * made. Returns -1 with err if they are missing then; else -1 if there is no
 * state directory.
 */
static int
http_open_tokens(const struct door_setup *setup, const char *path, int needed,
    struct err *err)
{
	const struct options *options = setup->runs->options;
	auto_fd int dir =
	    path == NULL ? -1 : state_dir_open(options, setup->envp, err);
	/* Its lock ends when it is closed, and must not last. */
	auto_fd int locked =
	    dir == -1 ? -1 : state_dir_open(options, setup->envp, err);

	if (needed && (locked == -1 || tokens_begin(path, locked, err) == -1))
		return -1;
	if (!needed && dir == -1)
		log_warn("clients that have a token cannot be served: %s",
		    err->text);
	return fd_take(&dir);
}

/* Opens the sockets and the tokens, and starts the gateway. */
static int
http_open(void **state, const struct door_setup *setup, struct err *err)
{
	const struct options *options = setup->runs->options;
	struct gateway_terms terms = { .body_max = CLIENT_LINE_FACTOR *
		    options->max_code + CLIENT_LINE_EXTRA };
	struct http *http;
	struct gateway_user user = { .hello = http_on_hello };
	auto_free char *path = NULL;
	auto_fd int dir = -1;
	int needed;

	if (!setup->http)
		return 0;
	*state = user.ctx = http = mem_alloc(sizeof(*http));
	http->runs = setup->runs;
	http->user = setup->user;
	http_guest_init(&http->figures, http, http->user);
	http->dir = -1;
	http_session_start(http);
	LIST_INIT(&http->guests);
	LIST_INIT(&http->over);
	TAILQ_INIT(&http->dead);
	http->reap = evtimer_new(http->runs->base, http_on_reap, http);
	http->gateway = http->runs->peers.gateway;
	if (serve_sockets_open(&http->sockets, options, setup->envp, err) == -1)
		return -1;
	needed = http->sockets.remote > 0 && options->api_token == NULL;
	path = state_dir_path(options, setup->envp, err);
	dir = http_open_tokens(setup, path, needed, err);
	if (dir == -1 && needed)
		return -1;
	http_tokens_begin(http, &dir, path);
	terms.sockets = http->sockets.one;
	terms.nsockets = http->sockets.count;
	terms.origins = http->sockets.origins.data;
	terms.proxy = http->sockets.proxy;
	return gateway_start(http->gateway, &terms, &user, err);
}

static void
http_begin(void *state)
{
	struct http *http = state;

	serve_sockets_tell(&http->sockets);
	runs_begin(http->runs);
}

/* Accepts no more clients, and ends what has no other end. */
static void
http_drain(void *state)
{
	struct http *http = state;
	struct http_guest *guest;
	struct http_request *request, *next;

	LIST_FOREACH (guest, &http->guests, entry) {
		for (request = LIST_FIRST(&guest->requests); request != NULL;
		     request = next) {
			next = LIST_NEXT(request, entry);
			if (request->mcp != NULL)
				mcp_on_drain(request->mcp);
		}
		http_session_drain_all(guest);
	}
	gateway_drain(http->gateway);
}

static int
http_flushed(const void *state)
{
	const struct http *http = state;

	return gateway_ended(http->gateway);
}

static void
http_close(void *state)
{
	struct http *http = state;
	struct http_guest *guest;

	gateway_stop(http->gateway);
	http_tokens_end(http);
	http_guest_clear(&http->figures);
	LIST_FOREACH (guest, &http->guests, entry)
		http_guest_clear(guest);
	while (!LIST_EMPTY(&http->over))
		http_request_free(LIST_FIRST(&http->over));
	http_session_free_all(&http->dead);
	while (!LIST_EMPTY(&http->guests))
		http_guest_free(LIST_FIRST(&http->guests));
	loop_event_free(&http->reap);
	loop_event_free(&http->replay_timer);
	serve_sockets_close(&http->sockets);
	free(http);
}

const struct door door_http = { .open = http_open,
	.begin = http_begin,
	.drain = http_drain,
	.flushed = http_flushed,
	.close = http_close };
