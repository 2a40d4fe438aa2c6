/* REMOVE_FILES: see task.h. Runs in files. */
#include <errno.h>
#include <string.h>

#include "../../../common/base/file_name.h"
#include "../../../common/base/log.h"
#include "../stored/index.h"
#include "task.h"

struct removed {
	struct task task;
	struct task_name name; /* empty: all */
	uint64_t version;
	bool all;
};

/* Returns the fault; stores the number of removed versions in *count. */
static enum file_fault
removed_remove(struct removed *removed, uint64_t *count)
{
	struct files *files = removed->task.files;
	const struct task_name *name = &removed->name;

	if (index_renew(files) == -1)
		return FILE_FAULT_FOLDER;
	if (name->len > 0 && !file_name_valid(name->text, name->len))
		return FILE_FAULT_UNKNOWN;
	if (index_remove(files, removed->task.owner, removed->all, name->text,
	        removed->version, count) == -1)
		return FILE_FAULT_FOLDER;
	return *count == 0 && name->len > 0 ? FILE_FAULT_UNKNOWN :
	    FILE_FAULT_NONE;
}

static void
removed_wake(struct task *task)
{
	struct removed *removed = (struct removed *)task;
	uint64_t count = 0;

	task->fault = removed_remove(removed, &count);
	/* So that they do not reappear after a loss of power. */
	if (count > 0 && directory_sync(task->files->folder) == -1)
		log_warn("cannot finish removing files: %s", strerror(errno));
	task_done(task, count, task->fault == FILE_FAULT_NONE ?
	    TASK_NO_NAME : task_name_bytes(&removed->name));
}

static const struct task_kind removed_kind = {
	.wake = removed_wake,
	.free = task_has_nothing,
};

void
removed_begin(struct files *files, const struct ipc_remove_files *msg)
{
	struct removed *removed = (struct removed *)task_new(files,
	    &removed_kind, sizeof(*removed), msg->task, msg->owner, NULL);

	removed->version = msg->version;
	removed->all = (int)msg->all;
	task_name_set(&removed->name, msg->name);
	task_wake(&removed->task, 0);
}
