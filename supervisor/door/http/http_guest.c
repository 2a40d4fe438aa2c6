/*
 * The guests of HTTP: see http.h. A guest stays as long as the program, also
 * when its token is revoked: calls that are still ending belong to its owner.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../run/session.h"
#include "http.h"
#include "../../front/tools/tool.h"

void
http_guest_init(
    struct http_guest *guest, struct http *http, struct owner *owner)
{
	guest->http = http;
	guest->owner = owner;
	LIST_INIT(&guest->requests);
	TAILQ_INIT(&guest->sessions);
	TAILQ_INIT(&guest->replays);
}

static struct http_guest *
http_guest_new(struct http *http, struct owner *owner)
{
	struct http_guest *guest = mem_alloc(sizeof(*guest));

	http_guest_init(guest, http, owner != NULL ? owner : &guest->own);
	LIST_INSERT_HEAD(&http->guests, guest, entry);
	return guest;
}

struct http_guest *
http_guest_of_user(struct http *http)
{
	struct http_guest *guest;

	LIST_FOREACH (guest, &http->guests, entry)
		if (guest->owner == http->user)
			return guest;
	return http_guest_new(http, http->user);
}

int
http_guest_is_of_links(const struct http_guest *guest)
{
	return guest->owner != guest->http->user && *guest->token.name == '\0';
}

static void
http_guest_set_options(struct http_guest *guest)
{
	const struct token *token = &guest->token;

	guest->options = *guest->http->runs->options;
	if (token->tools != 0)
		guest->options.tools &= token->tools;
	if (token->memories_max != 0 &&
	    token->memories_max < guest->options.state_max)
		guest->options.state_max = token->memories_max;
	if (token->limits != NULL)
		options_set_limits(&guest->options, token->limits);
}

void
http_guests_refresh(struct http *http)
{
	struct http_guest *guest;

	http->reloads = http->runs->reloads;
	LIST_FOREACH (guest, &http->guests, entry)
		if (guest->owner != http->user)
			http_guest_set_options(guest);
}

/* The rights of a token become those of the owner. */
static void
http_guest_bind(struct http_guest *guest, const struct token *token)
{
	const struct options *options = guest->http->runs->options;
	size_t most = (size_t)options->max_concurrent;
	struct owner *owner = &guest->own;

	token_reset(&guest->token);
	token_copy(&guest->token, token);
	guest->allowed = (struct server_texts){ guest->token.servers.data,
		guest->token.servers.len };
	http_guest_set_options(guest);
	guest->level = (double)token->rate;
	owner->name = owner->scope = guest->token.name;
	owner->allowed = token->restricted ? &guest->allowed : NULL;
	owner->options = &guest->options;
	owner->cpu_most = token->cpu_seconds * UINT64_C(1000000);
	owner->most_waiting = (size_t)options->queue;
	owner->most_running = token->calls != 0 && token->calls < most ?
	    (size_t)token->calls : most;
}

struct http_guest *
http_guest_of_token(struct http *http, const struct token *token)
{
	struct http_guest *guest;

	LIST_FOREACH (guest, &http->guests, entry)
		if (guest->owner != http->user &&
		    strcmp(guest->token.name, token->name) == 0)
			break;
	if (guest == NULL) {
		guest = http_guest_new(http, NULL);
		http_guest_bind(guest, token);
		owner_open(&guest->own, http->runs);
		http_spent_recall(guest);
	} else if (!token_is_same(&guest->token, token)) {
		http_guest_bind(guest, token);
	}
	return guest;
}

void
http_guest_leave(struct http_request *request)
{
	struct mcp *mcp = request->mcp;

	if (request->replay != NULL && request->streaming) {
		request->number = 0; /* it may come back */
		return;
	}
	http_request_end(request);
	if (mcp != NULL)
		mcp_on_end(mcp, MCP_DISCONNECTED);
}

void
http_guest_lose(struct http_guest *guest)
{
	struct http_request *request, *next;

	guest->guest = NULL;
	for (request = LIST_FIRST(&guest->requests); request != NULL;
	     request = next) {
		next = LIST_NEXT(request, entry);
		http_guest_leave(request);
	}
}

/*
 * Cancels the requests of versions without sessions, and answers all. why is
 * for the log.
 */
static void
http_guest_give_up(struct http_guest *guest,
    const struct http_refusal *refusal, const char *why)
{
	struct http_request *request;
	struct mcp *mcp;

	while (!LIST_EMPTY(&guest->requests)) {
		request = LIST_FIRST(&guest->requests);
		mcp = request->mcp;
		request->wait = refusal->seconds;
		http_give_up(request, refusal->status, refusal->reason);
		if (mcp != NULL)
			mcp_on_end(mcp, why);
	}
}

void
http_guest_revoke(struct http_guest *guest)
{
	const struct http_refusal refusal = { 401, 0,
		"this token was revoked" };
	static const char why[] = "the token was revoked";

	/* A later token of this name must not continue them. */
	tool_call_cancel_asked(guest->owner, why);
	sessions_end_owner(guest->http->runs->sessions, guest->owner->scope,
	    "its token was revoked");
	if (guest->guest == NULL && TAILQ_EMPTY(&guest->sessions))
		return;
	log_info("the sessions and calls of token %s are ended",
	    guest->token.name);
	http_guest_give_up(guest, &refusal, why);
	gateway_dismiss(&guest->guest);
	http_guest_lose(guest);
	http_session_end_all(guest, why);
}

void
http_guest_change(struct http_guest *guest, const struct token *token)
{
	const struct http_refusal refusal = { 503, 1,
		"the rights of this token have changed: try again" };
	static const char why[] = "the rights of the token have changed";

	log_info("the rights of token %s have changed: its sessions and calls "
	    "are ended", guest->token.name);
	tool_call_cancel_asked(guest->owner, why);
	sessions_end_owner(guest->http->runs->sessions, guest->owner->scope,
	    "the rights of its token have changed");
	http_guest_give_up(guest, &refusal, why);
	http_session_end_all(guest, why);
	http_guest_bind(guest, token);
}

void
http_guest_clear(struct http_guest *guest)
{
	http_replay_forget(guest, NULL);
	while (!LIST_EMPTY(&guest->requests))
		http_request_free(LIST_FIRST(&guest->requests));
	http_session_free_all(&guest->sessions);
}

void
http_guest_free(struct http_guest *guest)
{
	LIST_REMOVE(guest, entry);
	if (guest->owner == &guest->own)
		owner_close(&guest->own, guest->http->runs);
	token_reset(&guest->token);
	free(guest);
}
