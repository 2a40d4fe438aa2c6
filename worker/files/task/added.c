/*
 * ADD_FILE: see added.h. Runs in files.
 */
#include "../../../common/base/file_name.h"
#include "../../../common/limits.h"
#include "added.h"
#include "intake.h"
#include "task.h"

struct added {
	struct task task;
	struct intake *intake;
	uint64_t until; /* for intake_go_on */
	struct task_name name;
};

static void
added_fail(struct added *added, enum file_fault fault)
{
	added->task.fault = fault;
	task_done(&added->task, 0, task_name_bytes(&added->name));
}

static void
added_wake(struct task *task)
{
	struct added *added = (struct added *)task;
	enum file_fault fault;

	switch (intake_go_on(added->intake, &added->until, &fault)) {
	case INTAKE_COPIES:
		task_wake(task, 0);
		break;
	case INTAKE_WAITS:
		task_wake(task, FILES_LOOK_MS);
		break;
	case INTAKE_STORED:
		task_tell_filed(task, intake_head(added->intake));
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

/* Returns NULL with the fault. */
static struct intake *
added_intake(struct files *files, struct ipc_add_file *add, const char *name,
    enum file_fault *fault)
{
	struct ipc_bytes bytes = { add->content.data, add->content.len };

	*fault = FILE_FAULT_NAME;
	if (!file_name_valid(name, add->name.len))
		return NULL;
	if (add->content.fd == -1)
		return intake_new_bytes(
		    files, add->owner, name, &bytes, fault);
	return intake_new(files, add->owner, name, &add->content.fd, fault);
}

void
added_begin(struct files *files, struct ipc_add_file *add)
{
	struct added *added = (struct added *)task_new(files, &added_kind,
	    sizeof(*added), add->task, add->owner, NULL);
	enum file_fault fault;

	task_name_set(&added->name, add->name);
	added->intake = added_intake(files, add, added->name.text, &fault);
	if (added->intake != NULL)
		task_wake(&added->task, 0);
	else
		added_fail(added, fault);
}
