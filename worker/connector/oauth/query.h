/*
 * Forms, addresses and proofs of logins. Runs in the connector; pure, but for
 * the random numbers.
 */
#ifndef WORKER_CONNECTOR_OAUTH_QUERY_H
#define WORKER_CONNECTOR_OAUTH_QUERY_H

#include "../../../common/base/buffer.h"

/* Appends "&NAME=VALUE" of a form, escaped; nothing if value is NULL. */
void query_add(struct buffer *form, const char *name, const char *value);

/*
 * Returns the value of a name in the query of a URL, or in a query, which the
 * caller frees; NULL if it has none.
 */
char *query_get(const char *url, const char *name);

/* Appends 32 random bytes, as base64 for URLs. */
void query_add_random(struct buffer *text);

/* Appends the challenge of PKCE for a verifier: S256. */
void query_add_challenge(struct buffer *text, const char *verifier);

/* Appends "Authorization: Basic …" for a client. */
void query_add_basic(
    struct buffer *header, const char *id, const char *secret);

/*
 * Returns scopes that have both those of one and of other, each of which may be
 * NULL; the caller frees it. NULL if there is none.
 */
char *query_join_scopes(const char *one, const char *other);

#endif
