/*
 * Logins at a remote server (OAuth 2.1, as MCP has it). Runs in the connector;
 * document.c, query.c and jwt.c are pure, but for random numbers and the clock.
 */
#ifndef WORKER_CONNECTOR_OAUTH_H
#define WORKER_CONNECTOR_OAUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../http/http.h"

struct callback;
struct discover;
struct enter;
struct event_base;
struct fetch;
struct issue;
struct renew;

/*
 * document.c: what a server and its authorization server say of logins,
 * decoded: the challenge (RFC 6750, RFC 9449), metadata (RFC 9728, RFC 8414),
 * registrations (RFC 7591) and tokens (RFC 6749).
 */

/* Texts of a challenge; NULL if absent. */
struct challenge {
	char *error;
	char *metadata; /* resource_metadata: a URL */
	char *scope;
	bool bound; /* it is of DPoP: the token must be bound to a key */
};

/* Reads a header WWW-Authenticate of the scheme Bearer or DPoP. */
void challenge_read(const char *header, struct challenge *challenge);
void challenge_reset(struct challenge *challenge);

/* Who gives tokens for a server, and how. Texts are NULL if absent. */
struct authority {
	char *resource;
	char *issuer;
	char *authorization;
	char *token;
	char *registration;
	char *revocation;
	char *scope;   /* that the server has, by spaces */
	bool offline;  /* it has the scope offline_access */
	bool iss;      /* it names itself in each answer */
	bool basic, post, none; /* how clients prove who they are */
	int bound; /* the server wants tokens bound to a key: DPoP */
};

void authority_reset(struct authority *authority);

/*
 * Reads the metadata of a protected resource that url names, and its first
 * issuer. Returns 0, or -1 with err: also if it is that of another resource.
 */
int document_read_resource(const struct buffer *text, const char *url,
    struct authority *authority, struct err *err);

/*
 * Reads the metadata of authority->issuer. Returns 0, or -1 with err: also if
 * it is that of another issuer, a URL is unsafe (local as in url_is_safe), or
 * it lacks what the login of a user needs, if user is set.
 */
int document_read_server(const struct buffer *text, bool local, bool user,
    struct authority *authority, struct err *err);

/* A login, as it is kept. Texts are NULL if absent. */
struct login {
	char *url;      /* of the server that it is for */
	char *resource;
	char *issuer;
	char *token;    /* the endpoint */
	char *revocation;
	char *client_id;
	char *client_secret;
	char *method;   /* how the client proves who it is */
	char *scope;
	char *access_token;
	char *refresh_token;
	char *token_type;
	char *key;      /* that the tokens are bound to, by jwt_new_key() */
	uint64_t until; /* of access_token, in seconds; 0: unknown */
};

void login_reset(struct login *login);

/* Returns whether requests with its token need a proof of its key. */
bool login_is_bound(const struct login *login);

/* A kept login: the seconds it lasts of its own, then JSON. */
void login_write_text(const struct login *login, struct buffer *text);
int login_read_text(
    const struct buffer *text, struct login *login, struct err *err);

/*
 * Reads a registration, or tokens: what is not in it stays as it is. now is in
 * seconds. Return 0, or -1 with err.
 */
int document_read_client(
    const struct buffer *text, struct login *login, struct err *err);
int document_read_tokens(const struct buffer *text, uint64_t now,
    struct login *login, struct err *err);

/*
 * Returns the token of an exchange (RFC 8693) if it is of this type, else NULL;
 * the caller frees it.
 */
char *document_read_exchanged(const struct buffer *text, const char *type);

/*
 * Returns what a refusal says, "invalid_grant: …", in words that can be shown;
 * NULL if it says nothing. The caller frees it.
 */
char *document_error(const struct buffer *text);

/*
 * Returns a sentence, which may hold foreign bytes, as UTF-8 of a bounded
 * length; the caller frees it.
 */
char *document_shown(const char *sentence);

/* query.c: forms, addresses and proofs of logins. */

/* Appends "&NAME=VALUE" of a form, escaped; nothing if value is NULL. */
void query_add(struct buffer *form, const char *name, const char *value);

/*
 * Returns the value of a name in the query of a URL, or in a query, which the
 * caller frees; NULL if it has none.
 */
char *query_get(const char *url, const char *name);

/* Appends bytes as base64 for URLs, without padding (RFC 4648, 5). */
void query_add_bytes(struct buffer *text, const void *data, size_t len);

/* Appends 32 random bytes, as base64 for URLs. */
void query_add_random(struct buffer *text);

/* Appends the challenge of PKCE for a verifier: S256. */
void query_add_challenge(struct buffer *text, const char *verifier);

/* Appends "Authorization: Basic …" for a client. */
void query_add_basic(struct buffer *header, const char *id, const char *secret);

/*
 * Returns scopes that have both those of one and of other, each of which may be
 * NULL; the caller frees it. NULL if there is none.
 */
char *query_join_scopes(const char *one, const char *other);

/* jwt.c: signed tokens (RFC 7515), by libcrypto: ES256 and RS256. */

/* A client, and the private key by which it proves who it is. */
struct jwt_client {
	const char *id;
	const char *key; /* PEM */
	const char *kid; /* the name of the key; NULL: none */
};

/*
 * Appends the proof of a client for this audience (RFC 7523, 2.2). Returns 0,
 * or -1 with err.
 */
int jwt_add_assertion(struct buffer *text, const struct jwt_client *client,
    const char *audience, struct err *err);

/* Returns a new key for proofs, as base64, which the caller frees. */
char *jwt_new_key(void);

/* A request that proves that its sender has a key (RFC 9449, 4.2). */
struct jwt_request {
	const char *method;
	const char *url;
	const char *nonce; /* that the server has asked for; NULL: none */
	const char *token; /* that is bound to the key; NULL: it asks for one */
};

/* Returns the header "DPoP: …" for it, which the caller frees, or NULL. */
char *jwt_proof(const char *key, const struct jwt_request *request);

/*
 * fetch.c: a request for a document of logins, of a bounded size, within a
 * bounded time. No header of the entry goes with it, and no redirect is
 * followed.
 */

struct fetch_wanted {
	const char *url;
	const struct buffer *headers; /* more: lines, each + NUL; NULL: none */
	const char *type;   /* of body */
	const char *body;   /* copied; NULL: GET */
};

/*
 * The end: why is NULL if there is an answer, else a sentence. All is borrowed;
 * the fetch is freed afterwards.
 */
typedef void fetch_done(void *ctx, const struct transfer_head *head,
    const struct buffer *body, const char *why);

struct fetch *fetch_start(struct event_base *base, struct transfers *transfers,
    const struct fetch_wanted *wanted, fetch_done *done, void *ctx);

/* Gives it up, without calling done. NULL is accepted. */
void fetch_cancel(struct fetch **fetch);

#define FETCH_FORM "application/x-www-form-urlencoded"
#define FETCH_JSON "application/json"

/*
 * store.c: the directory of a login: the file of its tokens, replaced as a
 * whole, and what the server last asked for. Two Caissons may use it.
 */

/*
 * Reads the login for the server with this URL. Returns 1, or 0 if there is
 * none; what was there is freed. dir may be -1.
 */
int store_read(int dir, const char *url, struct login *login);

/* Replaces it, and waits until the disk has it. Returns 0, or -1 with err. */
int store_write(int dir, const struct login *login, struct err *err);

/* Removes all that is kept. */
void store_remove(int dir);

/*
 * Locks the directory against other connectors; does not wait. Returns whether
 * it is locked. The lock ends with the process.
 */
int store_lock(int dir);
void store_unlock(int dir);

/* The last challenge of the server: a header. Returns it, or NULL. */
char *store_read_challenge(int dir);
void store_write_challenge(int dir, const char *header);

/*
 * How the server with this URL was last spoken to: a word; NULL if that is not
 * known, or was found more than CONNECTOR_MANNER_S ago.
 */
char *store_read_manner(int dir, const char *url);
void store_write_manner(int dir, const char *url, const char *manner);

/*
 * issue.c: requests to a token endpoint: who the client is, a grant, and the
 * tokens that come.
 */

enum issue_outcome {
	ISSUE_GIVEN,
	ISSUE_REFUSED, /* by the server: it will be again */
	ISSUE_FAILED,
};

/* The end; why is a sentence, but for GIVEN. */
typedef void issue_done(void *ctx, enum issue_outcome outcome, const char *why);

/* Where requests are made, and for which entry; all must outlive them. */
struct issue_place {
	struct event_base *base;
	struct transfers *transfers;
	const struct remote *remote;
};

/*
 * Asks for tokens by this form ("&grant_type=…"), which is copied, and puts
 * them into login, whose client asks. done is called from the loop; then the
 * issue is freed. Returns NULL with err if the entry cannot be used.
 */
struct issue *issue_start(const struct issue_place *place, struct login *login,
    const struct buffer *form, issue_done *done, void *ctx, struct err *err);

/* Gives it up, without calling done. NULL is accepted. */
void issue_cancel(struct issue **issue);

/*
 * Takes what a login needs of its authority, and the client of the entry, if
 * that has one.
 */
void issue_prepare(struct login *login, const struct remote *remote,
    const struct authority *authority);

/*
 * Returns whether no person logs in: the grant is client_credentials or
 * jwt-bearer.
 */
int issue_without_user(const struct remote *remote);

/*
 * Asks for tokens of such a grant, as issue_start() does. Another one is added
 * here, to server_check_header() and, with its texts, to entry_read_oauth().
 */
struct issue *issue_start_own(const struct issue_place *place,
    struct login *login, issue_done *done, void *ctx, struct err *err);

/* Asks that the tokens are revoked; NULL: it cannot be asked, and err why. */
struct fetch *issue_revoke(const struct issue_place *place,
    const struct login *login, fetch_done *done, void *ctx, struct err *err);

/*
 * discover.c: finds who gives tokens for a server: the metadata of the server,
 * as its challenge or its address says, then that of the issuer it names.
 */

/* The end: why is NULL, or a sentence. */
typedef void discover_done(void *ctx, const char *why);

/*
 * Fills authority, and calls done from the loop; then it is freed. challenge is
 * borrowed until this returns.
 */
struct discover *discover_start(struct event_base *base,
    struct transfers *transfers, const struct remote *remote,
    const struct challenge *challenge, struct authority *authority,
    discover_done *done, void *ctx);

/* Gives it up, without calling done. NULL is accepted. */
void discover_cancel(struct discover **discover);

/*
 * callback.c: where a browser comes back to after a login: one page of HTTP at
 * a socket of this machine.
 */

#define CALLBACK_PATH "/callback"

/*
 * Accepts at a listening socket, which it takes. came is called from the loop
 * with what was asked for, "/callback?code=…"; it may free the callback.
 */
struct callback *callback_new(struct event_base *base, int *listener,
    void (*came)(void *ctx, const char *target), void *ctx);
void callback_free(struct callback **callback);

/* Returns the address of that page, which the caller frees. */
char *callback_url(int listener);

/*
 * renew.c: the token that requests carry: read from the directory of the login,
 * and renewed when the server refuses it, by one connector of all that share
 * the directory.
 */

/* Who waits for another token; it is of one who has sent a request. */
struct renew_wait {
	LIST_ENTRY(renew_wait) entry;
	/* why NULL: send it again. Else the end of a sentence about it. */
	void (*done)(void *ctx, const char *why);
	void *ctx;
};

/* Reads the token of the login, if there is one; all must outlive it. */
struct renew *renew_new(struct event_base *base, struct transfers *transfers,
    const struct remote *remote);
void renew_free(struct renew **renew);

/* Returns the number of the token that requests carry now. */
unsigned int renew_number(const struct renew *renew);

/*
 * The server has refused a request that carried this token, by status 401 or
 * 403. Returns 1 if there is another one by now, 0 to be told by wait, or -1 if
 * a login is no question: the entry has credentials itself, or no token is
 * asked for.
 */
int renew_start(struct renew *renew, unsigned int number,
    const struct transfer_head *head, struct renew_wait *wait);
void renew_cancel(struct renew_wait *wait);

/*
 * Returns whether no token is given for what the entry has: its files may have
 * changed, which are read when another connector starts.
 */
bool renew_is_refused(const struct renew *renew);

/* Returns the command that logs in. */
const char *renew_command(const struct renew *renew);

/*
 * enter.c: logging in: who gives tokens is found, the client is registered, a
 * person agrees in a browser, and the tokens are kept (OAuth 2.1, as MCP has
 * it). Also logging out.
 */

struct enter_ends {
	/* A person has to open this address. */
	void (*visit)(void *ctx, const char *url);
	/* The end: why is NULL, or a sentence. Must not free it. */
	void (*over)(void *ctx, const struct login *login, const char *why);
	void *ctx;
};

/*
 * Logs in; the browser comes back to listener, which it takes, or enter_paste
 * is told where to it wanted to. With listener -1 it logs out.
 */
struct enter *enter_new(struct event_base *base, const struct remote *remote,
    int *listener, const struct enter_ends *ends);
void enter_free(struct enter **enter);

/* The address that the browser was sent to, or its query. */
void enter_paste(struct enter *enter, const char *text);

#endif
