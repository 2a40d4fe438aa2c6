/*
 * The events of answers, kept for clients whose connection broke (2025-11-25,
 * basic, transports, "Resumability and Redelivery"). An event's id has the
 * number of its answer in the session, and its own. A client comes back with
 * the id of the last event that it got, and is sent those behind it. Runs in
 * the supervisor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "http.h"

struct http_kept {
	TAILQ_ENTRY(http_kept) entry; /* in guest->kept */
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
http_kept_charge(struct http_kept *kept, uint64_t bytes)
{
	kept->guest->kept_bytes += bytes - kept->charged;
	kept->guest->http->kept_bytes += bytes - kept->charged;
	kept->charged = bytes;
}

static void
http_kept_free(struct http_kept *kept)
{
	if (kept->request != NULL)
		kept->request->kept = NULL;
	http_kept_charge(kept, 0);
	TAILQ_REMOVE(&kept->guest->kept, kept, entry);
	buffer_reset(&kept->events);
	free(kept);
}

void
http_kept_forget(struct http_guest *guest, const struct http_session *session)
{
	struct http_kept *kept, *next;

	for (kept = TAILQ_FIRST(&guest->kept); kept != NULL; kept = next) {
		next = TAILQ_NEXT(kept, entry);
		if (session == NULL || kept->session == session)
			http_kept_free(kept);
	}
}

/* Drops what no client has come back for. */
static void
http_kept_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct http *http = arg;
	struct http_guest *guest;
	struct http_kept *kept, *next;
	uint64_t now = clock_ms();
	bool some = false;

	(void)fd;
	(void)what;
	LIST_FOREACH (guest, &http->guests, entry)
		for (kept = TAILQ_FIRST(&guest->kept); kept != NULL;
		     kept = next) {
			next = TAILQ_NEXT(kept, entry);
			if (kept->request == NULL &&
			    now - kept->ended >= HTTP_KEPT_SECONDS * 1000)
				http_kept_free(kept);
			else
				some = true;
		}
	if (some)
		loop_set_timer(http->kept_timer, HTTP_KEPT_LOOK_MS);
}

void
http_kept_new(struct http_request *request, uint64_t number, bool primes)
{
	struct http *http = request->guest->http;
	struct http_kept *kept = mem_alloc(sizeof(*kept));

	if (http->kept_timer == NULL)
		http->kept_timer = evtimer_new(
		    http->runs->base, http_kept_on_timer, http);
	if (!evtimer_pending(http->kept_timer, NULL))
		loop_set_timer(http->kept_timer, HTTP_KEPT_LOOK_MS);
	kept->guest = request->guest;
	kept->session = request->session;
	kept->request = request;
	kept->number = number;
	kept->primes = primes;
	TAILQ_INSERT_TAIL(&kept->guest->kept, kept, entry);
	http_kept_charge(kept, HTTP_KEPT_MIN);
	request->kept = kept;
}

/* Above the limits, the oldest of the guest that keeps most give way. */
static void
http_kept_make_room(struct http *http)
{
	struct http_guest *guest, *most;

	do {
		most = LIST_FIRST(&http->guests);
		LIST_FOREACH (guest, &http->guests, entry)
			if (guest->kept_bytes > most->kept_bytes)
				most = guest;
		if (most->kept_bytes <= HTTP_KEPT_GUEST_MAX &&
		    http->kept_bytes <= HTTP_KEPT_MAX)
			return;
		http_kept_free(TAILQ_FIRST(&most->kept));
	} while (1);
}

static void
http_kept_id(const struct http_kept *kept, uint64_t event, char *id)
{
	snprintf(id, HTTP_EVENT_ID_MAX + 1, "%llu-%llu",
	    (unsigned long long)kept->number, (unsigned long long)event);
}

int
http_kept_prime(const struct http_kept *kept, char *id)
{
	http_kept_id(kept, 0, id);
	return kept->primes;
}

void
http_kept_add(
    struct http_kept *kept, const struct buffer *line, char *id)
{
	http_kept_id(kept, ++kept->count, id);
	buffer_add(&kept->events, line->data, line->len);
	http_kept_charge(kept, HTTP_KEPT_MIN + kept->events.size);
	http_kept_make_room(kept->guest->http);
}

void
http_kept_end(struct http_request *request)
{
	struct http_kept *kept = mem_take(&request->kept);

	kept->request = NULL;
	kept->ended = clock_ms();
	/* Its answer was no stream. */
	if (!request->streaming)
		http_kept_free(kept);
}

/* Reads digits at *text. Returns 0, or -1 if there are none, or too many. */
static int
http_kept_digits(const char **text, const char *end, uint64_t *number)
{
	const char *start = *text;

	*number = 0;
	for (; *text < end && **text >= '0' && **text <= '9'; ++*text)
		*number = 10 * *number + (uint64_t)(**text - '0');
	return *text == start || *text - start > 18 ? -1 : 0;
}

struct http_kept *
http_kept_find(const struct http_guest *guest,
    const struct http_session *session, struct ipc_bytes id, uint64_t *event)
{
	const char *p = (const char *)id.data, *end = p + id.len;
	struct http_kept *kept;
	uint64_t number;

	if (http_kept_digits(&p, end, &number) == -1 || p == end ||
	    *p++ != '-' || http_kept_digits(&p, end, event) == -1 || p != end)
		return NULL;
	TAILQ_FOREACH (kept, &guest->kept, entry)
		if (kept->session == session && kept->number == number &&
		    *event <= kept->count)
			return kept;
	return NULL;
}

struct http_request *
http_kept_send(const struct http_kept *kept, uint64_t after,
    http_kept_pass *pass, struct http_request *request)
{
	const char *p = kept->events.data;
	const char *end = p + kept->events.len, *next;
	char id[HTTP_EVENT_ID_MAX + 1];
	uint64_t n;

	for (n = 1; p < end; n++, p = next) {
		next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		http_kept_id(kept, n, id);
		if (n > after)
			pass(request, id, &(struct buffer){ .data = (char *)p,
			        .len = (size_t)(next - p) }, 0);
	}
	return kept->request;
}
