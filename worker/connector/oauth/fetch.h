/*
 * A request for a document of logins, of a bounded size, within a bounded time.
 * No header of the entry goes with it, and no redirect is followed. Runs in the
 * connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_FETCH_H
#define WORKER_CONNECTOR_OAUTH_FETCH_H

#include "../http/transfer.h"

struct event_base;
struct fetch;

struct fetch_wanted {
	const char *url;
	const char *header; /* one more; NULL: none */
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

#endif
