/*
 * Finds who gives tokens for a server: the metadata of the server, as its
 * challenge or its address says, then that of the issuer it names. Runs in the
 * connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_DISCOVER_H
#define WORKER_CONNECTOR_OAUTH_DISCOVER_H

#include "../http/transfer.h"
#include "document.h"

struct discover;

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

#endif
