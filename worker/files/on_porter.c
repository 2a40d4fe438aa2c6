/*
 * What a porter tells: the whole surface between the two. What a message means
 * is a matter of the task. Runs in files.
 */
#include "task.h"

void
files_on_offer(struct task *task, struct ipc_offer *offer)
{
	const char *how = "an offer, where files are given";

	if (task->kind->offer != NULL)
		how = task->kind->offer(task, offer);
	if (how != NULL)
		task_part(task, how);
}

void
files_on_leave(struct task *task, struct ipc_leave *leave)
{
	const char *how = task->kind->leave(task, leave);

	if (how != NULL)
		task_part(task, how);
}

void
files_on_carried(struct task *task, struct ipc_carried *carried)
{
	/* The last it says: there is no use of the channel any more. */
	task_part(task, task->kind->carried(task, carried));
}
