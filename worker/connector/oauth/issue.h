/*
 * Requests to a token endpoint: who the client is, a grant, and the tokens that
 * come. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_ISSUE_H
#define WORKER_CONNECTOR_OAUTH_ISSUE_H

#include "document.h"
#include "fetch.h"

struct issue;

enum issue_outcome {
	ISSUE_GIVEN,
	ISSUE_REFUSED, /* by the server: it will be again */
	ISSUE_FAILED,
};

/* The end; why is a sentence, but for GIVEN. */
typedef void issue_done(
    void *ctx, enum issue_outcome outcome, const char *why);

/*
 * Asks for tokens by this form ("&grant_type=…"), which is copied, and puts
 * them into login, whose client asks. done is called from the loop; then the
 * issue is freed.
 */
struct issue *issue_start(struct event_base *base, struct transfers *transfers,
    struct login *login, const struct buffer *form, issue_done *done,
    void *ctx);

/* Gives it up, without calling done. NULL is accepted. */
void issue_cancel(struct issue **issue);

/*
 * Takes what a login needs of its authority, and the client of the entry, if
 * that has one.
 */
void issue_prepare(struct login *login, const struct remote *remote,
    const struct authority *authority);

/* Returns whether the client asks for itself: the grant client_credentials. */
int issue_needs_nobody(const struct remote *remote);

/* Asks for such tokens. */
struct issue *issue_start_own(struct event_base *base,
    struct transfers *transfers, const struct remote *remote,
    struct login *login, issue_done *done, void *ctx);

/* Asks that the tokens are revoked; NULL: there is no place to ask. */
struct fetch *issue_revoke(struct event_base *base,
    struct transfers *transfers, const struct login *login, fetch_done *done,
    void *ctx);

#endif
