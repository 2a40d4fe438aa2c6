/*
 * The files of counts of native boxes: see counts.h. Runs in the supervisor.
 */
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../../../common/box_usage.h"
#include "../../../common/base/clock.h"
#include "../../../common/base/fd.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/limits.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../process/process.h"
#include "counts.h"

struct counts {
	LIST_ENTRY(counts) entry; /* if it is spare */
	int fd;
	unsigned long box;  /* the number of the box that has it */
	unsigned int users; /* that box, and processes of it */
	int complete;       /* no process but those can write to it */
};

static LIST_HEAD(, counts) counts_spare = LIST_HEAD_INITIALIZER(counts_spare);
static unsigned int counts_nspare;
static unsigned int counts_nused; /* that a box or a process of it has */
static unsigned int counts_least; /* of these, since the last trim */
static struct event *counts_event; /* the next trim */

static struct counts *
counts_take_spare(void)
{
	struct counts *counts = LIST_FIRST(&counts_spare);

	if (counts == NULL)
		return NULL;
	LIST_REMOVE(counts, entry);
	counts_nspare--;
	if (counts_nspare < counts_least)
		counts_least = counts_nspare;
	return counts;
}

static void
counts_free(struct counts *counts)
{
	fd_close(&counts->fd);
	free(counts);
}

static void
counts_plan_trim(void)
{
	const struct timeval tv = clock_timeval(COUNTS_SPARE_MS);

	if (counts_nspare > 0 &&
	    !event_pending(counts_event, EV_TIMEOUT, NULL))
		event_add(counts_event, &tv);
}

/* Closes those that no box has needed since the last trim. */
static void
counts_on_trim(evutil_socket_t fd, short what, void *arg)
{
	unsigned int surplus = counts_least;

	(void)fd;
	(void)what;
	(void)arg;
	while (surplus-- > 0)
		counts_free(counts_take_spare());
	counts_least = counts_nspare;
	counts_plan_trim();
}

static struct counts *
counts_make(struct err *err)
{
	auto_fd int fd = ipc_make_counts(sizeof(struct box_usage), err);
	struct counts *counts;

	if (fd == -1)
		return NULL;
	counts = mem_alloc(sizeof(*counts));
	counts->fd = fd_take(&fd);
	return counts;
}

struct counts *
counts_take(struct event_base *base, unsigned long box, struct err *err)
{
	struct counts *counts = counts_take_spare();

	if (counts_event == NULL)
		counts_event = evtimer_new(base, counts_on_trim, NULL);
	if (counts == NULL)
		counts = counts_make(err);
	if (counts == NULL)
		return NULL;
	counts_nused++;
	counts->box = box;
	counts->users = 1;
	counts->complete = 0;
	return counts;
}

int
counts_fd(const struct counts *counts)
{
	return counts->fd;
}

int
counts_read(const struct counts *counts, struct box_usage *usage)
{
	if (pread(counts->fd, usage, sizeof(*usage), 0) != sizeof(*usage))
		return -1;
	return usage->box == counts->box ? 0 : -1;
}

static void
counts_close_spare(void)
{
	struct counts *counts;

	while ((counts = counts_take_spare()) != NULL)
		counts_free(counts);
}

/* Keeps it for another box, if nothing can write to it any more. */
static void
counts_keep(struct counts *counts)
{
	if (!counts->complete || counts_nspare == COUNTS_SPARE_MAX) {
		counts_free(counts);
		return;
	}
	LIST_INSERT_HEAD(&counts_spare, counts, entry);
	counts_nspare++;
	counts_plan_trim();
}

/* One user less. Nothing is left of all boxes when the last one has ended. */
static void
counts_drop(void *ctx)
{
	struct counts *counts = ctx;

	if (--counts->users > 0)
		return;
	counts_nused--;
	counts_keep(counts);
	if (counts_nused == 0)
		counts_close_spare();
}

void
counts_share(struct counts *counts, struct child *child)
{
	counts->users++;
	reaper_note(child, counts_drop, counts);
}

void
counts_complete(struct counts *counts)
{
	counts->complete = 1;
}

void
counts_release(struct counts **countsp)
{
	struct counts *counts = mem_take(countsp);

	if (counts != NULL)
		counts_drop(counts);
}

void
counts_finish(void)
{
	counts_close_spare();
	loop_event_free(&counts_event);
}
