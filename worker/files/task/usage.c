/*
 * LIST_USAGE: see usage.h. Sent as fast as the supervisor reads, as a list of
 * files is. Runs in files.
 */
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/text_list.h"
#include "../stored/index.h"
#include "../stored/share.h"
#include "task.h"
#include "usage.h"

struct usage {
	struct task task;
	bool looked;
	struct buffer owners; /* their scopes, each + NUL */
	size_t told;          /* bytes of owners */
};

/* Adds the scope of an owner, unless it is there. */
static void
usage_add(struct buffer *owners, const char *owner)
{
	char scope[FILES_OWNER_MAX + 1] = "";
	const char *known;

	memcpy(scope, owner, head_scope(owner));
	TEXT_LIST_EACH (known, owners->data, owners->len)
		if (strcmp(known, scope) == 0)
			return;
	text_list_add(owners, scope);
}

/* Returns 0, or -1 if the directory cannot be read. */
static int
usage_look(struct usage *usage)
{
	struct files *files = usage->task.files;
	size_t i;

	if (index_renew(files) == -1)
		return -1;
	usage->looked = true;
	for (i = 0; i < files->stored_count; i++)
		if (files->stored[i]->sound)
			usage_add(&usage->owners, files->stored[i]->head.owner);
	return 0;
}

static void
usage_wake(struct task *task)
{
	struct usage *usage = (struct usage *)task;
	const struct files *files = task->files;
	const char *owner;

	if (!usage->looked && usage_look(usage) == -1)
		task->fault = FILE_FAULT_FOLDER;
	while (usage->told < usage->owners.len && task_may_tell(files)) {
		owner = usage->owners.data + usage->told;
		task_tell_used(task, owner, share_of(files, owner),
		    share_most(files, owner));
		usage->told += strlen(owner) + 1;
	}
	if (usage->told < usage->owners.len)
		task_wake_first(task);
	else
		task_done(task, 0, TASK_NO_NAME);
}

static void
usage_free(struct task *task)
{
	buffer_reset(&((struct usage *)task)->owners);
}

static const struct task_kind usage_kind = {
	.wake = usage_wake,
	.free = usage_free,
};

void
usage_begin(struct files *files, const struct ipc_list_usage *msg)
{
	task_wake(task_new(files, &usage_kind, sizeof(struct usage), msg->task,
	    "", NULL), 0);
}
