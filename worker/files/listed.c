/*
 * LIST_FILES: see listed.h. Told as fast as the supervisor reads: several lists
 * together may be more messages than can wait for it. Runs in files.
 */
#include <stdlib.h>

#include "../../common/limits.h"
#include "kept.h"
#include "listed.h"
#include "task.h"

struct listed {
	struct task task;
	struct head *heads;
	size_t count;
	size_t told;
};

static void
listed_wake(struct task *task)
{
	struct listed *listed = (struct listed *)task;

	while (listed->told < listed->count &&
	    channel_unsent(task->files->supervisor) == 0)
		task_tell_filed(task->files, task->number,
		    &listed->heads[listed->told++]);
	if (listed->told < listed->count)
		task_wake(task, FILES_LOOK_MS);
	else
		task_done(task, 0, TASK_NO_NAME);
}

static void
listed_free(struct task *task)
{
	struct listed *listed = (struct listed *)task;

	free(listed->heads);
}

static const struct task_kind listed_kind = {
	.wake = listed_wake,
	.free = listed_free,
};

void
listed_begin(struct files *files, const struct ipc_list_files *msg)
{
	struct listed *listed;

	if (kept_renew(files) == -1) {
		task_tell_done(files, msg->task, 0, FILE_FAULT_FOLDER,
		    TASK_NO_NAME);
		return;
	}
	listed = (struct listed *)task_new(files, &listed_kind,
	    sizeof(*listed), msg->task, msg->owner, NULL);
	listed->heads = kept_list(
	    files, msg->owner, (int)msg->versions, &listed->count);
	task_wake(&listed->task, 0);
}
