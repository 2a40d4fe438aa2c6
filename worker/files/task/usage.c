/*
 * LIST_USAGE: see task.h. Sent as fast as the supervisor reads, as a list of
 * files is. Runs in files.
 */
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../stored/index.h"
#include "../stored/share.h"
#include "task.h"

struct usage {
	struct task task;
	bool looked;
	struct buffer owners; /* scopes, and those with conversations */
	size_t told;          /* bytes of owners */
};

/* Adds so many bytes of an owner, unless they are there. */
static void
usage_add(struct buffer *owners, const char *owner, size_t len)
{
	auto_free char *text = mem_dup(owner, len);

	if (!text_list_has(owners, text))
		text_list_add(owners, text);
}

/* Adds the scope of an owner, and its conversation if it has one. */
static void
usage_note(struct buffer *owners, const char *owner)
{
	usage_add(owners, owner, head_scope(owner));
	if (head_conversation(owner)[0] != '\0')
		usage_add(owners, owner, strlen(owner));
}

/*
 * Of an owner with all its conversations; or of one of these, whose limit does
 * not count earlier versions.
 */
static void
usage_tell(struct task *task, const char *owner)
{
	const struct files *files = task->files;
	struct share own = { 0 }, most = share_most(files, owner);
	int all = head_conversation(owner)[0] == '\0';
	uint64_t versions = outdated_share(files, owner, all).count;
	auto_free struct head *heads = NULL;
	size_t i, count;

	heads = index_list(files, owner, all, 1, &count);
	own.count = all ? count : count - versions;
	for (i = 0; i < count; i++)
		own.bytes += heads[i].size;
	if (!all)
		most.count = FILES_DATA_MAX;
	task_tell_used(task, owner, own, most, versions);
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
			usage_note(&usage->owners,
			    files->stored[i]->head.owner);
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
		usage_tell(task, owner);
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
