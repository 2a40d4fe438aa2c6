/* The metadata of logins: see oauth.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "oauth.h"

struct discover {
	struct event_base *base;
	struct transfers *transfers;
	const struct remote *remote;
	struct authority *authority;
	struct fetch *fetch;
	char *named;   /* by the challenge; NULL: nothing */
	size_t place;  /* that is asked */
	bool local;    /* the server is of this machine */
	bool of_issuer; /* it is the issuer that is asked */
	char *fault;   /* of what a place has; NULL: no place has it */
	discover_done *done;
	void *ctx;
};

/* The places of each, in their order. */
#define DISCOVER_RESOURCE "oauth-protected-resource"
#define DISCOVER_SERVER "oauth-authorization-server"
#define DISCOVER_OPENID "openid-configuration"

static void discover_ask(struct discover *discover);

static void
discover_free(struct discover *discover)
{
	free(discover->named);
	free(discover->fault);
	free(discover);
}

static void
discover_end(struct discover *discover, const char *why)
{
	discover->done(discover->ctx, why);
	discover_free(discover);
}

/* Returns the address of the next place, which the caller frees, or NULL. */
static char *
discover_place(struct discover *discover)
{
	static const struct {
		const char *name;
		enum url_place place;
	} places[2][3] = { { { DISCOVER_RESOURCE, URL_BEFORE_PATH },
	                       { DISCOVER_RESOURCE, URL_AT_ROOT } },
		{ { DISCOVER_SERVER, URL_BEFORE_PATH },
		    { DISCOVER_OPENID, URL_BEFORE_PATH },
		    { DISCOVER_OPENID, URL_BEHIND_PATH } } };
	const char *of = discover->of_issuer ? discover->authority->issuer :
	                                       discover->remote->url;
	size_t place = discover->place++;

	if (!discover->of_issuer && place == 0 && discover->named != NULL)
		return mem_strdup(discover->named);
	place -= !discover->of_issuer && discover->named != NULL;
	if (place > 2 || places[discover->of_issuer][place].name == NULL)
		return NULL;
	return url_well_known(of, places[discover->of_issuer][place].name,
	    places[discover->of_issuer][place].place);
}

/* None of the places has it. */
static void
discover_give_up(struct discover *discover)
{
	auto_free char *shown = url_shown(discover->of_issuer ?
	    discover->authority->issuer : discover->remote->url);
	auto_free char *why = mem_printf("the metadata for logins at %s "
	    "cannot be used: %s", shown, discover->fault != NULL ?
	    discover->fault : "there is none; if it wants a key, give its "
	    "entry the header Authorization");

	/* Servers of 2025-03-26 are the issuer themselves. */
	if (!discover->of_issuer && discover->fault == NULL) {
		discover->authority->issuer = url_origin(discover->remote->url);
		discover->authority->resource =
		    mem_strdup(discover->remote->url);
		discover->of_issuer = true;
		discover->place = 0;
		discover_ask(discover);
		return;
	}
	discover_end(discover, why);
}

static void
discover_on_document(void *ctx, const struct transfer_head *head,
    const struct buffer *body, const char *why)
{
	struct discover *discover = ctx;
	struct authority *authority = discover->authority;
	struct err err;

	discover->fetch = NULL;
	if (why == NULL && head->status != 200) {
		discover_ask(discover);
	} else if (why != NULL || (discover->of_issuer ?
	        document_read_server(body, discover->local,
	            !issue_without_user(discover->remote), authority, &err) :
	        document_read_resource(
	            body, discover->remote->url, authority, &err)) == -1) {
		if (discover->fault == NULL)
			discover->fault =
			    mem_strdup(why != NULL ? why : err.text);
		/* Pages of other kinds are at other places, too. */
		if (strcmp(head->type, "application/json") == 0)
			discover_give_up(discover);
		else
			discover_ask(discover);
	} else if (discover->of_issuer) {
		discover_end(discover, NULL);
	} else {
		discover->of_issuer = true;
		discover->place = 0;
		free(mem_take(&discover->fault));
		discover_ask(discover);
	}
}

static void
discover_ask(struct discover *discover)
{
	auto_free char *url = discover_place(discover);
	const struct fetch_wanted wanted = { .url = url };

	if (url == NULL) {
		discover_give_up(discover);
	} else if (!url_is_safe(url, discover->local)) {
		if (discover->fault == NULL)
			discover->fault =
			    mem_printf("%.200s is not https", url);
		discover_ask(discover);
	} else {
		discover->fetch = fetch_start(discover->base,
		    discover->transfers, &wanted, discover_on_document,
		    discover);
	}
}

struct discover *
discover_start(struct event_base *base, struct transfers *transfers,
    const struct remote *remote, const struct challenge *challenge,
    struct authority *authority, discover_done *done, void *ctx)
{
	struct discover *discover = mem_alloc(sizeof(*discover));

	*discover = (struct discover){ .base = base, .transfers = transfers,
		.remote = remote, .authority = authority, .done = done,
		.ctx = ctx };
	discover->local = url_is_of_here(remote->url);
	if (challenge->metadata != NULL)
		discover->named = mem_strdup(challenge->metadata);
	authority_reset(authority);
	authority->bound = challenge->bound;
	discover_ask(discover);
	return discover;
}

void
discover_cancel(struct discover **discoverp)
{
	struct discover *discover = mem_take(discoverp);

	if (discover == NULL)
		return;
	fetch_cancel(&discover->fetch);
	discover_free(discover);
}
