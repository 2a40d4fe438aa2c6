/*
 * What the supervisor tells: the whole surface between the two. Runs in files.
 */
#include <errno.h>
#include <string.h>

#include "../../common/fd.h"
#include "../../common/file_name.h"
#include "../../common/limits.h"
#include "../../common/lockdown.h"
#include "../../common/log.h"
#include "../../common/text_list.h"
#include "added.h"
#include "collect.h"
#include "deliver.h"
#include "kept.h"
#include "listed.h"
#include "task.h"

#define SECONDS_OF_DAY (24 * 60 * 60)

/*
 * Until now this process has read nothing but this message, and had a right to
 * every file of its user.
 */
void
files_on_keep_files(struct files *files, struct ipc_keep_files *keep)
{
	struct err err;

	log_init("files", (enum log_level)keep->log_level);
	files->folder = fd_take(&keep->folder);
	files->most = keep->most;
	files->lifetime = keep->days * SECONDS_OF_DAY;
	if (lockdown_in(ROLE_FILES, LOCKDOWN_KEEPS, files->folder, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	/* A directory that cannot be read is told of with each task. */
	kept_renew(files);
	kept_sweep(files);
}

void
files_on_collect(struct files *files, struct ipc_collect *collect)
{
	collect_begin(files, collect);
}

/* Whether they are names that a file could have, and not too many. */
static int
on_supervisor_are_names(const struct ipc_bytes *names)
{
	const char *list = (const char *)names->data;
	const char *name;

	if (!text_list_complete(list, names->len) ||
	    text_list_count(list, names->len) > FILES_GIVEN_MAX)
		return 0;
	TEXT_LIST_EACH (name, list, names->len)
		if (name[0] == '\0' || strlen(name) > FILE_NAME_MAX)
			return 0;
	return 1;
}

void
files_on_deliver(struct files *files, struct ipc_deliver *deliver)
{
	if (!on_supervisor_are_names(&deliver->names))
		fatal("protocol violation by the supervisor: names of files "
		    "that are no list of such");
	deliver_begin(files, deliver);
}

/* Whether it is a name that a file can have, which goes to text. */
static int
on_supervisor_name(const struct ipc_bytes *name, char text[FILE_NAME_MAX + 1])
{
	memset(text, 0, FILE_NAME_MAX + 1);
	memcpy(text, name->data, name->len);
	return file_name_valid(text, name->len);
}

void
files_on_add_file(struct files *files, struct ipc_add_file *add)
{
	char name[FILE_NAME_MAX + 1];

	if (on_supervisor_name(&add->name, name))
		added_begin(files, add, name);
	else
		task_tell_done(files, add->task, 0, FILE_FAULT_NAME,
		    add->name);
}

void
files_on_list_files(struct files *files, struct ipc_list_files *list)
{
	listed_begin(files, list);
}

/* Hands over a file that is there. Returns the fault. */
static enum file_fault
on_supervisor_hand_over(
    struct files *files, uint64_t task, const struct kept *kept)
{
	struct ipc_file_fetched fetched = { .task = task,
		.offset = FILE_HEAD_SIZE };
	struct err err;

	fetched.file = kept_open(files, kept);
	if (fetched.file == -1)
		return errno == ENOENT ? FILE_FAULT_UNKNOWN :
		    FILE_FAULT_FOLDER;
	task_tell_filed(files, task, &kept->head);
	/* A supervisor that is gone shows when its channel is read. */
	if (channel_send_file_fetched(files->supervisor, &fetched, &err) == -1)
		log_debug("cannot hand a file over: %s", err.text);
	return FILE_FAULT_NONE;
}

void
files_on_fetch_file(struct files *files, struct ipc_fetch_file *fetch)
{
	enum file_fault fault = FILE_FAULT_UNKNOWN;
	const struct kept *kept = NULL;
	char name[FILE_NAME_MAX + 1];

	if (kept_renew(files) == -1)
		fault = FILE_FAULT_FOLDER;
	else if (on_supervisor_name(&fetch->name, name))
		kept = kept_find(files, fetch->owner, name, fetch->version);
	if (kept != NULL)
		fault = on_supervisor_hand_over(files, fetch->task, kept);
	task_tell_done(files, fetch->task, 0, fault,
	    fault == FILE_FAULT_NONE ? TASK_NO_NAME : fetch->name);
}

void
files_on_remove_files(struct files *files, struct ipc_remove_files *remove)
{
	enum file_fault fault = FILE_FAULT_NONE;
	char name[FILE_NAME_MAX + 1];
	uint64_t count = 0;

	if (remove->name.len == 0 && remove->version != 0)
		fatal("protocol violation by the supervisor: it is unclear "
		    "what is to be removed");
	if (kept_renew(files) == -1)
		fault = FILE_FAULT_FOLDER;
	else if (on_supervisor_name(&remove->name, name) ||
	    remove->name.len == 0)
		fault = kept_remove(files, remove->owner, name,
		            remove->version, &count) == 0 ?
		    FILE_FAULT_NONE : FILE_FAULT_FOLDER;
	if (fault == FILE_FAULT_NONE && count == 0 && remove->name.len > 0)
		fault = FILE_FAULT_UNKNOWN;
	/* So that they do not come back after a loss of power. */
	if (count > 0 && directory_sync(files->folder) == -1)
		log_warn("cannot finish removing files: %s", strerror(errno));
	task_tell_done(files, remove->task, count, fault,
	    fault == FILE_FAULT_NONE ? TASK_NO_NAME : remove->name);
}

void
files_on_give_up(struct files *files, struct ipc_give_up *give_up)
{
	task_give_up(files, give_up->task);
}
