/*
 * LIST_FILES: see task.h. Sent as fast as the supervisor reads, because a
 * list may have more messages than its queue can hold. Runs in files.
 */
#include <stdlib.h>

#include "../stored/index.h"
#include "task.h"

struct listed {
	struct task task;
	struct head *heads;
	size_t count;
	size_t told;
	bool versions;
	bool all;
};

/* Returns 0, or -1 if the directory cannot be read. */
static int
listed_look(struct listed *listed)
{
	struct files *files = listed->task.files;

	if (index_renew(files) == -1)
		return -1;
	listed->heads = index_list(files, listed->task.owner, listed->all,
	    listed->versions, &listed->count);
	return 0;
}

static void
listed_wake(struct task *task)
{
	struct listed *listed = (struct listed *)task;

	if (listed->heads == NULL && listed_look(listed) == -1)
		task->fault = FILE_FAULT_FOLDER;
	while (listed->told < listed->count && task_may_tell(task->files))
		task_tell_filed(task, &listed->heads[listed->told++], 0);
	/* The list is in memory: the next one is read after this one. */
	if (listed->told < listed->count)
		task_wake_first(task);
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
	struct listed *listed = (struct listed *)task_new(files, &listed_kind,
	    sizeof(*listed), msg->task, msg->owner, NULL);

	listed->versions = (int)msg->versions;
	listed->all = (int)msg->all;
	task_wake(&listed->task, 0);
}
