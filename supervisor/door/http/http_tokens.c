/*
 * Who a guest is: the token that it has sent names an owner. The file of tokens
 * is examined before each decision and once a second, so a token that was
 * revoked ends what it has begun.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../peers/files.h"
#include "http.h"

static void
http_tokens_revoke(struct http *http)
{
	const struct token *token;
	struct http_guest *guest;

	LIST_FOREACH (guest, &http->guests, entry) {
		if (guest->owner == http->user || http_guest_is_of_links(guest))
			continue;
		token = tokens_find(&http->tokens, guest->token.name);
		if (token == NULL || !token_has_secret_of(token, &guest->token))
			http_guest_revoke(guest);
		else if (!token_is_same(token, &guest->token))
			http_guest_change(guest, token);
	}
}

/* No token is valid then; running calls go on. It is read until it is valid. */
static void
http_tokens_fault(struct http *http, const struct err *why)
{
	const struct stat st = http->tokens.st;

	tokens_reset(&http->tokens);
	http->tokens.found = 1;
	http->tokens.st = st;
	if (!http->faulty || strcmp(http->fault.text, why->text) != 0)
		log_error("%s; until then no token is accepted", why->text);
	http->faulty = true;
	http->fault = *why;
}

/* Tokens that are revoked elsewhere would stay valid in the old directory. */
static int
http_tokens_moved(struct http *http)
{
	struct err err;

	http->moved = tokens_moved(http->dir, http->path);
	if (http->moved) {
		err_set(&err, "the state directory %s was moved or replaced: "
		    "move it back, or start Caisson again", http->path);
		http_tokens_fault(http, &err);
	}
	return http->moved;
}

/* The token of the environment is in no file, and precedes one of its name. */
static void
http_tokens_add_api(struct http *http)
{
	const char *secret = http->runs->options->api_token;
	struct token *former = tokens_find(&http->tokens, TOKEN_API_NAME);
	struct token token = { 0 };

	if (secret == NULL)
		return;
	if (former != NULL) {
		log_warn("the token %s of 'caisson token add' is not accepted, "
		    "as MCP_API_TOKEN is that of this name: make one with "
		    "another name, and revoke it", TOKEN_API_NAME);
		tokens_remove(&http->tokens, former);
	}
	token.name = mem_strdup(TOKEN_API_NAME);
	token_set_secret(&token, secret, strlen(secret));
	tokens_add(&http->tokens, &token);
}

/* Tells the limits of files, also of links, whose owner sends no token. */
static void
http_tokens_limit(struct http *http)
{
	auto_buffer struct buffer limits = { 0 };

	tokens_add_files_limits(&http->tokens, &limits);
	if (http->runs->peers.files != NULL)
		files_limit(http->runs->peers.files, &limits);
}

void
http_tokens_look(struct http *http)
{
	int moved = http->moved;
	struct err err;

	if (http->reloads != http->runs->reloads)
		http_guests_refresh(http);
	if (http->dir == -1 || http_tokens_moved(http) ||
	    (!moved && !tokens_changed(&http->tokens, http->dir)))
		return;
	tokens_reset(&http->tokens);
	if (tokens_read(&http->tokens, http->dir, &err) == -1) {
		http_tokens_fault(http, &err);
		return;
	}
	http->faulty = false;
	http_tokens_add_api(http);
	http_tokens_limit(http);
	http_tokens_revoke(http);
}

static void
http_tokens_on_time(evutil_socket_t, short, void *arg)
{
	struct http *http = arg;

	http_tokens_look(http);
	calls_charge(http->runs);
	http_spent_keep(http);
}

void
http_tokens_begin(struct http *http, int *dir, const char *path)
{
	http->guesses = guesses_new();
	http->dir = fd_take(dir);
	http->path = mem_strdup(path);
	http_tokens_add_api(http);
	http->watch = event_new(http->runs->base, -1, EV_PERSIST,
	    http_tokens_on_time, http);
	if (http->dir != -1)
		loop_set_timer(http->watch, TOKENS_WATCH_MS);
}

void
http_tokens_end(struct http *http)
{
	http_spent_keep(http);
	loop_event_free(&http->watch);
	guesses_free(&http->guesses);
	tokens_reset(&http->tokens);
	fd_close(&http->dir);
	free(http->path);
}

static struct http_guest *
http_tokens_refuse(struct http_refusal *refusal, int status,
    unsigned int seconds, const char *reason)
{
	*refusal = (struct http_refusal){ status, seconds, reason };
	return NULL;
}

/* A wrong token. It is not counted while its address has to wait. */
static struct http_guest *
http_tokens_guessed(
    struct http *http, const char *address, struct http_refusal *refusal)
{
	uint64_t now = clock_ms();
	unsigned int wait = guesses_wait(http->guesses, address, now);
	unsigned int count;

	if (wait > 0)
		return http_tokens_refuse(refusal, 429, wait,
		    "too many tokens of this address were not valid");
	count = guesses_note(http->guesses, address, now);
	if (count <= GUESSES_FREE)
		log_warn("%s has sent a token that is not valid%s", address,
		    count < GUESSES_FREE ? "" :
		    "; from now on its wrong tokens are delayed");
	return http_tokens_refuse(refusal, 401, 0, "this token is not valid");
}

struct http_guest *
http_tokens_guest(struct http *http, const struct ipc_hello *hello,
    struct http_refusal *refusal)
{
	const struct token *token;

	http_tokens_look(http);
	if (http->faulty)
		return http_tokens_refuse(refusal, 503, 0, HTTP_FAULTY);
	token = tokens_of_secret(
	    &http->tokens, hello->token.data, hello->token.len);
	if (token == NULL)
		return http_tokens_guessed(http, hello->address, refusal);
	log_info("%s has sent token %s", hello->address, token->name);
	return http_guest_of_token(http, token);
}

/* Returns the seconds until the guest may send so many messages; 0: now. */
static unsigned int
http_tokens_spend(struct http_guest *guest, uint64_t now, double count)
{
	double most = (double)guest->token.rate;
	double each = most / (60 * 1000);

	guest->level += (double)(now - guest->refilled) * each;
	if (guest->level > most)
		guest->level = most;
	guest->refilled = now;
	if (guest->level < count)
		return (unsigned int)((count - guest->level) / each / 1000) + 1;
	guest->level -= count;
	return 0;
}

int
http_tokens_allow(struct http_guest *guest, struct http_refusal *refusal)
{
	struct http *http = guest->http;
	unsigned int wait;

	if (guest->owner == http->user)
		return 1;
	if (http->faulty) {
		http_tokens_refuse(refusal, 503, 0, HTTP_FAULTY);
		return 0;
	}
	wait = guest->token.rate == 0 ? 0 :
	    http_tokens_spend(guest, clock_ms(), 1);
	if (wait == 0)
		return 1;
	http_tokens_refuse(
	    refusal, 429, wait, "too many requests with this token");
	return 0;
}

int
http_tokens_allow_batch(struct http_guest *guest, size_t count,
    struct http_refusal *refusal)
{
	unsigned int wait;

	if (guest->owner == guest->http->user || guest->token.rate == 0 ||
	    count <= 1)
		return 1;
	if (count > guest->token.rate) {
		http_tokens_refuse(refusal, 400, 0, "the batch has more "
		    "messages than this token may send in a minute");
		return 0;
	}
	/* Its request was counted as one of them. */
	guest->level += 1;
	wait = http_tokens_spend(guest, clock_ms(), (double)count);
	if (wait == 0)
		return 1;
	http_tokens_refuse(refusal, 429, wait,
	    "too many messages with this token: each one of a batch counts");
	return 0;
}
