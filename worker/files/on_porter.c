/*
 * The messages from a porter: the complete interface between the two. The task
 * decides the meaning of a message. Runs in files.
 */
#include "handlers.h"
#include "task/task.h"

void
files_on_offer(struct task *task, struct ipc_offer *offer)
{
	const char *how = "an offer by a porter that is given files";

	if (task->kind->offer != NULL)
		how = task->kind->offer(task, offer);
	if (how != NULL)
		task_part(task, how);
}

void
files_on_skip(struct task *task, struct ipc_skip *skip)
{
	const char *how = task->kind->skip(task, skip);

	if (how != NULL)
		task_part(task, how);
}

void
files_on_carried(struct task *task, struct ipc_carried *carried)
{
	/* The last message: the channel is not needed any more. */
	task_part(task, task->kind->carried(task, carried));
}
