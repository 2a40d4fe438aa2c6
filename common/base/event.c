/*
 * The part of libevent's interface that relays and porters use, for a few
 * descriptors: linked into these two instead of libevent. They are started for
 * each execution, and waiting with poll() needs no preparation. The handlers
 * run one after another, and each may add, delete and free any event.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "clock.h"
#include "../limits.h"
#include "log.h"
#include "loop.h"
#include "mem.h"

struct event {
	TAILQ_ENTRY(event) entry;
	struct event_base *base;
	evutil_socket_t fd; /* -1: a timer */
	short what;         /* EV_READ, EV_WRITE and EV_PERSIST */
	short found;        /* what has happened, and is not yet handled */
	bool waits;          /* for its descriptor */
	bool timed;
	uint64_t due;   /* in the time of clock_ms() */
	uint64_t every; /* milliseconds, of one that persists */
	event_callback_fn call;
	void *arg;
};

struct event_base {
	TAILQ_HEAD(, event) events;
	size_t count;
	int broken;
};

struct event_base *
event_base_new(void)
{
	struct event_base *base = mem_alloc(sizeof(*base));

	TAILQ_INIT(&base->events);
	return base;
}

void
event_base_free(struct event_base *base)
{
	free(base);
}

int
event_base_loopbreak(struct event_base *base)
{
	base->broken = 1;
	return 0;
}

struct event *
event_new(struct event_base *base, evutil_socket_t fd, short what,
    event_callback_fn call, void *arg)
{
	struct event *event = mem_alloc(sizeof(*event));

	if (base->count == EVENTS_MAX)
		fatal("more than %d events", EVENTS_MAX);
	event->base = base;
	event->fd = fd;
	event->what = what;
	event->call = call;
	event->arg = arg;
	TAILQ_INSERT_TAIL(&base->events, event, entry);
	base->count++;
	return event;
}

int
event_add(struct event *event, const struct timeval *wait)
{
	event->waits = event->fd != -1;
	if (wait == NULL)
		return 0;
	event->timed = true;
	event->every = (uint64_t)wait->tv_sec * 1000 +
	    (uint64_t)(wait->tv_usec + 999) / 1000;
	event->due = clock_ms() + event->every;
	return 0;
}

int
event_del(struct event *event)
{
	event->waits = false;
	event->timed = false;
	event->found = 0;
	return 0;
}

void
event_free(struct event *event)
{
	TAILQ_REMOVE(&event->base->events, event, entry);
	event->base->count--;
	free(event);
}

/* The milliseconds until the first event is due; -1: none has a time. */
static int
event_base_pause(const struct event_base *base)
{
	const struct event *event;
	uint64_t now = 0, pause, least = UINT64_MAX;

	TAILQ_FOREACH(event, &base->events, entry) {
		if (!event->timed)
			continue;
		if (now == 0)
			now = clock_ms();
		pause = event->due > now ? event->due - now : 0;
		if (pause < least)
			least = pause;
	}
	return least == UINT64_MAX ? -1 : (int)least;
}

/* As libevent: an end or an error concerns readers and writers. */
static short
event_found(const struct event *event, short revents)
{
	short found = 0;

	if (revents & POLLNVAL)
		fatal("descriptor %d was closed before its event", event->fd);
	if (revents & (POLLIN | POLLHUP | POLLERR))
		found |= EV_READ;
	if (revents & (POLLOUT | POLLHUP | POLLERR))
		found |= EV_WRITE;
	return found & event->what;
}

/* Marks the events whose time has come. */
static void
event_base_find_due(struct event_base *base)
{
	struct event *event;
	uint64_t now = 0;

	TAILQ_FOREACH(event, &base->events, entry) {
		if (!event->timed)
			continue;
		if (now == 0)
			now = clock_ms();
		if (event->due <= now)
			event->found |= EV_TIMEOUT;
	}
}

/*
 * Waits until something happens, and marks the events that it happens to.
 * Returns 0 if no event is added, otherwise 1.
 */
static int
event_base_wait(struct event_base *base)
{
	struct pollfd fds[EVENTS_MAX];
	struct event *events[EVENTS_MAX], *event;
	int pause = event_base_pause(base);
	nfds_t n = 0, i;

	TAILQ_FOREACH(event, &base->events, entry) {
		if (!event->waits)
			continue;
		fds[n].fd = event->fd;
		fds[n].events =
		    (short)((event->what & EV_READ ? POLLIN : 0) |
		        (event->what & EV_WRITE ? POLLOUT : 0));
		events[n++] = event;
	}
	if (n == 0 && pause == -1)
		return 0;
	if (poll(fds, n, pause) == -1) {
		if (errno != EINTR)
			fatal("cannot wait: errno %d", errno);
		n = 0;
	}
	for (i = 0; i < n; i++)
		events[i]->found = event_found(events[i], fds[i].revents);
	event_base_find_due(base);
	return 1;
}

/* Handles one event that was found. Returns whether there was one. */
static int
event_base_handle(struct event_base *base)
{
	struct event *event;
	short found;

	TAILQ_FOREACH(event, &base->events, entry) {
		if (event->found == 0)
			continue;
		found = event->found;
		event->found = 0;
		if ((event->what & EV_PERSIST) == 0)
			event_del(event);
		else if (found & EV_TIMEOUT)
			event->due = clock_ms() + event->every;
		/* It may free this event and others. */
		event->call(event->fd, found, event->arg);
		return 1;
	}
	return 0;
}

int
event_base_dispatch(struct event_base *base)
{
	base->broken = 0;
	while (!base->broken && event_base_wait(base))
		while (!base->broken && event_base_handle(base))
			;
	return 0;
}
