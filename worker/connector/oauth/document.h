/*
 * What a server and its authorization server say of logins, decoded: the
 * challenge (RFC 6750), metadata (RFC 9728, RFC 8414), registrations (RFC 7591)
 * and tokens (RFC 6749). Runs in the connector; pure.
 */
#ifndef WORKER_CONNECTOR_OAUTH_DOCUMENT_H
#define WORKER_CONNECTOR_OAUTH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

/* Texts of a challenge; NULL if absent. */
struct challenge {
	char *error;
	char *metadata; /* resource_metadata: a URL */
	char *scope;
};

/* Reads a header WWW-Authenticate of the scheme Bearer. */
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
 * it is that of another issuer, or a URL is unsafe; local as in url_is_safe.
 */
int document_read_server(const struct buffer *text, bool local,
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
	uint64_t until; /* of access_token, in seconds; 0: unknown */
};

void login_reset(struct login *login);

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
 * Returns what a refusal says, "invalid_grant: …", in words that can be shown;
 * NULL if it says nothing. The caller frees it.
 */
char *document_error(const struct buffer *text);

/*
 * Returns a sentence, which may hold foreign bytes, as UTF-8 of a bounded
 * length; the caller frees it.
 */
char *document_shown(const char *sentence);

#endif
