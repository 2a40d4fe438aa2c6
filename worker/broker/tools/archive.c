/*
 * The broker's connection to the store: see archive.h. Runs in the broker.
 */
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
#include "archive.h"
#include "../state/state.h"

struct archive {
	struct broker *broker;
	void (*recalled)(struct broker *broker, const uint8_t *fingerprint);
	struct channel *store; /* NULL if there is none (yet) */
	int wanted;            /* it was requested from the supervisor */
	uint64_t not_before;   /* when it may be requested again */
	/*
	 * Fingerprints to look up, or to store, when the channel is available.
	 */
	struct buffer recalls;
	struct buffer retains;
	size_t unanswered;
	struct event *patience;
	bool deaf; /* sending failed: waiting ends now */
};

static void archive_on_impatience(evutil_socket_t fd, short what, void *arg);

struct archive *
archive_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint))
{
	struct archive *archive = mem_alloc(sizeof(*archive));

	archive->broker = broker;
	archive->recalled = recalled;
	archive->patience =
	    evtimer_new(broker->base, archive_on_impatience, archive);
	return archive;
}

void
archive_free(struct archive **archivep)
{
	struct archive *archive = mem_take(archivep);

	if (archive == NULL)
		return;
	channel_free(&archive->store);
	loop_event_free(&archive->patience);
	buffer_reset(&archive->recalls);
	buffer_reset(&archive->retains);
	free(archive);
}

/*
 * Requests that wait for the store continue without it; it is not used for a
 * while.
 */
static void
archive_lose(struct archive *archive)
{
	channel_free(&archive->store);
	archive->wanted = 0;
	archive->unanswered = 0;
	archive->deaf = false;
	archive->not_before = clock_ms() + TOOL_LISTS_PAUSE_MS;
	buffer_reset(&archive->recalls);
	buffer_reset(&archive->retains);
	event_del(archive->patience);
	archive->recalled(archive->broker, NULL);
}

/* The supervisor has logged the cause. */
static void
archive_miss(struct archive *archive)
{
	log_info("lists of tools are not stored: the store is unavailable");
	archive_lose(archive);
}

static void
archive_on_closed(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_warn("%s the store: %s", channel_blame(why), why->text);
	else
		log_info("lists of tools are not stored: the store is "
		    "unavailable");
	archive_lose(ctx);
}

static void
archive_on_impatience(evutil_socket_t fd, short what, void *arg)
{
	struct archive *archive = arg;

	(void)fd;
	(void)what;
	if (!archive->deaf)
		log_warn("the store did not return a list of tools within %d "
		    "ms: servers are queried instead", TOOL_LISTS_WAIT_MS);
	archive_lose(archive);
}

/* From the loop: the caller is in the middle of an operation. */
static void
archive_fail(struct archive *archive, const struct err *err)
{
	static const struct timeval now;

	/* It has ended, which is not an error. */
	if (err->code == EPIPE || err->code == ECONNRESET)
		log_info("lists of tools are not stored: the store is "
		    "unavailable");
	else
		log_warn("cannot send to the store: %s", err->text);
	archive->deaf = true;
	event_add(archive->patience, &now);
}

static void
archive_wait(struct archive *archive)
{
	const struct timeval most = clock_timeval(TOOL_LISTS_WAIT_MS);

	event_add(archive->patience, &most);
}

/* Makes sure that there is a store, or will be. Returns whether that is so. */
static int
archive_ensure(struct archive *archive)
{
	if (archive->store != NULL || archive->wanted)
		return !archive->deaf;
	if (clock_ms() < archive->not_before)
		return 0;
	archive->wanted = 1;
	to_supervisor_want_lists(archive->broker);
	archive_wait(archive);
	return 1;
}

static void
archive_send_recall(struct archive *archive, const uint8_t *fingerprint)
{
	struct ipc_recall recall = { .fingerprint = { fingerprint,
		FINGERPRINT_SIZE } };
	struct err err;

	archive->unanswered++;
	archive_wait(archive);
	if (channel_send_recall(archive->store, &recall, &err) == -1)
		archive_fail(archive, &err);
}

/*
 * Stores the list on the shelf now; removes the stored one if there is none on
 * the shelf, or it is in doubt.
 */
static void
archive_send_retain(struct archive *archive, const uint8_t *fingerprint)
{
	struct ipc_retain retain = { .fingerprint = { fingerprint,
		FINGERPRINT_SIZE } };
	struct shelf_list list = { 0 };
	struct err err;

	if (shelf_find(archive->broker->shelf, fingerprint, &list) &&
	    list.len > TOOL_LIST_MAX)
		return;
	retain.info =
	    (struct ipc_bytes){ (const uint8_t *)list.info, list.info_len };
	retain.list = (struct ipc_blob){ (const uint8_t *)list.data, list.len,
		-1 };
	if (channel_send_retain(archive->store, &retain, &err) == -1)
		archive_fail(archive, &err);
}

static void
archive_send_all(struct archive *archive, struct buffer *fingerprints,
    void (*send)(struct archive *archive, const uint8_t *fingerprint))
{
	size_t at;

	for (at = 0; at < fingerprints->len; at += FINGERPRINT_SIZE)
		send(archive, (const uint8_t *)fingerprints->data + at);
	buffer_reset(fingerprints);
}

void
archive_open(struct archive *archive, struct ipc_lists *lists)
{
	struct channel_ends ends = { ROLE_BROKER, ROLE_STORE,
		archive->broker->routes, archive_on_closed, archive };

	if (lists->store == -1) {
		archive_miss(archive);
		return;
	}
	/* It may arrive when no request waits for it; it is then used later. */
	channel_free(&archive->store);
	archive->wanted = 1;
	archive->store =
	    channel_new(archive->broker->base, &lists->store, &ends);
	event_del(archive->patience);
	archive_send_all(archive, &archive->recalls, archive_send_recall);
	archive_send_all(archive, &archive->retains, archive_send_retain);
}

int
archive_recall(struct archive *archive, const uint8_t *fingerprint)
{
	if (!archive_ensure(archive))
		return 0;
	if (archive->store == NULL)
		buffer_add(&archive->recalls, fingerprint, FINGERPRINT_SIZE);
	else
		archive_send_recall(archive, fingerprint);
	return 1;
}

void
archive_retain(struct archive *archive, const uint8_t *fingerprint)
{
	if (!archive_ensure(archive))
		return;
	if (archive->store == NULL)
		buffer_add(&archive->retains, fingerprint, FINGERPRINT_SIZE);
	else
		archive_send_retain(archive, fingerprint);
}

/*
 * Whether bytes have the form of a stored list, because they are passed on
 * unchanged. Other programs may have changed the file.
 */
static int
archive_is_list(const char *data, size_t len)
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
archive_recalled(struct archive *archive, struct ipc_recalled *recalled)
{
	struct shelf *shelf = archive->broker->shelf;
	const uint8_t *fingerprint = recalled->fingerprint.data;
	struct err err;
	auto_free char *data = ipc_blob_copy(&recalled->list, &err);
	struct shelf_list list = { data, recalled->list.len,
		(const char *)recalled->info.data, recalled->info.len, NULL,
		0 };

	if (archive->unanswered > 0)
		archive->unanswered--;
	if (archive->unanswered > 0 && !archive->deaf)
		archive_wait(archive);
	else if (!archive->deaf)
		event_del(archive->patience);
	if (list.len > 0 && (data == NULL || !archive_is_list(data, list.len)))
		log_warn("a stored list of tools is unreadable");
	else if (list.len > 0)
		shelf_put_old(shelf, fingerprint, &list);
	archive->recalled(archive->broker, fingerprint);
}
