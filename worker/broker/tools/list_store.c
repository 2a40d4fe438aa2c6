/* The broker's connection to the store: see tools.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/json/json_span.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "tools.h"
#include "../state/state.h"

struct list_store {
	struct broker *broker;
	void (*recalled)(struct broker *broker, const uint8_t *fingerprint);
	struct channel *channel; /* NULL if there is none (yet) */
	bool wanted;              /* it was requested from the supervisor */
	uint64_t not_before;     /* when it may be requested again */
	/*
	 * Fingerprints to look up, or to store, when the channel is available.
	 */
	struct buffer recalls;
	struct buffer retains;
	size_t unanswered;
	struct event *patience;
	bool deaf; /* sending failed: waiting ends now */
};

static void list_store_on_impatience(evutil_socket_t fd, short what, void *arg);

struct list_store *
list_store_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint))
{
	struct list_store *store = mem_alloc(sizeof(*store));

	store->broker = broker;
	store->recalled = recalled;
	store->patience =
	    evtimer_new(broker->base, list_store_on_impatience, store);
	return store;
}

void
list_store_free(struct list_store **storep)
{
	struct list_store *store = mem_take(storep);

	if (store == NULL)
		return;
	channel_free(&store->channel);
	loop_event_free(&store->patience);
	buffer_reset(&store->recalls);
	buffer_reset(&store->retains);
	free(store);
}

/*
 * Requests that wait for the store continue without it; it is not used for a
 * while.
 */
static void
list_store_lose(struct list_store *store)
{
	channel_free(&store->channel);
	store->wanted = false;
	store->unanswered = 0;
	store->deaf = false;
	store->not_before = clock_ms() + TOOL_LISTS_PAUSE_MS;
	buffer_reset(&store->recalls);
	buffer_reset(&store->retains);
	event_del(store->patience);
	store->recalled(store->broker, NULL);
}

static void
list_store_on_closed(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_warn("%s the store: %s", channel_blame(why), why->text);
	else
		log_info("lists of tools are not stored: the store is "
		    "unavailable");
	list_store_lose(ctx);
}

static void
list_store_on_impatience(evutil_socket_t, short, void *arg)
{
	struct list_store *store = arg;

	if (!store->deaf)
		log_warn("the store did not return a list of tools within %d "
		    "ms: servers are queried instead", TOOL_LISTS_WAIT_MS);
	list_store_lose(store);
}

/* From the loop: the caller is in the middle of an operation. */
static void
list_store_fail(struct list_store *store, const struct err *err)
{
	static const struct timeval now;

	/* It has ended, which is not an error. */
	if (err->code == EPIPE || err->code == ECONNRESET)
		log_info("lists of tools are not stored: the store is "
		    "unavailable");
	else
		log_warn("cannot send to the store: %s", err->text);
	store->deaf = true;
	event_add(store->patience, &now);
}

static void
list_store_wait(struct list_store *store)
{
	loop_set_timer(store->patience, TOOL_LISTS_WAIT_MS);
}

/* Makes sure that there is a store, or will be. Returns whether that is so. */
static int
list_store_ensure(struct list_store *store)
{
	if (store->channel != NULL || store->wanted)
		return !store->deaf;
	if (clock_ms() < store->not_before)
		return 0;
	store->wanted = true;
	to_supervisor_want_lists(store->broker);
	list_store_wait(store);
	return 1;
}

static void
list_store_send_recall(struct list_store *store, const uint8_t *fingerprint)
{
	struct ipc_recall recall = { .fingerprint = { fingerprint,
		FINGERPRINT_SIZE } };
	struct err err;

	store->unanswered++;
	list_store_wait(store);
	if (channel_send_recall(store->channel, &recall, &err) == -1)
		list_store_fail(store, &err);
}

/*
 * Stores the list in the cache now; removes the stored one if there is none in
 * it, or it is in doubt or too large.
 */
static void
list_store_send_retain(struct list_store *store, const uint8_t *fingerprint)
{
	struct ipc_retain retain = { .fingerprint = { fingerprint,
		FINGERPRINT_SIZE } };
	struct cached_list list = { 0 };
	struct err err;

	/* One that is too large removes the older one. */
	if (list_cache_find(store->broker->list_cache, fingerprint, &list) &&
	    list.len > TOOL_LIST_MAX)
		list = (struct cached_list){ 0 };
	retain.info =
	    (struct ipc_bytes){ (const uint8_t *)list.info, list.info_len };
	retain.list = (struct ipc_blob){ (const uint8_t *)list.data, list.len,
		-1 };
	if (channel_send_retain(store->channel, &retain, &err) == -1)
		list_store_fail(store, &err);
}

static void
list_store_send_all(struct list_store *store, struct buffer *fingerprints,
    void (*send)(struct list_store *store, const uint8_t *fingerprint))
{
	size_t at;

	for (at = 0; at < fingerprints->len; at += FINGERPRINT_SIZE)
		send(store, (const uint8_t *)fingerprints->data + at);
	buffer_reset(fingerprints);
}

void
list_store_open(struct list_store *store, struct ipc_lists *lists)
{
	struct channel_ends ends = { ROLE_BROKER, ROLE_STORE,
		store->broker->routes, list_store_on_closed, store };

	if (lists->store == -1) {
		/* The supervisor has logged the cause. */
		log_info("lists of tools are not stored: the store is "
		    "unavailable");
		list_store_lose(store);
		return;
	}
	/* It may arrive when no request waits for it; it is then used later. */
	channel_free(&store->channel);
	store->wanted = true;
	store->channel = channel_new(store->broker->base, &lists->store, &ends);
	event_del(store->patience);
	list_store_send_all(store, &store->recalls, list_store_send_recall);
	list_store_send_all(store, &store->retains, list_store_send_retain);
}

int
list_store_recall(struct list_store *store, const uint8_t *fingerprint)
{
	if (!list_store_ensure(store))
		return 0;
	if (store->channel == NULL)
		buffer_add(&store->recalls, fingerprint, FINGERPRINT_SIZE);
	else
		list_store_send_recall(store, fingerprint);
	return 1;
}

void
list_store_retain(struct list_store *store, const uint8_t *fingerprint)
{
	if (!list_store_ensure(store))
		return;
	if (store->channel == NULL)
		buffer_add(&store->retains, fingerprint, FINGERPRINT_SIZE);
	else
		list_store_send_retain(store, fingerprint);
}

/*
 * Whether bytes have the form of a stored list, because they are passed on
 * unchanged. Other programs may have changed the file.
 */
static int
list_store_is_list(const char *data, size_t len)
{
	struct json_span value, part;

	return json_span_parse(data, len, &value, NULL) == 0 &&
	    memchr(data, '\n', len) == NULL &&
	    memchr(data, '\r', len) == NULL &&
	    json_span_get(value, "tools", &part) == 1 &&
	    json_span_kind(part) == JSON_SPAN_ARRAY &&
	    json_span_get(value, "aliases", &part) == 1 &&
	    json_span_kind(part) == JSON_SPAN_ARRAY;
}

void
list_store_recalled(struct list_store *store, struct ipc_recalled *recalled)
{
	struct list_cache *cache = store->broker->list_cache;
	const uint8_t *fingerprint = recalled->fingerprint.data;
	struct err err;
	auto_free char *data = ipc_blob_copy(&recalled->list, &err);
	struct cached_list list = { data, recalled->list.len,
		(const char *)recalled->info.data, recalled->info.len, NULL,
		0 };

	if (store->unanswered > 0)
		store->unanswered--;
	if (store->unanswered > 0 && !store->deaf)
		list_store_wait(store);
	else if (!store->deaf)
		event_del(store->patience);
	if (list.len > 0 &&
	    (data == NULL || !list_store_is_list(data, list.len)))
		log_warn("a stored list of tools is unreadable");
	else if (list.len > 0)
		list_cache_put_old(cache, fingerprint, &list);
	store->recalled(store->broker, fingerprint);
}
