/*
 * Guests and their requests: see guest.h. What a token allows is known to the
 * supervisor alone; here it is only the name under which a channel is found.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/secret.h"
#include "callers.h"
#include "check.h"
#include "conn.h"
#include "guest.h"
#include "route.h"

struct ask {
	LIST_ENTRY(ask) entry; /* in guest->asks */
	struct caller *caller; /* NULL: it has no limits */
	struct guest *guest;
	struct ask_client client;
	uint64_t number; /* 0: not sent yet */
	bool streaming;
};

/* Instead of tokens, which have no blanks: of clients that read figures. */
#define GUEST_FIGURES " "
#define GUEST_LINKS "  " /* and of all who have a link */

struct guest {
	LIST_ENTRY(guest) entry; /* in gateway->guests */
	struct gateway_end end;
	char *token; /* empty: none, at a Unix socket; or one of these */
	struct caller *caller; /* for what its connections use */
	uint64_t visit;
	struct channel *channel; /* NULL: not welcome yet */
	LIST_HEAD(, ask) asks;
	size_t nasks;
	uint64_t last; /* number of its last request */
};

/* Its request has ended. */
static void
ask_uncount(struct caller **caller)
{
	if (*caller != NULL)
		(*caller)->nasks--;
	caller_drop(caller);
}

static void
ask_free(struct ask *ask)
{
	LIST_REMOVE(ask, entry);
	ask->guest->nasks--;
	ask_uncount(&ask->caller);
	free(ask);
}

/* From now on nothing finds it: its token is a new guest. */
static void
guest_remove(struct guest *guest)
{
	LIST_REMOVE(guest, entry);
	guest->end.gateway->nvisits -= guest->channel == NULL;
	channel_free(&guest->channel);
}

/* Frees one that was removed. */
static void
guest_free(struct guest *guest)
{
	/* Secrets do not stay in memory longer than necessary. */
	explicit_bzero(guest->token, strlen(guest->token));
	free(guest->token);
	caller_drop(&guest->caller);
	free(guest);
}

/*
 * Answers all its requests with an error, and frees it. One that the supervisor
 * has may have been carried out, so it is not to be sent again unseen. The
 * connection of an answered request may send the next one at once.
 */
static void
guest_lose(struct guest *guest, int status, uint64_t retry, const char *why)
{
	struct ask_client client;
	struct ask *ask;
	int streaming, taken;

	guest_remove(guest);
	while (!LIST_EMPTY(&guest->asks)) {
		ask = LIST_FIRST(&guest->asks);
		client = ask->client;
		streaming = ask->streaming;
		taken = ask->number != 0;
		ask_free(ask);
		if (streaming)
			client.event(client.ctx, "", NULL, 0, 1);
		else if (taken)
			client.fail(client.ctx, 503, 0, "no answer came, and "
			    "this request may have been carried out: look "
			    "before you send it again");
		else
			client.fail(client.ctx, status, retry, why);
	}
	guest_free(guest);
}

/*
 * The supervisor has closed its channel after its last answers: it has turned
 * the guest away, or was killed, which says nothing about the token.
 */
static void
guest_on_closed(void *ctx, const struct err *why)
{
	struct gateway_end *end = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	conn_cut_files(end->gateway, end->guest->caller);
	guest_lose(end->guest, 503, 1, "Caisson has ended");
}

static struct ipc_bytes
ask_bytes(const char *text)
{
	return (struct ipc_bytes){ (const uint8_t *)text,
		text == NULL ? 0 : strlen(text) };
}

/* Returns 0, or -1 if the supervisor does not take it. */
static int
ask_send(struct ask *ask)
{
	const struct http_head *head = ask->client.head;
	struct buffer *body = ask->client.body;
	const char *session = head->fields[HTTP_MCP_SESSION];
	const struct route *route = route_find(head->method, head->target);
	struct ipc_ask message = { .request = ++ask->guest->last,
		.route = route->number,
		.streams = (uint64_t)http_list_has(
		    head->fields[HTTP_ACCEPT], "text/event-stream"),
		.session = session == NULL ? "" : session,
		.version = ask_bytes(head->fields[HTTP_MCP_VERSION]),
		.mcp_method = ask_bytes(head->fields[HTTP_MCP_METHOD]),
		.mcp_name = ask_bytes(head->fields[HTTP_MCP_NAME]),
		.last_event = ask_bytes(head->fields[HTTP_LAST_EVENT]),
		.body = { (const uint8_t *)body->data, body->len, -1 } };
	struct err err;

	if (route->body == ROUTE_STREAM)
		message.length = head->length;
	message.rest.data = (const uint8_t *)route_rest(
	    route, head->target, &message.rest.len);
	if (channel_send_ask(ask->guest->channel, &message, &err) == -1) {
		log_warn("the supervisor takes no more requests: %s", err.text);
		return -1;
	}
	ask->number = message.request;
	buffer_reset(body);
	ask->client.passed(ask->client.ctx, ask->guest->caller);
	return 0;
}

/* Finding the guest of a request */

static int
guest_has_token(const struct guest *guest, const char *token, size_t len)
{
	return strlen(guest->token) == len &&
	    secret_is(guest->token, token, len);
}

static struct guest *
guest_find(const struct gateway *gateway, const char *token)
{
	struct guest *guest;

	LIST_FOREACH(guest, &gateway->guests, entry)
		if (guest_has_token(guest, token, strlen(token)))
			return guest;
	return NULL;
}

/* Returns the token by which the guest of a request is found, or NULL. */
static const char *
guest_token(const struct http_head *head, int local_user)
{
	const struct route *route = route_find(head->method, head->target);
	const char *token = check_token(head);

	if (route != NULL && route->who == ROUTE_LINK)
		return GUEST_LINKS;
	return token == NULL || (*token == '\0' && !local_user) ? NULL : token;
}

struct caller *
guest_caller(const struct gateway *gateway, const struct http_head *head,
    int local_user)
{
	const char *token = guest_token(head, local_user);
	const struct guest *guest =
	    token == NULL ? NULL : guest_find(gateway, token);

	return guest == NULL || guest->channel == NULL ? NULL : guest->caller;
}

static struct guest *
guest_new(struct gateway *gateway, const char *token, const char *address)
{
	struct guest *guest = mem_alloc(sizeof(*guest));
	int figures = strcmp(token, GUEST_FIGURES) == 0;
	struct ipc_hello hello = { .visit = ++gateway->last_visit,
		.local = *token == '\0',
		.figures = (uint64_t)figures,
		.links = strcmp(token, GUEST_LINKS) == 0,
		.address = address,
		.token = ask_bytes(figures ? "" : token) };
	struct err err;

	guest->end = (struct gateway_end){ gateway, guest };
	guest->token = mem_strdup(token);
	guest->caller = caller_new_guest();
	guest->visit = hello.visit;
	LIST_INSERT_HEAD(&gateway->guests, guest, entry);
	gateway->nvisits++;
	if (channel_send_hello(gateway->supervisor, &hello, &err) == -1)
		fatal("cannot ask the supervisor: %s", err.text);
	return guest;
}

/* Returns the guest of the request; NULL if it was answered instead. */
static struct guest *
guest_of(struct gateway *gateway, const struct ask_client *client)
{
	const char *token = client->figures ? GUEST_FIGURES :
	    guest_token(client->head, client->local_user);
	struct guest *guest;

	if (token == NULL)
		fatal("a request without a token was not refused");
	guest = guest_find(gateway, token);
	if (guest != NULL && guest->nasks >= HTTP_ASKS_MAX) {
		client->fail(client->ctx, 429, 1,
		    "too many requests with this token are unanswered");
		return NULL;
	}
	if (guest == NULL && gateway->nvisits >= HTTP_VISITS_MAX) {
		client->fail(
		    client->ctx, 503, 1, "too many tokens are being checked");
		return NULL;
	}
	return guest != NULL ? guest :
	                       guest_new(gateway, token, client->address);
}

/* Returns whether a session of ours can have such a name. */
static int
guest_is_session(const char *session)
{
	size_t len = strlen(session);

	return len > 0 && len <= HTTP_SESSION_MAX &&
	    strspn(session, HTTP_SESSION_CHARS) == len;
}

/*
 * Counts the waiting request of an address. Returns 0, or -1 if it was
 * answered.
 */
static int
guest_count(struct gateway *gateway, const struct ask_client *client,
    struct caller **caller)
{
	if (!client->counted)
		return 0;
	*caller = caller_of(gateway, client->address);
	if (caller_ask(*caller) == 0)
		return 0;
	caller_drop(caller);
	client->fail(client->ctx, 429, 1,
	    "too many requests of this address are unanswered");
	return -1;
}

struct ask *
guest_ask(struct gateway *gateway, const struct ask_client *client)
{
	const char *session = client->head->fields[HTTP_MCP_SESSION];
	struct caller *caller = NULL;
	struct guest *guest;
	struct ask *ask;

	if (session != NULL && !guest_is_session(session)) {
		client->fail(
		    client->ctx, 404, 0, "there is no such session: send "
		    "initialize again");
		return NULL;
	}
	if (guest_count(gateway, client, &caller) == -1)
		return NULL;
	guest = guest_of(gateway, client);
	if (guest == NULL) {
		ask_uncount(&caller);
		return NULL;
	}
	ask = mem_alloc(sizeof(*ask));
	ask->caller = caller;
	ask->guest = guest;
	ask->client = *client;
	LIST_INSERT_HEAD(&guest->asks, ask, entry);
	guest->nasks++;
	if (guest->channel == NULL || ask_send(ask) == 0)
		return ask;
	guest_lose(guest, 503, 1, "too many requests are waiting");
	return NULL;
}

void
ask_leave(struct ask **askp)
{
	struct ask *ask = mem_take(askp);
	struct guest *guest = ask->guest;
	struct ipc_client_gone left = { .request = ask->number };
	struct err err;

	ask_free(ask);
	if (left.request != 0 &&
	    channel_send_client_gone(guest->channel, &left, &err) == -1)
		guest_lose(guest, 503, 1, "too many requests are waiting");
}

/* The answers of the supervisor */

static struct guest *
guest_of_visit(struct gateway *gateway, uint64_t visit)
{
	struct guest *guest;

	LIST_FOREACH(guest, &gateway->guests, entry)
		if (guest->visit == visit && guest->channel == NULL)
			return guest;
	fatal("protocol violation by the supervisor: there is no such visit");
}

void
guest_welcome(struct gateway *gateway, uint64_t visit, int *channel)
{
	struct guest *guest = guest_of_visit(gateway, visit);
	struct channel_ends ends = { ROLE_GATEWAY, ROLE_SUPERVISOR,
		gateway->routes, guest_on_closed, &guest->end };
	struct ask *ask;

	guest->channel = channel_new(gateway->base, channel, &ends);
	gateway->nvisits--;
	LIST_FOREACH(ask, &guest->asks, entry) {
		if (ask_send(ask) == 0)
			continue;
		guest_lose(guest, 503, 1, "too many requests are waiting");
		return;
	}
}

void
guest_turn_away(struct gateway *gateway, struct ipc_turn_away *away)
{
	guest_lose(guest_of_visit(gateway, away->visit), (int)away->status,
	    away->seconds, away->reason);
}

/* Returns NULL if its client has left. */
static struct ask *
guest_find_ask(const struct guest *guest, uint64_t number)
{
	struct ask *ask;

	LIST_FOREACH(ask, &guest->asks, entry)
		if (ask->number == number)
			return ask;
	if (number > guest->last)
		fatal("protocol violation by the supervisor: there was no "
		    "such request");
	return NULL;
}

void
guest_on_reply(struct guest *guest, struct ipc_reply *reply)
{
	struct ask *ask = guest_find_ask(guest, reply->request);
	struct ask_client client;
	auto_free char *body = NULL;
	struct err err;

	if (ask == NULL)
		return;
	body = ipc_blob_copy(&reply->body, &err);
	if (body == NULL)
		fatal("cannot read an answer: %s", err.text);
	client = ask->client;
	ask->streaming = (int)reply->stream;
	if (!ask->streaming)
		ask_free(ask);
	client.answer(client.ctx, reply, body, reply->body.len);
}

void
guest_on_reply_file(struct guest *guest, struct ipc_reply_file *reply)
{
	struct ask *ask = guest_find_ask(guest, reply->request);
	struct ask_client client;

	if (ask == NULL)
		return;
	client = ask->client;
	ask_free(ask);
	client.file(client.ctx, reply);
}

void
guest_on_await_body(struct guest *guest, struct ipc_await_body *await)
{
	struct ask *ask = guest_find_ask(guest, await->request);

	if (ask != NULL)
		ask->client.await_body(ask->client.ctx, &await->sink);
}

void
guest_on_event(struct guest *guest, struct ipc_event *event)
{
	struct ask *ask = guest_find_ask(guest, event->request);
	struct ask_client client;
	auto_free char *data = NULL;
	struct err err;

	if (ask == NULL)
		return;
	if (!ask->streaming)
		fatal("protocol violation by the supervisor: an event for a "
		    "request whose answer is not a stream");
	data = ipc_blob_copy(&event->data, &err);
	if (data == NULL)
		fatal("cannot read an event: %s", err.text);
	client = ask->client;
	if (event->last)
		ask_free(ask);
	client.event(client.ctx, event->id, data, event->data.len,
	    (int)event->last);
}

void
guest_free_all(struct gateway *gateway)
{
	struct guest *guest;

	while ((guest = LIST_FIRST(&gateway->guests)) != NULL) {
		guest_remove(guest);
		guest_free(guest);
	}
}
