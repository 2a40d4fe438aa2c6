/*
 * The list of tools of one link: fetched page by page when it is first asked
 * for, and valid until the server reports a change; fetched again when it is
 * asked for then, but not more often than each LISTING_PAUSE_MS. All asks that
 * come meanwhile share one fetch; a page that does not come within
 * SERVER_WAIT_MS ends it for them all. The list lies on the shelf (shelf.h),
 * where it outlives the link; without an ask, a changed list is fetched again
 * after SERVER_RENEWAL_MS. Runs in the broker.
 */
#ifndef WORKER_BROKER_LISTING_H
#define WORKER_BROKER_LISTING_H

#include "ask.h"
#include "definition.h"
#include "mcp_client.h"

struct listing;

/*
 * asks: the list of the link, in which those for the list of tools are
 * answered. settled is called, with ctx, after some were. listing_free before
 * the client is freed, or after it was closed.
 */
struct listing *listing_new(struct broker *broker,
    const struct definition *definition, struct mcp_client *client,
    struct ask_list *asks, void (*settled)(void *ctx), void *ctx);
void listing_free(struct listing **listing);

/* The server was greeted: one that is another than before is asked anew. */
void listing_greeted(struct listing *listing);

/* Takes an ask that is in asks. */
void listing_ask(struct listing *listing, struct ask *ask);

/*
 * An ask that listing_ask has taken is given up: if it has waited for
 * LISTING_SILENT_MS, the next asks wait no longer than that, until the server
 * has answered.
 */
void listing_withdraw(struct listing *listing, const struct ask *ask);

/* The server says that its list has changed. */
void listing_changed(struct listing *listing);

#endif
