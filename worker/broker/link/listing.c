/* The list of tools of one link: see link.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/clock.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/mask.h"
#include "../tools/tools.h"
#include "link.h"
#include "../state/state.h"

struct listing {
	struct broker *broker;
	const struct definition *definition;
	struct mcp_client *client;
	const struct buffer *masks; /* of the server */
	struct ask_list *asks;
	void (*settled)(void *ctx);
	void *ctx;
	struct tools *tools; /* while a fetch is in progress */
	uint64_t page;       /* the number of the request for the next page */
	struct event *patience; /* its time limit */
	bool silent;             /* it did not answer the last time */
	uint64_t since;         /* when the first unanswered ask came */
	struct event *hurry;    /* its time limit */
	bool fetched;            /* once, with any outcome */
	uint64_t not_before;    /* when it may be fetched again */
	struct event *pause;    /* activated at that time */
	struct event *renewal;  /* activated some time after a change */
	bool changed;            /* since the fetch started */
	bool fresh; /* the list in the cache is valid and of this link */
};

static void listing_on_impatience(evutil_socket_t fd, short what, void *arg);
static void listing_on_hurry(evutil_socket_t fd, short what, void *arg);
static void listing_on_pause(evutil_socket_t fd, short what, void *arg);
static void listing_on_renewal(evutil_socket_t fd, short what, void *arg);

struct listing *
listing_new(struct broker *broker, const struct definition *definition,
    struct mcp_client *client, const struct buffer *masks,
    struct ask_list *asks, void (*settled)(void *ctx), void *ctx)
{
	struct listing *listing = mem_alloc(sizeof(*listing));

	listing->broker = broker;
	listing->definition = definition;
	listing->client = client;
	listing->masks = masks;
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

/* Returns the first ask of the fetch in progress, or NULL. */
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
		ask->late = false;
	if (listing_next(listing) != NULL)
		listing_begin(listing);
	else
		listing->settled(listing->ctx);
}

static void
listing_fail(struct listing *listing, const char *words)
{
	auto_buffer struct buffer text = { 0 };

	listing->silent = false;
	buffer_printf(&text, ": %s", words);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
	listing_end(listing);
}

/* Whether something in an error is masked, or it is too large to find out. */
static int
listing_hides(const struct listing *listing, struct json_span error)
{
	auto_free char *text = NULL;

	if (error.len > REFUSED_ERROR_MAX)
		return 1;
	text = mem_alloc(error.len);
	return mask_has(listing->masks, text, json_span_decode(error, text));
}

/*
 * An error in which something is masked is told without its object: its data
 * may have what its message has not, or has behind the cut.
 */
static void
listing_fail_with(struct listing *listing, struct json_span error)
{
	auto_buffer struct buffer text = { 0 };

	listing->silent = false;
	buffer_add_text(&text, ": ");
	reason_add_error(&text, error, listing->masks);
	if (listing_hides(listing, error))
		error.len = 0;
	listing_refuse(listing, &text, error);
	listing_end(listing);
}

/* If the server was silent before, only the fetch continues. */
static void
listing_on_hurry(evutil_socket_t, short, void *arg)
{
	struct listing *listing = arg;
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(&text, " has not answered tools/list for ");
	reason_add_seconds(&text, (clock_ms() - listing->since) / 1000);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
	listing->settled(listing->ctx);
}

static void
listing_hurry(struct listing *listing)
{
	if (listing->silent && listing_next(listing) != NULL &&
	    !event_pending(listing->hurry, EV_TIMEOUT, NULL))
		loop_set_timer(listing->hurry, LISTING_SILENT_MS);
}

/* A page has not arrived in time: the next ask starts a new fetch. */
static void
listing_on_impatience(evutil_socket_t, short, void *arg)
{
	struct listing *listing = arg;
	auto_buffer struct buffer text = { 0 };

	mcp_client_time_out(listing->client, listing->page);
	listing->silent = true;
	buffer_printf(&text, " did not answer tools/list within %d seconds",
	    SERVER_WAIT_MS / 1000);
	listing_refuse(listing, &text, (struct json_span){ NULL, 0 });
	listing_end(listing);
}

/* Changes may come in series, and requests take precedence. */
static void
listing_renew(struct listing *listing)
{
	if (!event_pending(listing->renewal, EV_TIMEOUT, NULL))
		loop_set_timer(listing->renewal, SERVER_RENEWAL_MS);
}

/*
 * Stores the fetched list. If the server reported a change meanwhile, the list
 * is in doubt; it is still kept, because code has received its names and may
 * use them.
 */
static void
listing_keep(struct listing *listing, const struct buffer *payload)
{
	const struct buffer *info = &mcp_client_said(listing->client)->info;
	struct cached_list list = { payload->data, payload->len, info->data,
		info->len, NULL, 0 };
	int news = list_cache_put(listing->broker->list_cache,
	    listing->definition->fingerprint, &list);

	listing->fresh = !listing->changed;
	if (listing->changed)
		list_cache_doubt(listing->broker->list_cache,
		    listing->definition->fingerprint);
	else if (news)
		list_store_retain(listing->broker->list_store,
		    listing->definition->fingerprint);
}

/* Warns once of each kind of fault of a list that is used nevertheless. */
static void
listing_warn(const struct listing *listing)
{
	const struct tools *tools = listing->tools;
	const char *name = listing->definition->name;

	if (tools->pages.is_cut)
		log_warn("server %s: its list of tools is cut: %s; the %zu "
		    "tools that came are kept", name, tools->pages.cut.text,
		    tools->count);
	if (tools->wrong.len > 0)
		log_warn("server %s: tools that cannot be used: %s", name,
		    tools->wrong.data);
	if (tools->left_out > 0)
		log_warn("server %s: %zu of its tools cannot be used: their "
		    "names are missing, too long or duplicate", name,
		    tools->left_out);
}

/* Adds what the server says of itself, if there is room. */
static void
listing_add_said(const struct listing *listing, struct buffer *payload)
{
	const struct mcp_said *said = mcp_client_said(listing->client);
	const struct buffer *text = &said->instructions;
	unsigned int n;
	const char *between = ",\"capabilities\":[";

	if (payload->len + CLIENT_LINE_FACTOR * SERVER_INSTRUCTIONS_MAX + KIB >
	    RESULT_MAX)
		return;
	payload->len--;
	for (n = MCP_TOOLS + 1; n <= MCP_COMPLETIONS; n++)
		if (said->has >> n & 1) {
			buffer_printf(payload, "%s\"%s\"", between,
			    mcp_client_capability(n));
			between = ",";
		}
	if (between[1] == '\0')
		buffer_add_text(payload, "]");
	if (text->len > 0) {
		buffer_add_text(payload, ",\"instructions\":");
		json_add_string(payload, text->data, text->len);
	}
	buffer_add_text(payload, "}");
}

/* All pages have arrived. */
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
	listing_add_said(listing, &payload);
	listing->silent = false;
	listing_warn(listing);
	/* First, because the answer may end the program. */
	listing_keep(listing, &payload);
	while ((ask = listing_next(listing)) != NULL)
		ask_answer(&ask, payload.data, payload.len);
	if (listing->changed)
		listing_renew(listing);
	listing_end(listing);
}

static void listing_on_page(void *ctx, const struct mcp_answer *answer);

/* Requests the next page; the first request has no cursor. */
static void
listing_turn(struct listing *listing, struct json_span cursor)
{
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
		listing_fail(listing, "it does not read its standard input");
	else
		loop_set_timer(listing->patience, SERVER_WAIT_MS);
}

/* Whether an error says that there is no such method. */
static int
listing_is_unknown(struct json_span error)
{
	struct json_span code;

	return json_span_get(error, "code", &code) == 1 && code.len == 6 &&
	    memcmp(code.p, "-32601", 6) == 0;
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
		/* It has said before that it has none. */
		if (listing->tools->pages.count == 0 &&
		    !mcp_client_has(listing->client, MCP_TOOLS) &&
		    listing_is_unknown(answer->value))
			listing_finish(listing);
		else
			listing_fail_with(listing, answer->value);
		return;
	}
	more = tools_add_page(listing->tools, answer->value, &err);
	if (more == -1)
		listing_fail(listing, err.text);
	else if (more)
		listing_turn(listing, pages_cursor(&listing->tools->pages));
	else
		listing_finish(listing);
}

/* Whether it is too early to fetch it again; if so, the ask waits. */
static int
listing_must_pause(struct listing *listing)
{
	uint64_t now = clock_ms(), left;

	if (now >= listing->not_before) {
		if (listing->fetched)
			listing->not_before = now + LISTING_PAUSE_MS;
		listing->fetched = true;
		return 0;
	}
	left = listing->not_before - now;
	if (!event_pending(listing->pause, EV_TIMEOUT, NULL))
		loop_set_timer(listing->pause, left);
	return 1;
}

/* The asks may be gone; a changed list is fetched nevertheless. */
static void
listing_on_pause(evutil_socket_t, short, void *arg)
{
	struct listing *listing = arg;

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
	listing->changed = false;
	listing_hurry(listing);
	listing_turn(listing, (struct json_span){ NULL, 0 });
}

void
listing_greeted(struct listing *listing)
{
	const struct buffer *info = &mcp_client_said(listing->client)->info;

	if (list_cache_check(listing->broker->list_cache,
	        listing->definition->fingerprint, info->data, info->len))
		log_info("server %s has changed its version: its tools are "
		    "listed again", listing->definition->name);
}

void
listing_ask(struct listing *listing, struct ask *ask)
{
	struct cached_list list;

	if (listing->fresh && list_cache_find(listing->broker->list_cache,
	        listing->definition->fingerprint, &list)) {
		ask_answer(&ask, list.data, list.len);
		return;
	}
	/* A list fetched before the change is not sufficient for this ask. */
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
		listing->silent = true;
}

/* No ask came since the change; a later search may need the list. */
static void
listing_on_renewal(evutil_socket_t, short, void *arg)
{
	struct listing *listing = arg;

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
	listing->changed = true;
	listing->fresh = false;
	if (!list_cache_doubt(listing->broker->list_cache,
	        listing->definition->fingerprint))
		return;
	list_store_retain(listing->broker->list_store,
	    listing->definition->fingerprint);
	listing_renew(listing);
}

int
listing_is_fresh(const struct listing *listing)
{
	return listing->fresh;
}
