/* A task of the supervisor: see task.h. Runs in files. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../stored/link.h"
#include "task.h"

/* Names */

void
task_name_set(struct task_name *name, struct ipc_bytes bytes)
{
	memset(name, 0, sizeof(*name));
	if (bytes.len > 0)
		memcpy(name->text, bytes.data, bytes.len);
	name->len = bytes.len;
}

struct ipc_bytes
task_name_bytes(const struct task_name *name)
{
	return (struct ipc_bytes){ (const uint8_t *)name->text, name->len };
}

/* If the supervisor has gone, this is noticed when its channel is read. */

static void
task_told(int sent, const struct err *err)
{
	if (sent == -1 && err->code != EPIPE && err->code != ECONNRESET)
		fatal("cannot answer the supervisor: %s", err->text);
}

int
task_may_tell(const struct files *files)
{
	return channel_unsent(files->supervisor) == 0;
}

void
task_tell_filed(struct task *task, const struct head *head, uint64_t changed)
{
	struct ipc_filed filed = { .task = task->number,
		.name = head->name,
		.version = head->version,
		.size = head->size,
		.since = head->since,
		.changed = changed,
		.type = head->type,
		.conversation = head_conversation(head->owner),
		.signature = "" };
	const struct link link = { task->links, head->owner, head->name,
		head->version,
		(uint64_t)time(NULL) + task->files->link_seconds };
	char signature[FILE_SIGNATURE_SIZE + 1];
	struct err err;

	if (task->files->link_seconds > 0 &&
	    link_sign(task->files, &link, signature) == FILE_FAULT_NONE) {
		filed.expires = link.expires;
		filed.signature = signature;
	}
	task_told(
	    channel_send_filed(task->files->supervisor, &filed, &err), &err);
}

void
task_tell_used(struct task *task, const char *owner, struct share own,
    struct share most, uint64_t versions)
{
	auto_free char *scope = mem_dup(owner, head_scope(owner));
	struct ipc_used used = { .task = task->number,
		.owner = scope,
		.conversation = head_conversation(owner),
		.versions = versions,
		.files = own.count,
		.bytes = own.bytes,
		.files_most = most.count,
		.bytes_most = most.bytes };
	struct err err;

	task_told(
	    channel_send_used(task->files->supervisor, &used, &err), &err);
}

/* Tells what the owner keeps, and may keep, before a fault of these. */
static void
task_tell_share(struct task *task, enum file_fault fault)
{
	const struct files *files = task->files;

	if (fault == FILE_FAULT_LARGE || fault == FILE_FAULT_QUOTA ||
	    fault == FILE_FAULT_SHARE)
		task_tell_used(task, task->owner, share_of(files, task->owner),
		    share_most(files, task->owner), 0);
}

void
task_tell_skipped(
    struct task *task, struct ipc_bytes name, enum file_fault fault)
{
	struct ipc_skipped left = { .task = task->number, .name = name,
		.fault = fault };
	struct err err;

	task_tell_share(task, fault);
	task_told(channel_send_skipped(task->files->supervisor, &left, &err),
	    &err);
}

/* Turns */

static const struct task_kind task_ended;

/* Gives the first waiting task its turn, from the loop. */
static void
task_plan(const struct files *files)
{
	/* Adding it again would delay it. */
	if (!TAILQ_EMPTY(&files->turns) &&
	    !event_pending(files->turn, EV_TIMEOUT, NULL))
		loop_set_timer(
		    files->turn, task_may_tell(files) ? 0 : FILES_LOOK_MS);
}

static void
task_leave_turn(struct task *task)
{
	event_del(task->waking);
	if (task->has_turn)
		TAILQ_REMOVE(&task->files->turns, task, turn);
	task->has_turn = false;
}

static void
task_take_turn(struct task *task)
{
	task_leave_turn(task);
	TAILQ_INSERT_TAIL(&task->files->turns, task, turn);
	task->has_turn = true;
	task_plan(task->files);
}

void
task_wake_first(struct task *task)
{
	struct task *next;

	task_leave_turn(task);
	TAILQ_FOREACH (next, &task->files->turns, turn)
		if (next->kind != &task_ended)
			break;
	if (next == NULL)
		TAILQ_INSERT_TAIL(&task->files->turns, task, turn);
	else
		TAILQ_INSERT_BEFORE(next, task, turn);
	task->has_turn = true;
	task_plan(task->files);
}

static void
task_on_waking(evutil_socket_t, short, void *arg)
{
	task_take_turn(arg);
}

void
task_wake(struct task *task, uint64_t ms)
{
	if (ms == 0 && !task->has_turn)
		task_take_turn(task);
	else if (!task->has_turn)
		loop_set_timer(task->waking, ms);
}

static void
task_on_turn(evutil_socket_t, short, void *arg)
{
	struct files *files = arg;
	struct task *task = TAILQ_FIRST(&files->turns);

	if (task != NULL && task_may_tell(files)) {
		task_leave_turn(task);
		task->kind->wake(task);
	}
	task_plan(files);
}

void
task_prepare(struct files *files)
{
	TAILQ_INIT(&files->tasks);
	TAILQ_INIT(&files->turns);
	files->turn = evtimer_new(files->base, task_on_turn, files);
}

/* The life of a task */

void
task_has_nothing(struct task *)
{
}

static void
task_free(struct task *task)
{
	task->kind->free(task);
	task_leave_turn(task);
	TAILQ_REMOVE(&task->files->tasks, task, entry);
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
	loop_event_free(&files->turn);
}

static void
task_on_closed(void *ctx, const struct err *why)
{
	struct task *task = ctx;

	if (why != NULL)
		log_warn("%s the porter of task %" PRIu64 ": %s",
		    channel_blame(why), task->number, why->text);
	task_part(task, NULL);
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
	task->links = "GET";
	task->waking = evtimer_new(files->base, task_on_waking, task);
	if (porter != NULL)
		task->porter = channel_new(files->base, porter, &ends);
	TAILQ_INSERT_TAIL(&files->tasks, task, entry);
	return task;
}

void
task_part(struct task *task, const char *how)
{
	if (how != NULL)
		log_warn("protocol violation by the porter of task %" PRIu64
		    ": %s", task->number, how);
	channel_free(&task->porter);
	task->kind->porter_gone(task);
}

/* Of an ended task only its last message is left. */
static void
task_ended_wake(struct task *task)
{
	struct ipc_task_done done = { .task = task->number,
		.count = task->count,
		.fault = task->fault,
		.name = task_name_bytes(&task->failed) };
	struct err err;

	task_tell_share(task, task->fault);
	task_told(channel_send_task_done(task->files->supervisor, &done, &err),
	    &err);
	task_free(task);
}

static const struct task_kind task_ended = {
	.wake = task_ended_wake,
	.free = task_has_nothing,
};

void
task_done(struct task *task, uint64_t count, struct ipc_bytes name)
{
	task->count = count;
	task_name_set(&task->failed, name);
	task->kind->free(task);
	channel_free(&task->porter);
	task->kind = &task_ended;
	task_wake_first(task);
}

void
task_give_up(struct files *files, uint64_t number)
{
	struct task *task;

	TAILQ_FOREACH (task, &files->tasks, entry)
		if (task->number == number)
			break;
	/* A task that has ended already is reported with its own fault. */
	if (task == NULL || task->kind == &task_ended)
		return;
	task->fault = FILE_FAULT_PORTER;
	task_done(task, 0, TASK_NO_NAME);
}
