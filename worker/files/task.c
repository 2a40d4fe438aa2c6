/*
 * A task of the supervisor: see task.h. Runs in files.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../../common/clock.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "task.h"

/* Answers: a supervisor that is gone shows when its channel is read. */
static void
task_told(int sent, const struct err *err)
{
	if (sent == -1 && err->code != EPIPE && err->code != ECONNRESET)
		fatal("cannot answer the supervisor: %s", err->text);
}

void
task_tell_done(struct files *files, uint64_t number, uint64_t count,
    enum file_fault fault, struct ipc_bytes name)
{
	struct ipc_task_done done = { .task = number,
		.count = count,
		.fault = fault,
		.name = name };
	struct err err;

	task_told(channel_send_task_done(files->supervisor, &done, &err),
	    &err);
}

void
task_tell_filed(
    struct files *files, uint64_t number, const struct head *head)
{
	struct ipc_filed filed = { .task = number,
		.name = head->name,
		.version = head->version,
		.size = head->size,
		.since = head->since,
		.type = head->type };
	struct err err;

	task_told(channel_send_filed(files->supervisor, &filed, &err), &err);
}

void
task_tell_left_out(
    struct task *task, struct ipc_bytes name, enum file_fault fault)
{
	struct ipc_left_out left = { .task = task->number,
		.name = name,
		.fault = fault };
	struct err err;

	task_told(
	    channel_send_left_out(task->files->supervisor, &left, &err),
	    &err);
}

/* The life of a task */

static void
task_free(struct task *task)
{
	TAILQ_REMOVE(&task->files->tasks, task, entry);
	task->kind->free(task);
	loop_event_free(&task->waking);
	channel_free(&task->porter);
	free(task->owner);
	free(task);
}

void
task_free_all(struct files *files)
{
	struct task *task;

	while ((task = TAILQ_FIRST(&files->tasks)) != NULL)
		task_free(task);
}

void
task_give_up(struct files *files, uint64_t number)
{
	struct task *task;

	TAILQ_FOREACH (task, &files->tasks, entry)
		if (task->number == number)
			break;
	if (task == NULL)
		return;
	/* What it takes of the disk is free when this is told. */
	task_free(task);
	task_tell_done(files, number, 0, FILE_FAULT_PORTER, TASK_NO_NAME);
}

static void
task_on_waking(evutil_socket_t fd, short what, void *arg)
{
	struct task *task = arg;

	(void)fd;
	(void)what;
	task->kind->wake(task);
}

static void
task_on_closed(void *ctx, const struct err *why)
{
	task_part(ctx, why != NULL ? why->text : NULL);
}

struct task *
task_new(struct files *files, const struct task_kind *kind, size_t size,
    uint64_t number, const char *owner, int *porter)
{
	struct task *task = mem_alloc(size);
	struct channel_ends ends = { ROLE_FILES, ROLE_PORTER, files->routes,
		task_on_closed, task };

	task->files = files;
	task->kind = kind;
	task->number = number;
	task->owner = mem_strdup(owner);
	task->waking = evtimer_new(files->base, task_on_waking, task);
	if (porter != NULL)
		task->porter = channel_new(files->base, porter, &ends);
	TAILQ_INSERT_TAIL(&files->tasks, task, entry);
	return task;
}

void
task_wake(struct task *task, uint64_t ms)
{
	struct timeval time = clock_timeval(ms);

	event_add(task->waking, &time);
}

void
task_part(struct task *task, const char *how)
{
	if (how != NULL)
		log_warn("protocol violation by the porter of task %" PRIu64
		    ": %s", task->number, how);
	channel_free(&task->porter);
	task->kind->left(task);
}

void
task_done(struct task *task, uint64_t count, struct ipc_bytes name)
{
	task_tell_done(task->files, task->number, count, task->fault, name);
	task_free(task);
}
