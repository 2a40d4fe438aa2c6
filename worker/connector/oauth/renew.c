/* The token of requests: see oauth.h. */
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/limits.h"
#include "oauth.h"

struct renew {
	struct issue_place place;
	struct event *timer; /* until the directory is looked at again */
	struct login login;  /* as it was read last */
	unsigned int number;
	char *challenge;     /* the last one */
	char *wider;         /* scopes that it wants besides; or NULL */
	bool locked;         /* a request for tokens is under way */
	bool refused;        /* what the entry has was */
	uint64_t since;      /* when others began to wait; 0: nobody does */
	struct discover *discover;
	struct authority authority;
	struct issue *issue;
	LIST_HEAD(, renew_wait) waits;
};

static char *
renew_prove(void *ctx, const char *method, const char *url, const char *nonce)
{
	const struct renew *renew = ctx;
	const struct jwt_request request = { method, url, nonce,
		renew->login.access_token };

	return login_is_bound(&renew->login) ?
	    jwt_proof(renew->login.key, &request) : NULL;
}

static void
renew_authorize(struct renew *renew)
{
	transfers_authorize(renew->place.transfers,
	    login_is_bound(&renew->login) ? "DPoP" : "Bearer",
	    renew->login.access_token);
}

/* Reads the login. Returns whether its token is another one. */
static int
renew_read(struct renew *renew)
{
	const struct remote *remote = renew->place.remote;
	struct login login = { 0 };
	const char *had = renew->login.access_token;
	int changed;

	if (!store_read(remote->logins, remote->url, &login)) {
		/* It has been logged out meanwhile. */
		login_reset(&renew->login);
		return 0;
	}
	changed = had == NULL || strcmp(had, login.access_token) != 0;
	login_reset(&renew->login);
	renew->login = login;
	renew->number += (unsigned int)changed;
	renew_authorize(renew);
	return changed;
}

static void
renew_end(struct renew *renew, const char *why)
{
	LIST_HEAD(, renew_wait) waits = { NULL };
	auto_free char *shown = why == NULL ? NULL : document_shown(why);
	struct renew_wait *wait;

	if (renew->locked)
		store_unlock(renew->place.remote->logins);
	renew->locked = false;
	renew->since = 0;
	event_del(renew->timer);
	/* Who is told may wait again. */
	while ((wait = LIST_FIRST(&renew->waits)) != NULL) {
		LIST_REMOVE(wait, entry);
		LIST_INSERT_HEAD(&waits, wait, entry);
	}
	while ((wait = LIST_FIRST(&waits)) != NULL) {
		LIST_REMOVE(wait, entry);
		wait->entry.le_prev = NULL;
		wait->done(wait->ctx, shown);
	}
}

/* A login is needed, which a person does; what the server wants is kept. */
static void
renew_ask(struct renew *renew, const char *why)
{
	auto_free char *sentence =
	    mem_printf("%s: log in by '%s'", why, renew->place.remote->login);

	if (renew->locked)
		store_unlock(renew->place.remote->logins);
	renew->locked = false;
	store_write_challenge(renew->place.remote->logins, renew->challenge);
	renew_end(renew, sentence);
}

static void
renew_on_granted(void *ctx, enum issue_outcome outcome, const char *why)
{
	struct renew *renew = ctx;
	const char *token = renew->login.access_token;
	auto_free char *sentence = NULL;
	struct err err;

	renew->issue = NULL;
	if (outcome == ISSUE_FAILED) {
		sentence = mem_printf("its login cannot be renewed: %s", why);
		renew_end(renew, sentence);
		return;
	}
	/* What was refused must not be tried again, by nobody. */
	if (outcome == ISSUE_REFUSED) {
		free(mem_take(&renew->login.refresh_token));
		renew->login.until = (uint64_t)time(NULL);
	}
	if (token != NULL && store_write(renew->place.remote->logins,
	        &renew->login, &err) == -1)
		log_warn("%s", err.text);
	if (outcome == ISSUE_GIVEN) {
		renew->number++;
		renew_authorize(renew);
		renew_end(renew, NULL);
	} else if (issue_without_user(renew->place.remote)) {
		renew->refused = true;
		renew_end(renew, why);
	} else {
		sentence = mem_printf("its login has ended: %s", why);
		renew_ask(renew, sentence);
	}
}

static void
renew_on_discovered(void *ctx, const char *why)
{
	struct renew *renew = ctx;
	struct err err;

	renew->discover = NULL;
	if (why != NULL) {
		renew_end(renew, why);
		return;
	}
	issue_prepare(&renew->login, renew->place.remote, &renew->authority);
	renew->issue = issue_start_own(&renew->place, &renew->login,
	    renew_on_granted, renew, &err);
	if (renew->issue == NULL)
		renew_end(renew, err.text);
}

/* Asks for other tokens. The directory is locked. */
static void
renew_request(struct renew *renew)
{
	auto_buffer struct buffer form = { 0 };
	struct challenge challenge = { 0 };
	struct err err;

	if (issue_without_user(renew->place.remote)) {
		challenge_read(renew->challenge, &challenge);
		renew->discover = discover_start(renew->place.base,
		    renew->place.transfers, renew->place.remote, &challenge,
		    &renew->authority, renew_on_discovered, renew);
		challenge_reset(&challenge);
		return;
	}
	query_add(&form, "grant_type", "refresh_token");
	query_add(&form, "refresh_token", renew->login.refresh_token);
	renew->issue = issue_start(&renew->place, &renew->login, &form,
	    renew_on_granted, renew, &err);
	explicit_bzero(form.data, form.len);
	if (renew->issue == NULL)
		renew_end(renew, err.text);
}

/* Looks at the directory: another connector may have renewed it, or does. */
static void
renew_look(struct renew *renew)
{
	int dir = renew->place.remote->logins;

	if (renew_read(renew)) {
		renew_end(renew, NULL);
	} else if (renew->refused) {
		/* Nor is it sent again by a goodbye. */
		renew_end(renew, "no token is given for what its entry has");
	} else if (dir == -1) {
		renew_end(renew, "it wants a login, and there is no state "
		    "directory to keep one in: see CAISSON_STATE_DIR");
	} else if (renew->wider != NULL) {
		auto_free char *why = mem_printf("it wants more rights than "
		    "the login has (%.200s)", renew->wider);

		renew_ask(renew, why);
	} else if (renew->login.refresh_token == NULL &&
	    !issue_without_user(renew->place.remote)) {
		renew_ask(renew, renew->login.access_token == NULL ?
		    "it wants a login" : "its login has ended");
	} else if (store_lock(dir)) {
		renew->locked = true;
		if (renew_read(renew))
			renew_end(renew, NULL);
		else
			renew_request(renew);
	} else if (clock_ms() - renew->since > LOGIN_LOCK_MS) {
		renew_end(renew, "another Caisson does not end renewing its "
		    "login");
	} else {
		loop_set_timer(renew->timer, LOGIN_LOOK_MS);
	}
}

static void
renew_on_timer(evutil_socket_t, short, void *ctx)
{
	renew_look(ctx);
}

int
renew_start(struct renew *renew, unsigned int number,
    const struct transfer_head *head, struct renew_wait *wait)
{
	struct challenge challenge = { 0 };
	int wider;

	if (transfers_have_credentials(renew->place.transfers) ||
	    (head->challenge[0] != '\0' &&
	        strncasecmp(head->challenge, "Bearer", 6) != 0 &&
	        strncasecmp(head->challenge, "DPoP", 4) != 0))
		return -1;
	challenge_read(head->challenge, &challenge);
	if (challenge.error != NULL &&
	    strcmp(challenge.error, "use_dpop_nonce") == 0 &&
	    head->nonce[0] != '\0' && login_is_bound(&renew->login)) {
		challenge_reset(&challenge);
		return 1; /* the same token, with that nonce */
	}
	wider = head->status == 403 && challenge.error != NULL &&
	    strcmp(challenge.error, "insufficient_scope") == 0;
	if (head->status == 403 && !wider) {
		challenge_reset(&challenge);
		return -1;
	}
	if (number == renew->number && renew->since == 0) {
		free(renew->challenge);
		renew->challenge = mem_strdup(head->challenge);
		free(mem_take(&renew->wider));
		if (wider)
			renew->wider = mem_strdup(challenge.scope == NULL ?
			    "it does not say which" : challenge.scope);
		renew->since = clock_ms();
		loop_set_timer(renew->timer, 0);
	}
	challenge_reset(&challenge);
	if (number != renew->number)
		return 1;
	LIST_INSERT_HEAD(&renew->waits, wait, entry);
	return 0;
}

void
renew_cancel(struct renew_wait *wait)
{
	if (wait->entry.le_prev != NULL)
		LIST_REMOVE(wait, entry);
	wait->entry.le_prev = NULL;
}

const char *
renew_command(const struct renew *renew)
{
	return renew->place.remote->login;
}

bool
renew_is_refused(const struct renew *renew)
{
	return renew->refused;
}

unsigned int
renew_number(const struct renew *renew)
{
	return renew->number;
}

struct renew *
renew_new(struct event_base *base, struct transfers *transfers,
    const struct remote *remote)
{
	struct renew *renew = mem_alloc(sizeof(*renew));

	renew->place = (struct issue_place){ base, transfers, remote };
	LIST_INIT(&renew->waits);
	transfers_prove(transfers, renew_prove, renew);
	renew->timer = evtimer_new(base, renew_on_timer, renew);
	if (!transfers_have_credentials(transfers))
		renew_read(renew);
	return renew;
}

void
renew_free(struct renew **renewp)
{
	struct renew *renew = mem_take(renewp);

	if (renew == NULL)
		return;
	discover_cancel(&renew->discover);
	issue_cancel(&renew->issue);
	loop_event_free(&renew->timer);
	login_reset(&renew->login);
	authority_reset(&renew->authority);
	free(renew->challenge);
	free(renew->wider);
	free(renew);
}
