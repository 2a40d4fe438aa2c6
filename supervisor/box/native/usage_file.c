/*
 * The usage files of native boxes: see native.h. Runs in the supervisor.
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
#include "native.h"

struct usage_file {
	LIST_ENTRY(usage_file) entry; /* if it is spare */
	int fd;
	unsigned long box;  /* the number of the box that has it */
	unsigned int users; /* that box, and processes of it */
	int complete;       /* no process but those can write to it */
};

static LIST_HEAD(, usage_file) usage_file_spare;
static unsigned int usage_file_nspare;
static unsigned int usage_file_nused; /* that a box or a process of it has */
static unsigned int usage_file_least; /* of these, since the last trim */
static struct event *usage_file_event; /* the next trim */

static struct usage_file *
usage_file_take_spare(void)
{
	struct usage_file *file = LIST_FIRST(&usage_file_spare);

	if (file == NULL)
		return NULL;
	LIST_REMOVE(file, entry);
	usage_file_nspare--;
	if (usage_file_nspare < usage_file_least)
		usage_file_least = usage_file_nspare;
	return file;
}

static void
usage_file_free(struct usage_file *file)
{
	fd_close(&file->fd);
	free(file);
}

static void
usage_file_plan_trim(void)
{
	const struct timeval tv = clock_timeval(USAGE_FILES_SPARE_MS);

	if (usage_file_nspare > 0 &&
	    !event_pending(usage_file_event, EV_TIMEOUT, NULL))
		event_add(usage_file_event, &tv);
}

/* Closes those that no box has needed since the last trim. */
static void
usage_file_on_trim(evutil_socket_t, short, void *)
{
	unsigned int surplus = usage_file_least;

	while (surplus-- > 0)
		usage_file_free(usage_file_take_spare());
	usage_file_least = usage_file_nspare;
	usage_file_plan_trim();
}

static struct usage_file *
usage_file_make(struct err *err)
{
	auto_fd int fd = ipc_make_usage(sizeof(struct box_usage), err);
	struct usage_file *file;

	if (fd == -1)
		return NULL;
	file = mem_alloc(sizeof(*file));
	file->fd = fd_take(&fd);
	return file;
}

struct usage_file *
usage_file_take(struct event_base *base, unsigned long box, struct err *err)
{
	struct usage_file *file = usage_file_take_spare();

	if (usage_file_event == NULL)
		usage_file_event = evtimer_new(base, usage_file_on_trim, NULL);
	if (file == NULL)
		file = usage_file_make(err);
	if (file == NULL)
		return NULL;
	usage_file_nused++;
	file->box = box;
	file->users = 1;
	file->complete = 0;
	return file;
}

int
usage_file_fd(const struct usage_file *file)
{
	return file->fd;
}

int
usage_file_read(const struct usage_file *file, struct box_usage *usage)
{
	if (pread(file->fd, usage, sizeof(*usage), 0) != sizeof(*usage))
		return -1;
	return usage->box == file->box ? 0 : -1;
}

static void
usage_file_close_spare(void)
{
	struct usage_file *file;

	while ((file = usage_file_take_spare()) != NULL)
		usage_file_free(file);
}

/* Keeps it for another box, if nothing can write to it any more. */
static void
usage_file_keep(struct usage_file *file)
{
	if (!file->complete || usage_file_nspare == USAGE_FILES_SPARE_MAX) {
		usage_file_free(file);
		return;
	}
	LIST_INSERT_HEAD(&usage_file_spare, file, entry);
	usage_file_nspare++;
	usage_file_plan_trim();
}

/* One user less. Nothing is left of all boxes when the last one has ended. */
static void
usage_file_drop(void *ctx)
{
	struct usage_file *file = ctx;

	if (--file->users > 0)
		return;
	usage_file_nused--;
	usage_file_keep(file);
	if (usage_file_nused == 0)
		usage_file_close_spare();
}

void
usage_file_share(struct usage_file *file, struct child *child)
{
	file->users++;
	reaper_note(child, usage_file_drop, file);
}

void
usage_file_complete(struct usage_file *file)
{
	file->complete = 1;
}

void
usage_file_release(struct usage_file **filep)
{
	struct usage_file *file = mem_take(filep);

	if (file != NULL)
		usage_file_drop(file);
}

void
usage_file_finish(void)
{
	usage_file_close_spare();
	loop_event_free(&usage_file_event);
}
