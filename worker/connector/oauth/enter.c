/* Logging in and out: see oauth.h. */
#include <event2/event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "oauth.h"

struct enter {
	struct issue_place place;
	struct enter_ends ends;
	int listener;  /* until the browser may come */
	struct callback *callback;
	struct fetch *fetch;
	struct discover *discover;
	struct issue *issue;
	struct event *timer; /* until the directory is tried again */
	unsigned int tries;
	struct challenge challenge;
	struct authority authority;
	struct login login;
	struct buffer verifier;
	struct buffer state;
	char *redirect;
	bool awaited;  /* the browser has been sent, and has not come back */
};

static void
enter_end(struct enter *enter, const char *why)
{
	callback_free(&enter->callback);
	enter->awaited = false;
	enter->ends.over(enter->ends.ctx, &enter->login, why);
}

static void __attribute__((format(printf, 2, 3)))
enter_fail(struct enter *enter, const char *fmt, ...)
{
	auto_free char *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	why = mem_vprintf(fmt, ap);
	va_end(ap);
	enter_end(enter, why);
}

/* Returns the issuer in words, which the caller frees. */
static char *
enter_issuer(const struct enter *enter)
{
	return url_shown(enter->authority.issuer);
}

/* Keeping the tokens */

static void
enter_keep(struct enter *enter)
{
	struct err err;
	int kept;

	if (!store_lock(enter->place.remote->logins)) {
		if (enter->tries++ * LOGIN_LOOK_MS > LOGIN_LOCK_MS)
			enter_end(enter, "another Caisson does not end "
			    "renewing this login: try again");
		else
			loop_set_timer(enter->timer, LOGIN_LOOK_MS);
		return;
	}
	/* What the server asked for is given. */
	store_remove(enter->place.remote->logins);
	kept = enter->login.access_token == NULL ? 0 :
	    store_write(enter->place.remote->logins, &enter->login, &err);
	store_unlock(enter->place.remote->logins);
	enter_end(enter, kept == -1 ? err.text : NULL);
}

static void
enter_on_timer(evutil_socket_t, short, void *ctx)
{
	enter_keep(ctx);
}

static void
enter_on_granted(void *ctx, enum issue_outcome outcome, const char *why)
{
	struct enter *enter = ctx;

	enter->issue = NULL;
	if (outcome == ISSUE_GIVEN)
		enter_keep(enter);
	else
		enter_fail(enter, "no tokens: %s", why);
}

/* The browser comes back */

static void
enter_redeem(struct enter *enter, const char *code)
{
	auto_buffer struct buffer form = { 0 };
	struct err err;

	query_add(&form, "grant_type", "authorization_code");
	query_add(&form, "code", code);
	query_add(&form, "redirect_uri", enter->redirect);
	query_add(&form, "code_verifier", enter->verifier.data);
	enter->issue = issue_start(&enter->place, &enter->login, &form,
	    enter_on_granted, enter, &err);
	explicit_bzero(form.data, form.len);
	if (enter->issue == NULL)
		enter_end(enter, err.text);
}

static void
enter_on_return(void *ctx, const char *target)
{
	struct enter *enter = ctx;
	auto_free char *state = query_get(target, "state");
	auto_free char *iss = query_get(target, "iss");
	auto_free char *error = query_get(target, "error");
	auto_free char *why = query_get(target, "error_description");
	auto_free char *code = query_get(target, "code");
	auto_free char *issuer = enter_issuer(enter);

	if (!enter->awaited)
		return;
	enter->awaited = false;
	if (state == NULL || strcmp(state, enter->state.data) != 0)
		enter_end(enter, "the answer is not to this login: its state "
		    "is another one; run the command again, and use the "
		    "address that it prints");
	else if (iss != NULL ? strcmp(iss, enter->authority.issuer) != 0 :
	                       enter->authority.iss)
		enter_fail(enter, "the answer is not of %s: it says that it "
		    "is of %.200s; another server may have answered, so "
		    "nothing was sent", issuer,
		    iss == NULL ? "no server" : iss);
	else if (error != NULL)
		enter_fail(enter, "%s has refused the login: %.100s%s%.300s",
		    issuer, error, why == NULL ? "" : ": ",
		    why == NULL ? "" : why);
	else if (code == NULL)
		enter_end(enter, "the answer has no code: paste the whole "
		    "address that the browser shows in the end");
	else
		enter_redeem(enter, code);
}

void
enter_paste(struct enter *enter, const char *text)
{
	enter_on_return(enter, text);
}

/* Sends a person to the issuer. */
static void
enter_visit(struct enter *enter)
{
	const struct authority *authority = &enter->authority;
	auto_buffer struct buffer form = { 0 }, proof = { 0 };
	auto_free char *url = NULL;

	query_add_random(&enter->verifier);
	query_add_random(&enter->state);
	query_add_challenge(&proof, enter->verifier.data);
	query_add(&form, "response_type", "code");
	query_add(&form, "client_id", enter->login.client_id);
	query_add(&form, "redirect_uri", enter->redirect);
	query_add(&form, "code_challenge", proof.data);
	query_add(&form, "code_challenge_method", "S256");
	query_add(&form, "state", enter->state.data);
	query_add(&form, "resource", authority->resource);
	query_add(&form, "scope", enter->login.scope);
	url = mem_printf("%s%c%s", authority->authorization,
	    strchr(authority->authorization, '?') == NULL ? '?' : '&',
	    form.data + 1);
	if (strlen(url) > LOGIN_URL_MAX) {
		enter_end(enter, "the address to open is too long");
		return;
	}
	enter->awaited = true;
	enter->callback = callback_new(
	    enter->place.base, &enter->listener, enter_on_return, enter);
	enter->ends.visit(enter->ends.ctx, url);
}

/* The client */

static void
enter_on_registered(void *ctx, const struct transfer_head *head,
    const struct buffer *body, const char *why)
{
	struct enter *enter = ctx;
	auto_free char *issuer = enter_issuer(enter);
	auto_free char *said = document_error(body);
	struct err err;

	enter->fetch = NULL;
	if (why != NULL)
		enter_end(enter, why);
	else if (head->status != 201 && head->status != 200)
		enter_fail(enter, "%s does not register clients (%ld%s%s): "
		    "register one there, and write its id into the entry as "
		    "\"oauth\": {\"clientId\": \"…\"}", issuer, head->status,
		    said == NULL ? "" : ", ", said == NULL ? "" : said);
	else if (document_read_client(body, &enter->login, &err) == -1)
		enter_fail(enter, "the registration at %s cannot be used: %s",
		    issuer, err.text);
	else
		enter_visit(enter);
}

static void
enter_register(struct enter *enter)
{
	auto_buffer struct buffer body = { 0 };
	auto_free char *issuer = enter_issuer(enter);
	struct fetch_wanted wanted = { .url = enter->authority.registration,
		.type = FETCH_JSON };

	if (wanted.url == NULL) {
		enter_fail(enter, "%s registers no clients by itself: register "
		    "one there, with the redirect URI http://127.0.0.1/callback"
		    ", and write its id into the entry as \"oauth\": "
		    "{\"clientId\": \"…\"}", issuer);
		return;
	}
	buffer_add_text(&body, "{\"client_name\":\"Caisson\","
	    "\"grant_types\":[\"authorization_code\",\"refresh_token\"],"
	    "\"response_types\":[\"code\"],\"application_type\":\"native\","
	    "\"redirect_uris\":[");
	json_add_text(&body, enter->redirect);
	buffer_add_text(&body, "],\"token_endpoint_auth_method\":");
	json_add_text(&body, enter->login.method);
	if (enter->login.scope != NULL) {
		buffer_add_text(&body, ",\"scope\":");
		json_add_text(&body, enter->login.scope);
	}
	buffer_add_text(&body, "}");
	wanted.body = body.data;
	enter->fetch = fetch_start(enter->place.base, enter->place.transfers,
	    &wanted, enter_on_registered, enter);
}

/*
 * The scopes to ask for: those of the entry, else what the server has asked
 * for, and what the login has if that was not enough; else what the server has.
 */
static char *
enter_scope(const struct enter *enter, const char *had)
{
	const char *given = remote_option(enter->place.remote, "scopes");
	const char *wanted = enter->challenge.scope != NULL ?
	    enter->challenge.scope : enter->authority.scope;
	int wider = enter->challenge.error != NULL &&
	    strcmp(enter->challenge.error, "insufficient_scope") == 0;
	auto_free char *scope = given != NULL ? mem_strdup(given) :
	    query_join_scopes(wider ? had : NULL, wanted);

	return query_join_scopes(
	    scope, enter->authority.offline ? "offline_access" : NULL);
}

/* The client is known, or registered, and a person is asked. */
static void
enter_ask(struct enter *enter)
{
	const struct remote *remote = enter->place.remote;

	if (remote_option(remote, "assertion") != NULL ||
	    remote_option(remote, "idToken") != NULL)
		enter_end(enter, "its oauth: assertion and idToken need the "
		    "grant jwt-bearer");
	else if (enter->login.client_id != NULL)
		enter_visit(enter);
	else if (remote_option(remote, "privateKey") != NULL)
		enter_end(enter, "its oauth: privateKey needs the clientId "
		    "that it proves");
	else
		enter_register(enter);
}

static void
enter_on_discovered(void *ctx, const char *why)
{
	struct enter *enter = ctx;
	const struct remote *remote = enter->place.remote;
	struct login before = { 0 };
	struct err err;

	enter->discover = NULL;
	if (why != NULL) {
		enter_end(enter, why);
		return;
	}
	store_read(remote->logins, remote->url, &before);
	issue_prepare(&enter->login, remote, &enter->authority);
	enter->login.scope = enter_scope(enter, before.scope);
	login_reset(&before);
	if (!issue_without_user(remote)) {
		enter_ask(enter);
		return;
	}
	enter->issue = issue_start_own(&enter->place, &enter->login,
	    enter_on_granted, enter, &err);
	if (enter->issue == NULL)
		enter_end(enter, err.text);
}

/* The challenge */

static void
enter_discover(struct enter *enter, const char *header)
{
	challenge_read(header, &enter->challenge);
	enter->discover = discover_start(enter->place.base,
	    enter->place.transfers, enter->place.remote, &enter->challenge,
	    &enter->authority, enter_on_discovered, enter);
}

static void
enter_on_probed(void *ctx, const struct transfer_head *head,
    const struct buffer *, const char *why)
{
	struct enter *enter = ctx;

	enter->fetch = NULL;
	if (why != NULL)
		enter_end(enter, why);
	else
		enter_discover(enter, head->challenge);
}

/* Asks the server something, to see what it wants first. */
static void
enter_probe(struct enter *enter)
{
	const struct fetch_wanted wanted = { .url = enter->place.remote->url,
		.type = FETCH_JSON,
		.body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" };

	enter->fetch = fetch_start(enter->place.base, enter->place.transfers,
	    &wanted, enter_on_probed, enter);
}

/* Logging out */

static void
enter_on_revoked(void *ctx, const struct transfer_head *head,
    const struct buffer *, const char *why)
{
	struct enter *enter = ctx;

	enter->fetch = NULL;
	if (why != NULL || head->status != 200)
		log_warn("the server could not be told that the tokens are no "
		    "longer used: %s", why == NULL ? "it refuses" : why);
	login_reset(&enter->login);
	enter_keep(enter);
}

static void
enter_leave(struct enter *enter)
{
	struct err err;

	if (!store_read(enter->place.remote->logins, enter->place.remote->url,
	        &enter->login)) {
		enter_end(enter, "there is no login");
		return;
	}
	enter->fetch = issue_revoke(&enter->place, &enter->login,
	    enter_on_revoked, enter, &err);
	if (enter->fetch == NULL) {
		log_debug("the tokens are not revoked: %s", err.text);
		login_reset(&enter->login);
		enter_keep(enter);
	}
}

/* Its life */

struct enter *
enter_new(struct event_base *base, const struct remote *remote, int *listener,
    const struct enter_ends *ends)
{
	struct enter *enter = mem_alloc(sizeof(*enter));
	auto_free char *header = NULL;

	enter->place = (struct issue_place){ base,
		transfers_new(base, remote), remote };
	enter->ends = *ends;
	enter->timer = evtimer_new(base, enter_on_timer, enter);
	enter->listener = fd_take(listener);
	if (enter->listener == -1) {
		enter_leave(enter);
		return enter;
	}
	enter->redirect = callback_url(enter->listener);
	header = store_read_challenge(remote->logins);
	if (header != NULL)
		enter_discover(enter, header);
	else
		enter_probe(enter);
	return enter;
}

void
enter_free(struct enter **enterp)
{
	struct enter *enter = mem_take(enterp);

	if (enter == NULL)
		return;
	fetch_cancel(&enter->fetch);
	discover_cancel(&enter->discover);
	issue_cancel(&enter->issue);
	callback_free(&enter->callback);
	transfers_free(&enter->place.transfers);
	loop_event_free(&enter->timer);
	challenge_reset(&enter->challenge);
	authority_reset(&enter->authority);
	login_reset(&enter->login);
	buffer_reset(&enter->verifier);
	buffer_reset(&enter->state);
	fd_close(&enter->listener);
	free(enter->redirect);
	free(enter);
}
