/* FETCH_FILE and LINK_FILE: see task.h. Runs in files. */
#include <string.h>

#include "../../../common/base/file_name.h"
#include "../../../common/base/log.h"
#include "../stored/index.h"
#include "../stored/link.h"
#include "task.h"

struct fetched {
	struct task task;
	struct task_name name;
	uint64_t version;
};

/* Passes on an existing file. Returns the fault. */
static enum file_fault
fetched_hand_over(struct task *task, const struct stored_file *stored)
{
	struct ipc_file_fetched msg = { .task = task->number,
		.offset = FILE_HEAD_SIZE };
	enum file_fault fault;
	struct err err;

	msg.file = index_open(task->files, stored, &fault);
	if (msg.file == -1)
		return fault;
	task_tell_filed(task, &stored->head, 0);
	if (channel_send_file_fetched(
	        task->files->supervisor, &msg, &err) == 0)
		return FILE_FAULT_NONE;
	log_warn("cannot pass on a file: %s", err.text);
	return FILE_FAULT_BUSY;
}

static enum file_fault
fetched_find(struct fetched *fetched)
{
	struct task *task = &fetched->task;
	const struct task_name *name = &fetched->name;
	const struct stored_file *stored = NULL;

	if (index_renew(task->files) == -1)
		return FILE_FAULT_FOLDER;
	if (file_name_valid(name->text, name->len))
		stored = index_find(task->files, task->owner, name->text,
		    fetched->version);
	return stored == NULL ? FILE_FAULT_UNKNOWN :
	    fetched_hand_over(task, stored);
}

static void
fetched_wake(struct task *task)
{
	struct fetched *fetched = (struct fetched *)task;

	task->fault = fetched_find(fetched);
	task_done(task, 0, task->fault == FILE_FAULT_NONE ? TASK_NO_NAME :
	    task_name_bytes(&fetched->name));
}

static const struct task_kind fetched_kind = {
	.wake = fetched_wake,
	.free = task_has_nothing,
};

void
fetched_begin(struct files *files, const struct ipc_fetch_file *msg)
{
	struct fetched *fetched = (struct fetched *)task_new(files,
	    &fetched_kind, sizeof(*fetched), msg->task, msg->owner, NULL);
	struct task *task = &fetched->task;
	struct link link = { "GET", msg->owner, NULL, msg->version,
		msg->expires };

	fetched->version = msg->version;
	task_name_set(&fetched->name, msg->name);
	link.name = fetched->name.text;
	if (msg->expires > 0)
		task->fault = link_judge(files, &link, msg->signature);
	if (task->fault == FILE_FAULT_NONE)
		task_wake(task, 0);
	else
		task_done(task, 0, TASK_NO_NAME);
}

/* The file of the link may not exist yet. */
static void
linked_wake(struct task *task)
{
	const struct fetched *linked = (struct fetched *)task;
	struct head head = { .version = 1, .type = "application/octet-stream" };

	if (file_name_valid(linked->name.text, linked->name.len)) {
		memcpy(head.owner, task->owner, strlen(task->owner) + 1);
		memcpy(head.name, linked->name.text, linked->name.len + 1);
		task_tell_filed(task, &head, 0);
	} else {
		task->fault = FILE_FAULT_NAME;
	}
	task_done(task, 0, TASK_NO_NAME);
}

static const struct task_kind linked_kind = {
	.wake = linked_wake,
	.free = task_has_nothing,
};

void
linked_begin(struct files *files, const struct ipc_link_file *msg)
{
	struct fetched *linked = (struct fetched *)task_new(files,
	    &linked_kind, sizeof(*linked), msg->task, msg->owner, NULL);

	linked->task.links = "PUT";
	task_name_set(&linked->name, msg->name);
	task_wake(&linked->task, 0);
}
