/*
 * The list of tools of one link: see listing.h. Runs in the broker.
 */
#include <stdlib.h>

#include "../../common/clock.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "archive.h"
#include "listing.h"
#include "reason.h"
#include "shelf.h"
#include "tools.h"

struct listing {
	struct broker *broker;
	const struct definition *definition;
	struct mcp_client *client;
	struct ask_list *asks;
	void (*settled)(void *ctx);
	void *ctx;
	struct tools *tools; /* while a fetch is under way */
	uint64_t page;       /* the number of the request for the next one */
	struct event *patience; /* how long it is waited for */
	int silent;             /* it did not answer the last time */
	uint64_t since;         /* when it was asked first without an answer */
	struct event *hurry;    /* how long it is waited for then */
	int fetched;            /* once, however that went */
	uint64_t not_before;    /* when it may be fetched again */
	struct event *pause;    /* set off then */
	struct event *renewal;  /* set off some time after a change */
	int changed;            /* since the fetch began */
	int fresh; /* what is on the shelf came from this link, and holds */
};

static void listing_on_impatience(evutil_socket_t fd, short what, void *arg);
static void listing_on_hurry(evutil_socket_t fd, short what, void *arg);
static void listing_on_pause(evutil_socket_t fd, short what, void *arg);
static void listing_on_renewal(evutil_socket_t fd, short what, void *arg);

struct listing *
listing_new(struct broker *broker, const struct definition *definition,
    struct mcp_client *client, struct ask_list *asks,
    void (*settled)(void *ctx), void *ctx)
{
	struct listing *listing = mem_alloc(sizeof(*listing));

	listing->broker = broker;
	listing->definition = definition;
	listing->client = client;
	listing->asks = asks;
	listing->settled = settled;
	listing->ctx = ctx;
	listing->patience =
	    evtimer_new(broker->base, listing_on_impatience, listing);
	listing->hurry = evtimer_new(broker->base, listing_on_hurry, listing);
	listing->renewal =
	    evtimer_new(broker->base, listing_on_renewal, listing);
	listing->pause = evtimer_new(broker->base, listing_on_pause, listing);
	return listing;
}

void
listing_free(struct listing **listingp)
{
	struct listing *listing = mem_take(listingp);

	if (listing == NULL)
		return;
	tools_free(&listing->tools);
	loop_event_free(&listing->patience);
	loop_event_free(&listing->hurry);
	loop_event_free(&listing->renewal);
	loop_event_free(&listing->pause);
	free(listing);
}

/* The first ask for the fetch that is under way, or NULL. */
static struct ask *
listing_next(struct listing *listing)
{
	struct ask *ask;

	TAILQ_FOREACH (ask, listing->asks, entry)
		if (ask->kind == ASK_TOOLS && !ask->late)
			return ask;
	return NULL;
}

/* Refuses all asks that wait for this fetch. */
static void
listing_refuse(struct listing *listing, const struct buffer *words,
    struct json_span error)
{
	struct ask *ask;

	while ((ask = listing_next(listing)) != NULL) {
		auto_buffer struct buffer reason = { 0 };

		definition_begin_reason(listing->definition, &reason);
		buffer_add(&reason, words->data, words->len);
		ask_refuse(&ask, &reason, error);
	}
}

static void listing_begin(struct listing *listing);

/* The fetch is over: asks that came too late for it get the next one. */
static void
listing_end(struct listing *listing)
{
	struct ask *ask;

	tools_free(&listing->tools);
	event_del(listing->patience);
	event_del(listing->hurry);
	TAILQ_FOREACH (ask, listing->asks, entry)
		ask->late = 0;
	if (listing_next(listing) != NULL)
		listing_begin(listing);
	else
		listing->settled(listing->ctx);
}

static void
listing_fail(struct listing *listing, const char *words)
{
	auto_buffer struct buffer text = { 0 };

	listing->silent = 0;
	buffer_printf(&text, ": %s", words);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
	listing_end(listing);
}

static void
listing_fail_with(struct listing *listing, struct json_span error)
{
	auto_buffer struct buffer text = { 0 };

	listing->silent = 0;
	buffer_add_text(&text, ": ");
	reason_add_error(&text, error);
	listing_refuse(listing, &text, error);
	listing_end(listing);
}

/* Refuses all asks that wait, as the server does not answer. */
static void
listing_refuse_silent(struct listing *listing)
{
	auto_buffer struct buffer text = { 0 };

	buffer_printf(&text, " did not answer tools/list within %d seconds",
	    SERVER_WAIT_MS / 1000);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
}

/* Of a server that was silent before, only the fetch goes on. */
static void
listing_on_hurry(evutil_socket_t fd, short what, void *arg)
{
	struct listing *listing = arg;
	auto_buffer struct buffer text = { 0 };

	(void)fd;
	(void)what;
	buffer_add_text(&text, " has not answered tools/list for ");
	reason_add_seconds(&text, (clock_ms() - listing->since) / 1000);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
	listing->settled(listing->ctx);
}

static void
listing_hurry(struct listing *listing)
{
	const struct timeval most = clock_timeval(LISTING_SILENT_MS);

	if (listing->silent && listing_next(listing) != NULL &&
	    !event_pending(listing->hurry, EV_TIMEOUT, NULL))
		event_add(listing->hurry, &most);
}

/* A page has not come: the next ask begins a new fetch. */
static void
listing_on_impatience(evutil_socket_t fd, short what, void *arg)
{
	struct listing *listing = arg;

	(void)fd;
	(void)what;
	mcp_client_time_out(listing->client, listing->page);
	listing->silent = 1;
	listing_refuse_silent(listing);
	listing_end(listing);
}

/* Changes may come in a row, and requests come first. */
static void
listing_renew(struct listing *listing)
{
	const struct timeval pause = clock_timeval(SERVER_RENEWAL_MS);

	if (!event_pending(listing->renewal, EV_TIMEOUT, NULL))
		event_add(listing->renewal, &pause);
}

/*
 * Keeps the fetched list. If the server reported a change meanwhile, the list
 * is in doubt; it stays, as code has been given its names and may use them.
 */
static void
listing_keep(struct listing *listing, const struct buffer *payload)
{
	const struct buffer *info = mcp_client_info(listing->client);
	struct shelf_list list = { payload->data, payload->len, info->data,
		info->len };
	int news = shelf_put(listing->broker->shelf,
	    listing->definition->fingerprint, &list);

	listing->fresh = !listing->changed;
	if (listing->changed)
		shelf_doubt(listing->broker->shelf,
		    listing->definition->fingerprint);
	else if (news)
		archive_retain(listing->broker->archive,
		    listing->definition->fingerprint);
}

/* All pages are there. */
static void
listing_finish(struct listing *listing)
{
	auto_buffer struct buffer payload = { 0 };
	struct ask *ask;
	struct err err;

	if (tools_finish(listing->tools, &payload, &err) == -1) {
		listing_fail(listing, err.text);
		return;
	}
	listing->silent = 0;
	if (tools_left_out(listing->tools) > 0)
		log_warn("server %s: %zu of its tools cannot be used: they "
		    "have no name, too long a one, or one that was there "
		    "before", listing->definition->name,
		    tools_left_out(listing->tools));
	/* First, as the program may end with the answer. */
	listing_keep(listing, &payload);
	while ((ask = listing_next(listing)) != NULL)
		ask_answer(&ask, payload.data, payload.len);
	if (listing->changed)
		listing_renew(listing);
	listing_end(listing);
}

static void listing_on_page(void *ctx, const struct mcp_answer *answer);

/* Asks for the next page; the first has no cursor. */
static void
listing_turn(struct listing *listing, struct json_span cursor)
{
	struct timeval most = clock_timeval(SERVER_WAIT_MS);
	auto_buffer struct buffer params = { 0 };

	if (!listing->silent)
		listing->since = clock_ms();
	if (cursor.len > 0) {
		buffer_add_text(&params, "{\"cursor\":");
		buffer_add(&params, cursor.p, cursor.len);
		buffer_add_text(&params, "}");
	}
	listing->page = mcp_client_ask(listing->client, "tools/list",
	    (struct json_span){ params.data, params.len }, listing_on_page,
	    listing);
	if (listing->page == 0)
		listing_fail(listing, "it does not read what it is sent");
	else
		event_add(listing->patience, &most);
}

static void
listing_on_page(void *ctx, const struct mcp_answer *answer)
{
	struct listing *listing = ctx;
	struct err err;
	int more;

	if (answer->outcome == MCP_BROKEN) {
		err_set(&err, "its answer to \"tools/list\" cannot be used: %s",
		    answer->why);
		listing_fail(listing, err.text);
		return;
	}
	if (answer->outcome == MCP_ERROR) {
		listing_fail_with(listing, answer->value);
		return;
	}
	more = tools_add_page(listing->tools, answer->value, &err);
	if (more == -1)
		listing_fail(listing, err.text);
	else if (more)
		listing_turn(listing, tools_cursor(listing->tools));
	else
		listing_finish(listing);
}

/* Whether it is too early to fetch it again: then it is waited for. */
static int
listing_must_pause(struct listing *listing)
{
	uint64_t now = clock_ms(), left;
	struct timeval after;

	if (now >= listing->not_before) {
		if (listing->fetched)
			listing->not_before = now + LISTING_PAUSE_MS;
		listing->fetched = 1;
		return 0;
	}
	left = listing->not_before - now;
	after = clock_timeval(left);
	if (!event_pending(listing->pause, EV_TIMEOUT, NULL))
		event_add(listing->pause, &after);
	return 1;
}

/* The asks may be gone; a list that has changed is renewed all the same. */
static void
listing_on_pause(evutil_socket_t fd, short what, void *arg)
{
	struct listing *listing = arg;

	(void)fd;
	(void)what;
	if (listing->tools == NULL &&
	    (!listing->fresh || listing_next(listing) != NULL))
		listing_begin(listing);
}

static void
listing_begin(struct listing *listing)
{
	if (listing_must_pause(listing))
		return;
	listing->tools = tools_new(&listing->definition->rules);
	listing->changed = 0;
	listing_hurry(listing);
	listing_turn(listing, (struct json_span){ NULL, 0 });
}

void
listing_greeted(struct listing *listing)
{
	const struct buffer *info = mcp_client_info(listing->client);

	if (shelf_check(listing->broker->shelf,
	        listing->definition->fingerprint, info->data, info->len))
		log_info("server %s is of another version than before: its "
		    "tools are listed anew", listing->definition->name);
}

void
listing_ask(struct listing *listing, struct ask *ask)
{
	struct shelf_list list;

	if (listing->fresh && shelf_find(listing->broker->shelf,
	        listing->definition->fingerprint, &list)) {
		ask_answer(&ask, list.data, list.len);
		return;
	}
	/* What was fetched before the change is not what it asks for. */
	ask->late = listing->tools != NULL && listing->changed;
	if (listing->tools == NULL)
		listing_begin(listing);
	else
		listing_hurry(listing);
}

void
listing_withdraw(struct listing *listing, const struct ask *ask)
{
	uint64_t most = LISTING_SILENT_MS;

	if (listing->tools != NULL && !ask->late &&
	    clock_ms() - listing->since >= most)
		listing->silent = 1;
}

/* No ask came since the change; a later search may need the list. */
static void
listing_on_renewal(evutil_socket_t fd, short what, void *arg)
{
	struct listing *listing = arg;

	(void)fd;
	(void)what;
	if (listing->tools != NULL || listing->fresh)
		return;
	if (clock_ms() < listing->not_before)
		listing_renew(listing);
	else
		listing_begin(listing);
}

void
listing_changed(struct listing *listing)
{
	listing->changed = 1;
	listing->fresh = 0;
	if (!shelf_doubt(listing->broker->shelf,
	        listing->definition->fingerprint))
		return;
	archive_retain(listing->broker->archive,
	    listing->definition->fingerprint);
	listing_renew(listing);
}
