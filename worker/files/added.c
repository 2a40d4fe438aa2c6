/*
 * ADD_FILE: see added.h. Runs in files.
 */
#include <string.h>

#include "../../common/limits.h"
#include "added.h"
#include "intake.h"
#include "task.h"

struct added {
	struct task task;
	struct intake *intake;
	char name[FILE_NAME_MAX + 1];
};

static void
added_fail(struct added *added, enum file_fault fault)
{
	struct ipc_bytes name = { (const uint8_t *)added->name,
		strlen(added->name) };

	/* Its room is free when this is told. */
	intake_free(&added->intake);
	added->task.fault = fault;
	task_done(&added->task, 0, name);
}

static void
added_wake(struct task *task)
{
	struct added *added = (struct added *)task;
	enum file_fault fault;

	switch (intake_go_on(added->intake, &fault)) {
	case INTAKE_COPIES:
		task_wake(task, 0);
		break;
	case INTAKE_WAITS:
		task_wake(task, FILES_LOOK_MS);
		break;
	case INTAKE_KEPT:
		task_tell_filed(
		    task->files, task->number, intake_head(added->intake));
		task_done(task, 0, TASK_NO_NAME);
		break;
	case INTAKE_FAILED:
		added_fail(added, fault);
		break;
	}
}

static void
added_free(struct task *task)
{
	struct added *added = (struct added *)task;

	intake_free(&added->intake);
}

static const struct task_kind added_kind = {
	.wake = added_wake,
	.free = added_free,
};

void
added_begin(struct files *files, struct ipc_add_file *add, const char *name)
{
	struct ipc_bytes bytes = { add->content.data, add->content.len };
	enum file_fault fault;
	struct intake *intake = add->content.fd == -1 ?
	    intake_new_bytes(files, add->owner, name, &bytes, &fault) :
	    intake_new(files, add->owner, name, &add->content.fd, &fault);
	struct added *added;

	if (intake == NULL) {
		task_tell_done(files, add->task, 0, fault, add->name);
		return;
	}
	added = (struct added *)task_new(files, &added_kind, sizeof(*added),
	    add->task, add->owner, NULL);
	added->intake = intake;
	memcpy(added->name, name, strlen(name) + 1);
	task_wake(&added->task, 0);
}
