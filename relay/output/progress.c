/*
 * Progress reported by the code: reports that come too often wait for a moment,
 * and only the last of them is sent.
 */
#include <stdlib.h>

#include "../../common/base/clock.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "output.h"

struct progress {
	struct relay *relay;
	void (*send)(struct relay *relay, struct ipc_progress *message);
	struct event *timer;
	bool allowed;
	bool any;     /* last holds */
	bool waiting; /* waits to be sent */
	uint64_t next_ms; /* when the next may be sent; ahead by PROGRESS_MS */
	struct request_progress last;
};

static void
progress_send(struct progress *progress)
{
	struct ipc_progress message = { .done = progress->last.done,
		.total = progress->last.total, .text = progress->last.text };

	uint64_t now = clock_ms();

	progress->waiting = false;
	if (progress->next_ms < now)
		progress->next_ms = now;
	progress->next_ms += PROGRESS_MS;
	progress->send(progress->relay, &message);
}

static void
progress_on_timer(evutil_socket_t, short, void *arg)
{
	progress_end(arg);
}

/* The delay of a report: completion is hardly ever delayed. */
static uint64_t
progress_wait_ms(const struct progress *progress)
{
	uint64_t now = clock_ms();
	uint64_t spare = progress->last.done == progress->last.total ?
	    PROGRESS_SPARE * PROGRESS_MS : 0;

	return progress->next_ms > now + spare ?
	    progress->next_ms - now - spare : 0;
}

void
progress_take(struct progress *progress, const struct request_progress *request)
{
	uint64_t wait;

	if (!progress->allowed ||
	    (progress->any && request->done <= progress->last.done))
		return;
	progress->last = *request;
	progress->any = true;
	wait = progress_wait_ms(progress);
	if (wait == 0) {
		event_del(progress->timer);
		progress_send(progress);
	} else if (!progress->waiting) {
		progress->waiting = true;
		loop_set_timer(progress->timer, wait);
	}
}

void
progress_end(struct progress *progress)
{
	event_del(progress->timer);
	if (progress->waiting)
		progress_send(progress);
}

void
progress_allow(struct progress *progress)
{
	progress->allowed = true;
}

struct progress *
progress_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_progress *message))
{
	struct progress *progress = mem_alloc(sizeof(*progress));

	progress->relay = relay;
	progress->send = send;
	progress->timer = evtimer_new(relay->base, progress_on_timer, progress);
	return progress;
}

void
progress_free(struct progress **progressp)
{
	struct progress *progress = mem_take(progressp);

	if (progress == NULL)
		return;
	loop_event_free(&progress->timer);
	free(progress);
}
