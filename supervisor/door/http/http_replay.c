/*
 * The events of answers, kept for clients whose connection broke (2025-11-25,
 * basic, transports, "Resumability and Redelivery"). An event's id has the
 * number of its answer in the session, and its own. A client comes back with
 * the id of the last event that it got, and is sent those behind it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "http.h"

struct http_replay {
	TAILQ_ENTRY(http_replay) entry; /* in guest->replays */
	struct http_guest *guest;
	struct http_session *session;
	struct http_request *request; /* unanswered; NULL: all are here */
	uint64_t number;      /* of the answer, in its session */
	bool primes;          /* the first event may have an id only */
	uint64_t count;       /* of its events */
	struct buffer events; /* a line each */
	uint64_t charged;     /* bytes, in the sums of guest and door */
	uint64_t ended;       /* when the last event came, by clock_ms() */
};

/* Counts the bytes that it has now. */
static void
http_replay_charge(struct http_replay *replay, uint64_t bytes)
{
	replay->guest->replay_bytes += bytes - replay->charged;
	replay->guest->http->replay_bytes += bytes - replay->charged;
	replay->charged = bytes;
}

static void
http_replay_free(struct http_replay *replay)
{
	if (replay->request != NULL)
		replay->request->replay = NULL;
	http_replay_charge(replay, 0);
	TAILQ_REMOVE(&replay->guest->replays, replay, entry);
	buffer_reset(&replay->events);
	free(replay);
}

void
http_replay_forget(struct http_guest *guest, const struct http_session *session)
{
	struct http_replay *replay = TAILQ_FIRST(&guest->replays), *next;

	for (; replay != NULL; replay = next) {
		next = TAILQ_NEXT(replay, entry);
		if (session == NULL || replay->session == session)
			http_replay_free(replay);
	}
}

/* Drops what no client has come back for. */
static void
http_replay_on_timer(evutil_socket_t, short, void *arg)
{
	struct http *http = arg;
	struct http_guest *guest;
	struct http_replay *replay, *next;
	uint64_t now = clock_ms();
	bool some = false;

	LIST_FOREACH (guest, &http->guests, entry)
		for (replay = TAILQ_FIRST(&guest->replays); replay != NULL;
		     replay = next) {
			next = TAILQ_NEXT(replay, entry);
			if (replay->request == NULL &&
			    now - replay->ended >= HTTP_REPLAY_SECONDS * 1000)
				http_replay_free(replay);
			else
				some = true;
		}
	if (some)
		loop_set_timer(http->replay_timer, HTTP_REPLAY_LOOK_MS);
}

void
http_replay_new(struct http_request *request, uint64_t number, bool primes)
{
	struct http *http = request->guest->http;
	struct http_replay *replay = mem_alloc(sizeof(*replay));

	if (http->replay_timer == NULL)
		http->replay_timer = evtimer_new(
		    http->runs->base, http_replay_on_timer, http);
	if (!evtimer_pending(http->replay_timer, NULL))
		loop_set_timer(http->replay_timer, HTTP_REPLAY_LOOK_MS);
	replay->guest = request->guest;
	replay->session = request->session;
	replay->request = request;
	replay->number = number;
	replay->primes = primes;
	TAILQ_INSERT_TAIL(&replay->guest->replays, replay, entry);
	http_replay_charge(replay, HTTP_REPLAY_MIN);
	request->replay = replay;
}

/* Above the limits, the oldest of the guest that keeps most give way. */
static void
http_replay_make_room(struct http *http)
{
	struct http_guest *guest, *most;

	do {
		most = LIST_FIRST(&http->guests);
		LIST_FOREACH (guest, &http->guests, entry)
			if (guest->replay_bytes > most->replay_bytes)
				most = guest;
		if (most->replay_bytes <= HTTP_REPLAY_GUEST_MAX &&
		    http->replay_bytes <= HTTP_REPLAY_MAX)
			return;
		http_replay_free(TAILQ_FIRST(&most->replays));
	} while (1);
}

static void
http_replay_id(const struct http_replay *replay, uint64_t event, char *id)
{
	snprintf(id, HTTP_EVENT_ID_MAX + 1, "%llu-%llu",
	    (unsigned long long)replay->number, (unsigned long long)event);
}

int
http_replay_prime(const struct http_replay *replay, char *id)
{
	http_replay_id(replay, 0, id);
	return replay->primes;
}

void
http_replay_add(struct http_replay *replay, const struct buffer *line, char *id)
{
	http_replay_id(replay, ++replay->count, id);
	buffer_add(&replay->events, line->data, line->len);
	http_replay_charge(replay, HTTP_REPLAY_MIN + replay->events.size);
	http_replay_make_room(replay->guest->http);
}

void
http_replay_end(struct http_request *request)
{
	struct http_replay *replay = mem_take(&request->replay);

	replay->request = NULL;
	replay->ended = clock_ms();
	/* Its answer was no stream. */
	if (!request->streaming)
		http_replay_free(replay);
}

/* Reads digits at *text. Returns 0, or -1 if there are none, or too many. */
static int
http_replay_digits(const char **text, const char *end, uint64_t *number)
{
	const char *start = *text;

	*number = 0;
	for (; *text < end && **text >= '0' && **text <= '9'; ++*text)
		*number = 10 * *number + (uint64_t)(**text - '0');
	return *text == start || *text - start > 18 ? -1 : 0;
}

struct http_replay *
http_replay_find(const struct http_guest *guest,
    const struct http_session *session, struct ipc_bytes id, uint64_t *event)
{
	const char *p = (const char *)id.data, *end = p + id.len;
	struct http_replay *replay;
	uint64_t number;

	if (http_replay_digits(&p, end, &number) == -1 || p == end ||
	    *p++ != '-' || http_replay_digits(&p, end, event) == -1 || p != end)
		return NULL;
	TAILQ_FOREACH (replay, &guest->replays, entry)
		if (replay->session == session && replay->number == number &&
		    *event <= replay->count)
			return replay;
	return NULL;
}

struct http_request *
http_replay_send(const struct http_replay *replay, uint64_t after,
    http_replay_pass *pass, struct http_request *request)
{
	const char *p = replay->events.data;
	const char *end = p + replay->events.len, *next;
	char id[HTTP_EVENT_ID_MAX + 1];
	uint64_t n;

	for (n = 1; p < end; n++, p = next) {
		next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		http_replay_id(replay, n, id);
		if (n > after)
			pass(request, id, &(struct buffer){ .data = (char *)p,
			        .len = (size_t)(next - p) }, 0);
	}
	return replay->request;
}
