/* Requests for tokens: see oauth.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/mem.h"
#include "oauth.h"

#define ISSUE_BASIC "client_secret_basic"
#define ISSUE_POST "client_secret_post"
#define ISSUE_NONE "none"

struct issue {
	struct fetch *fetch;
	struct login *login;
	issue_done *done;
	void *ctx;
};

void
issue_prepare(struct login *login, const struct remote *remote,
    const struct authority *authority)
{
	const char *id = remote_option(remote, "clientId");
	const char *secret = remote_option(remote, "clientSecret");

	login_reset(login);
	login->url = mem_strdup(remote->url);
	login->resource = mem_strdup(authority->resource);
	login->issuer = mem_strdup(authority->issuer);
	login->token = mem_strdup(authority->token);
	if (authority->revocation != NULL)
		login->revocation = mem_strdup(authority->revocation);
	if (id != NULL)
		login->client_id = mem_strdup(id);
	if (id != NULL && secret != NULL)
		login->client_secret = mem_strdup(secret);
	login->method = mem_strdup(id != NULL && secret == NULL ? ISSUE_NONE :
	    id == NULL && authority->none ? ISSUE_NONE :
	    authority->basic ? ISSUE_BASIC :
	    authority->post ? ISSUE_POST : ISSUE_NONE);
}

int
issue_needs_nobody(const struct remote *remote)
{
	const char *grant = remote_option(remote, "grant");

	return grant != NULL && strcmp(grant, "client_credentials") == 0;
}

/* Sends a form of this client. */
static struct fetch *
issue_send(struct event_base *base, struct transfers *transfers,
    const char *url, const struct login *login, struct buffer *form,
    fetch_done *done, void *ctx)
{
	auto_buffer struct buffer basic = { 0 };
	struct fetch_wanted wanted = { .url = url, .type = FETCH_FORM };
	struct fetch *fetch;

	if (login->client_secret != NULL && login->method != NULL &&
	    strcmp(login->method, ISSUE_BASIC) == 0) {
		query_add_basic(&basic, login->client_id, login->client_secret);
		wanted.header = basic.data;
	} else {
		query_add(form, "client_id", login->client_id);
		if (login->method == NULL ||
		    strcmp(login->method, ISSUE_NONE) != 0)
			query_add(form, "client_secret", login->client_secret);
	}
	wanted.body = form->data + 1; /* without the first & */
	fetch = fetch_start(base, transfers, &wanted, done, ctx);
	explicit_bzero(form->data, form->len);
	if (basic.len > 0)
		explicit_bzero(basic.data, basic.len);
	return fetch;
}

static void
issue_on_answer(void *ctx, const struct transfer_head *head,
    const struct buffer *body, const char *why)
{
	struct issue *issue = ctx;
	auto_free char *shown = url_shown(issue->login->token);
	auto_free char *said = document_error(body);
	auto_free char *sentence = NULL;
	enum issue_outcome outcome = ISSUE_FAILED;
	struct err err;

	if (why != NULL) {
		sentence = mem_strdup(why);
	} else if (head->status == 400 || head->status == 401) {
		outcome = ISSUE_REFUSED;
		sentence = mem_printf("%s has refused it: %s", shown,
		    said == NULL ? "it does not say why" : said);
	} else if (head->status != 200) {
		sentence = mem_printf("%s answered %ld %s", shown, head->status,
		    said == NULL ? "instead of tokens" : said);
	} else if (document_read_tokens(body, (uint64_t)time(NULL),
	               issue->login, &err) == -1) {
		sentence = mem_printf("the answer of %s cannot be used: %s",
		    shown, err.text);
	} else {
		outcome = ISSUE_GIVEN;
	}
	issue->done(issue->ctx, outcome, sentence);
	free(issue);
}

struct issue *
issue_start(struct event_base *base, struct transfers *transfers,
    struct login *login, const struct buffer *form, issue_done *done, void *ctx)
{
	struct issue *issue = mem_alloc(sizeof(*issue));
	auto_buffer struct buffer whole = { 0 };

	*issue = (struct issue){ .login = login, .done = done, .ctx = ctx };
	buffer_add(&whole, form->data, form->len);
	query_add(&whole, "resource", login->resource);
	issue->fetch = issue_send(base, transfers, login->token, login,
	    &whole, issue_on_answer, issue);
	return issue;
}

void
issue_cancel(struct issue **issuep)
{
	struct issue *issue = mem_take(issuep);

	if (issue == NULL)
		return;
	fetch_cancel(&issue->fetch);
	free(issue);
}

struct issue *
issue_start_own(struct event_base *base, struct transfers *transfers,
    const struct remote *remote, struct login *login, issue_done *done,
    void *ctx)
{
	auto_buffer struct buffer form = { 0 };

	query_add(&form, "grant_type", "client_credentials");
	query_add(&form, "scope", remote_option(remote, "scopes"));
	return issue_start(base, transfers, login, &form, done, ctx);
}

struct fetch *
issue_revoke(struct event_base *base, struct transfers *transfers,
    const struct login *login, fetch_done *done, void *ctx)
{
	auto_buffer struct buffer form = { 0 };
	int refresh = login->refresh_token != NULL;

	if (login->revocation == NULL)
		return NULL;
	query_add(&form, "token",
	    refresh ? login->refresh_token : login->access_token);
	query_add(&form, "token_type_hint",
	    refresh ? "refresh_token" : "access_token");
	return issue_send(base, transfers, login->revocation, login, &form,
	    done, ctx);
}
