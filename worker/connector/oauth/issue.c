/* Requests for tokens: see oauth.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "oauth.h"

#define ISSUE_BASIC "client_secret_basic"
#define ISSUE_POST "client_secret_post"
#define ISSUE_JWT "private_key_jwt"
#define ISSUE_NONE "none"
#define ISSUE_NONCE "use_dpop_nonce" /* an error: RFC 9449, 8 */

/* RFC 7523 and RFC 8693, and drafts of the second's tokens across domains. */
#define ISSUE_OAUTH "urn:ietf:params:oauth:"
#define ISSUE_BEARER ISSUE_OAUTH "grant-type:jwt-bearer"
#define ISSUE_EXCHANGE ISSUE_OAUTH "grant-type:token-exchange"
#define ISSUE_ID_TOKEN ISSUE_OAUTH "token-type:id_token"
#define ISSUE_ID_JAG ISSUE_OAUTH "token-type:id-jag"
#define ISSUE_ASSERTION ISSUE_OAUTH "client-assertion-type:jwt-bearer"

struct issue {
	struct issue_place place;
	struct fetch *fetch;
	struct login *login;
	struct buffer form; /* for tokens; sent again with a nonce */
	char *nonce;        /* that the server has asked for; NULL: none yet */
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
	if (authority->bound)
		login->key = jwt_new_key();
	if (id != NULL)
		login->client_id = mem_strdup(id);
	if (id != NULL && secret != NULL)
		login->client_secret = mem_strdup(secret);
	login->method = mem_strdup(
	    id != NULL && remote_option(remote, "privateKey") != NULL ?
	    ISSUE_JWT :
	    id != NULL && secret == NULL ? ISSUE_NONE :
	    id == NULL && authority->none ? ISSUE_NONE :
	    authority->basic ? ISSUE_BASIC :
	    authority->post ? ISSUE_POST : ISSUE_NONE);
}

int
issue_without_user(const struct remote *remote)
{
	const char *grant = remote_option(remote, "grant");

	return grant != NULL && strcmp(grant, "authorization_code") != 0;
}

/* Wipes a text that holds secrets. */
static void
issue_wipe(struct buffer *text)
{
	if (text->len > 0)
		explicit_bzero(text->data, text->len);
}

/* Says who the client is, in a header or in the form. Returns 0, or -1. */
static int
issue_identify(const struct remote *remote, const struct login *login,
    struct buffer *headers, struct buffer *form, struct err *err)
{
	const char *method = login->method == NULL ? "" : login->method;
	auto_buffer struct buffer proof = { 0 };
	const struct jwt_client client = { login->client_id,
		remote_option(remote, "privateKey"),
		remote_option(remote, "kid") };
	const char *audience = remote_option(remote, "audience");
	int done = 0;

	if (login->client_secret != NULL && strcmp(method, ISSUE_BASIC) == 0) {
		query_add_basic(&proof, login->client_id, login->client_secret);
		text_list_add(headers, proof.data);
	} else {
		query_add(form, "client_id", login->client_id);
		if (strcmp(method, ISSUE_NONE) != 0 &&
		    strcmp(method, ISSUE_JWT) != 0)
			query_add(form, "client_secret", login->client_secret);
	}
	if (strcmp(method, ISSUE_JWT) == 0) {
		done = client.key == NULL ? err_set(err, "its client proves by "
		    "a privateKey who it is, which its entry lacks") :
		    jwt_add_assertion(&proof, &client, audience != NULL ?
		        audience : login->issuer, err);
		query_add(form, "client_assertion_type", ISSUE_ASSERTION);
		query_add(form, "client_assertion", proof.data);
	}
	issue_wipe(&proof);
	return done;
}

/* Sends a form of this client. Returns NULL with err if it cannot. */
static struct fetch *
issue_send(const struct issue_place *place, const char *url, const char *nonce,
    const struct login *login, struct buffer *form, fetch_done *done,
    void *ctx, struct err *err)
{
	const struct jwt_request request = { .method = "POST", .url = url,
		.nonce = nonce };
	auto_buffer struct buffer headers = { 0 };
	auto_free char *proof =
	    login->key == NULL ? NULL : jwt_proof(login->key, &request);
	struct fetch_wanted wanted = { .url = url, .type = FETCH_FORM,
		.headers = &headers };
	struct fetch *fetch = NULL;

	if (issue_identify(place->remote, login, &headers, form, err) == 0) {
		if (proof != NULL)
			text_list_add(&headers, proof);
		wanted.body = form->data + 1; /* without the first & */
		fetch = fetch_start(
		    place->base, place->transfers, &wanted, done, ctx);
	}
	issue_wipe(form);
	issue_wipe(&headers);
	return fetch;
}

static void
issue_free(struct issue **issuep)
{
	struct issue *issue = mem_take(issuep);

	if (issue == NULL)
		return;
	issue_wipe(&issue->form);
	buffer_reset(&issue->form);
	free(issue->nonce);
	free(issue);
}

static fetch_done issue_on_answer;

/* Sends the form for tokens. Returns 0, or -1 with err. */
static int
issue_post(struct issue *issue, struct err *err)
{
	auto_buffer struct buffer form = { 0 };

	buffer_add(&form, issue->form.data, issue->form.len);
	issue->fetch = issue_send(&issue->place, issue->login->token,
	    issue->nonce, issue->login, &form, issue_on_answer, issue, err);
	return issue->fetch == NULL ? -1 : 0;
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

	if (why == NULL && issue->nonce == NULL && head->nonce[0] != '\0' &&
	    said != NULL &&
	    strncmp(said, ISSUE_NONCE, strlen(ISSUE_NONCE)) == 0) {
		issue->nonce = mem_strdup(head->nonce);
		if (issue_post(issue, &err) == 0)
			return;
		sentence = mem_strdup(err.text);
	} else if (why != NULL) {
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
	issue_free(&issue);
}

/* Asks by this form for tokens. Frees the issue, and returns NULL, if not. */
static struct issue *
issue_ask(struct issue *issue, const struct buffer *form, struct err *err)
{
	buffer_add(&issue->form, form->data, form->len);
	query_add(&issue->form, "resource", issue->login->resource);
	if (issue_post(issue, err) == -1)
		issue_free(&issue);
	return issue;
}

static struct issue *
issue_new(const struct issue_place *place, struct login *login,
    issue_done *done, void *ctx)
{
	struct issue *issue = mem_alloc(sizeof(*issue));

	*issue = (struct issue){ .place = *place, .login = login, .done = done,
		.ctx = ctx };
	return issue;
}

struct issue *
issue_start(const struct issue_place *place, struct login *login,
    const struct buffer *form, issue_done *done, void *ctx, struct err *err)
{
	return issue_ask(issue_new(place, login, done, ctx), form, err);
}

void
issue_cancel(struct issue **issuep)
{
	struct issue *issue = mem_take(issuep);

	if (issue == NULL)
		return;
	fetch_cancel(&issue->fetch);
	issue_free(&issue);
}

/* Grants without a user */

/* Asks by an assertion that a third party made about the client or its user. */
static struct issue *
issue_assert(struct issue *issue, const char *assertion, struct err *err)
{
	auto_buffer struct buffer form = { 0 };

	query_add(&form, "grant_type", ISSUE_BEARER);
	query_add(&form, "assertion", assertion);
	query_add(&form, "scope", remote_option(issue->place.remote, "scopes"));
	issue = issue_ask(issue, &form, err);
	issue_wipe(&form);
	return issue;
}

/* The provider of identities has answered: with an ID-JAG, if it agrees. */
static void
issue_on_exchanged(void *ctx, const struct transfer_head *head,
    const struct buffer *body, const char *why)
{
	struct issue *issue = ctx;
	struct issue copy = *issue;
	auto_free char *shown = url_shown(
	    remote_option(issue->place.remote, "idpTokenEndpoint"));
	auto_free char *said = document_error(body);
	auto_free char *assertion = document_read_exchanged(body, ISSUE_ID_JAG);
	auto_free char *sentence = NULL;
	struct err err;

	issue->fetch = NULL;
	if (why != NULL)
		sentence = mem_strdup(why);
	else if (head->status != 200 || assertion == NULL)
		sentence = mem_printf("%s has not exchanged the idToken "
		    "(%ld): %s", shown, head->status,
		    said != NULL ? said : head->status == 200 ?
		    "its answer has no token of the type id-jag" :
		    "it does not say why");
	else if (issue_assert(mem_take(&issue), assertion, &err) == NULL)
		sentence = mem_strdup(err.text);
	if (assertion != NULL)
		explicit_bzero(assertion, strlen(assertion));
	if (sentence != NULL)
		copy.done(copy.ctx, why == NULL ? ISSUE_REFUSED : ISSUE_FAILED,
		    sentence);
	issue_free(&issue);
}

/*
 * Exchanges the identity of a person for an assertion that the authorization
 * server accepts (Identity Assertion JWT Authorization Grant).
 */
static struct issue *
issue_exchange(struct issue *issue, const char *identity, struct err *err)
{
	const struct remote *remote = issue->place.remote;
	const char *url = remote_option(remote, "idpTokenEndpoint");
	const char *id = remote_option(remote, "idpClientId");
	const char *secret = remote_option(remote, "idpClientSecret");
	const char *method = secret == NULL ? ISSUE_NONE : ISSUE_BASIC;
	const struct login client = { .client_id = (char *)(uintptr_t)id,
		.client_secret = (char *)(uintptr_t)secret,
		.method = (char *)(uintptr_t)method };
	auto_buffer struct buffer form = { 0 };

	query_add(&form, "grant_type", ISSUE_EXCHANGE);
	query_add(&form, "requested_token_type", ISSUE_ID_JAG);
	query_add(&form, "subject_token", identity);
	query_add(&form, "subject_token_type", ISSUE_ID_TOKEN);
	query_add(&form, "audience", issue->login->issuer);
	query_add(&form, "resource", issue->login->resource);
	query_add(&form, "scope", remote_option(remote, "scopes"));
	if (id == NULL || url == NULL || !url_is_safe(url, true))
		err_set(err, "its oauth: idToken also needs idpClientId, and "
		    "idpTokenEndpoint, which begins with https://");
	else
		issue->fetch = issue_send(&issue->place, url, NULL, &client,
		    &form, issue_on_exchanged, issue, err);
	if (issue->fetch == NULL)
		issue_free(&issue);
	return issue;
}

struct issue *
issue_start_own(const struct issue_place *place, struct login *login,
    issue_done *done, void *ctx, struct err *err)
{
	const char *grant = remote_option(place->remote, "grant");
	const char *assertion = remote_option(place->remote, "assertion");
	const char *identity = remote_option(place->remote, "idToken");
	int bearer = strcmp(grant, "jwt-bearer") == 0;
	/* The assertion of a workload says itself who the client is. */
	const char *lacks = bearer && assertion == NULL && identity == NULL ?
	    "assertion or idToken, or a file of one" :
	    login->client_id == NULL && (!bearer || assertion == NULL) ?
	    "clientId" : NULL;
	auto_buffer struct buffer form = { 0 };

	if (lacks != NULL) {
		err_set(err, "its oauth: the grant %s needs %s", grant, lacks);
		return NULL;
	}
	if (bearer && assertion != NULL)
		return issue_assert(
		    issue_new(place, login, done, ctx), assertion, err);
	if (bearer)
		return issue_exchange(
		    issue_new(place, login, done, ctx), identity, err);
	query_add(&form, "grant_type", grant);
	query_add(&form, "scope", remote_option(place->remote, "scopes"));
	return issue_start(place, login, &form, done, ctx, err);
}

struct fetch *
issue_revoke(const struct issue_place *place, const struct login *login,
    fetch_done *done, void *ctx, struct err *err)
{
	auto_buffer struct buffer form = { 0 };
	int refresh = login->refresh_token != NULL;

	if (login->revocation == NULL) {
		err_set(err, "its server has no endpoint for that");
		return NULL;
	}
	query_add(&form, "token",
	    refresh ? login->refresh_token : login->access_token);
	query_add(&form, "token_type_hint",
	    refresh ? "refresh_token" : "access_token");
	return issue_send(
	    place, login->revocation, NULL, login, &form, done, ctx, err);
}
