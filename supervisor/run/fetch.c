/*
 * The executor of calls that come before the runtime has what its boxes are
 * made of, such as an image that a registry has: they wait until it is fetched,
 * and their clients are told. Then another executor takes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/limits.h"
#include "../box/box.h"
#include "../box/shared/language.h"
#include "call_parts.h"

struct fetch {
	LIST_ENTRY(fetch) entry;
	struct call *call;
	struct event *timer;
	uint64_t told; /* times */
};

/* All calls that wait for it. One per process, as there is one runtime. */
static LIST_HEAD(, fetch) fetch_all = LIST_HEAD_INITIALIZER(fetch_all);
static int fetch_runs;

static int
fetch_accepts(const struct runs *runs, const struct request *request)
{
	struct err err;

	return request->language->image == NULL &&
	    boxes_lack(runs->boxes) != NULL &&
	    (request->session == NULL ||
	        boxes_check_sessions(runs->boxes, &err) == 0);
}

/* The call is over, or its client is told that it still waits. */
static void
fetch_on_timer(evutil_socket_t, short, void *arg)
{
	struct fetch *fetch = arg;
	const char *lacks = boxes_lack(fetch->call->runs->boxes);
	struct box_progress progress = { .fresh = true, .done = ++fetch->told };

	if (fetch->call->cause != CALL_BY_ITSELF) {
		call_advance(fetch->call, CALL_OVER);
		return;
	}
	snprintf(progress.text, sizeof(progress.text), "fetching the image %s",
	    lacks == NULL ? "" : lacks);
	if (fetch->call->request.progressed != NULL)
		call_tell_progress(fetch->call, &progress);
	loop_set_timer(fetch->timer, FETCH_PROGRESS_MS);
}

static int
fetch_cancel(struct call *call, int /* gently */)
{
	const struct fetch *fetch = call->inside;

	loop_set_timer(fetch->timer, 0);
	return 0;
}

static void
fetch_free(struct call *call)
{
	struct fetch *fetch = mem_take(&call->inside);

	LIST_REMOVE(fetch, entry);
	loop_event_free(&fetch->timer);
	free(fetch);
}

/* It is there, or why is the reason. Calls that were cancelled end anyway. */
static void
fetch_on_done(void *ctx, const char *why)
{
	struct boxes *boxes = ctx;
	struct fetch *fetch, *next;

	fetch_runs = 0;
	for (fetch = LIST_FIRST(&fetch_all); fetch != NULL; fetch = next) {
		struct call *call = fetch->call;

		next = LIST_NEXT(fetch, entry);
		if (call->cause != CALL_BY_ITSELF)
			continue;
		if (why != NULL) {
			call_fail(call, why);
			continue;
		}
		fetch_free(call);
		call_execute(call);
	}
	boxes->user.warm(boxes->user.ctx);
}

static void
fetch_start(struct call *call)
{
	struct fetch *fetch = mem_alloc(sizeof(*fetch));
	struct boxes *boxes = call->runs->boxes;
	struct err err;

	call->inside = fetch;
	fetch->call = call;
	fetch->timer = evtimer_new(call->runs->base, fetch_on_timer, fetch);
	LIST_INSERT_HEAD(&fetch_all, fetch, entry);
	loop_set_timer(fetch->timer, 0);
	if (fetch_runs)
		return;
	if (boxes->runtime->shared->fetch(
	        boxes, fetch_on_done, boxes, &err) == -1)
		call_fail(call, err.text);
	else
		fetch_runs = 1;
}

const struct executor executor_fetch = {
	.name = "fetch",
	.accepts = fetch_accepts,
	.start = fetch_start,
	.cancel = fetch_cancel,
	.free = fetch_free,
};
