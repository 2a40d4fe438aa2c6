/*
 * The list of tools of one link: fetched page by page when it is first
 * requested, and valid until the server reports a change. It is then fetched
 * again on request, at most once in LISTING_PAUSE_MS. All asks in the meantime
 * share one fetch; a page that takes longer than SERVER_WAIT_MS ends it for all
 * of them. The list is put in the cache (list_cache.h), where it outlives the
 * link. Without an ask, a changed list is fetched again after
 * SERVER_RENEWAL_MS. Runs in the broker.
 */
#ifndef WORKER_BROKER_LISTING_H
#define WORKER_BROKER_LISTING_H

#include "../state/ask.h"
#include "../state/definition.h"
#include "mcp_client.h"

struct listing;

/*
 * masks: what is not shown of the server, in the format of mask.h. asks: the
 * list of the link that contains the asks for the list of tools. Both are its.
 * settled is called, with ctx, after some of them were answered. listing_free
 * must be called before the client is freed, or after it was closed.
 */
struct listing *listing_new(struct broker *broker,
    const struct definition *definition, struct mcp_client *client,
    const struct buffer *masks, struct ask_list *asks,
    void (*settled)(void *ctx), void *ctx);
void listing_free(struct listing **listing);

/*
 * The server has answered "initialize": if it has changed, its tools are
 * fetched again.
 */
void listing_greeted(struct listing *listing);

/* Takes an ask that is in asks. */
void listing_ask(struct listing *listing, struct ask *ask);

/*
 * An ask that listing_ask has taken is given up. If it has waited for
 * LISTING_SILENT_MS, the next asks wait no longer than that, until the server
 * has answered.
 */
void listing_withdraw(struct listing *listing, const struct ask *ask);

/* Whether it was fetched and has not changed since. */
int listing_is_fresh(const struct listing *listing);

/* The server reports that its list has changed. */
void listing_changed(struct listing *listing);

#endif
