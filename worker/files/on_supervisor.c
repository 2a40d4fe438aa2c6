/*
 * The messages from the supervisor: the complete interface between the two.
 * Runs in files.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/fd.h"
#include "../../common/base/file_name.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "handlers.h"
#include "stored/index.h"
#include "task/task.h"

/* The only message before the lockdown: see main.c. */
void
files_on_keep_files(struct files *files, struct ipc_keep_files *keep)
{
	log_init("files", keep->log_terms);
	files->folder = fd_take(&keep->folder);
	files->most = keep->most;
	files->lifetime = keep->days * SECONDS_OF_DAY;
	files->link_seconds = keep->link_seconds;
	if (keep->secret.len > 0)
		files->secret = mem_dup(keep->secret.data, keep->secret.len);
	event_base_loopbreak(files->base);
}

void
files_on_limit_files(struct files *files, struct ipc_limit_files *limit)
{
	struct err err;

	free(files->limits);
	files->limits = ipc_blob_copy(&limit->limits, &err);
	files->limits_len = limit->limits.len;
	if (files->limits == NULL)
		fatal("cannot read the limits of owners: %s", err.text);
	if (!text_list_complete(files->limits, files->limits_len))
		fatal("protocol violation by the supervisor: an invalid list "
		    "of limits");
}

/* Whether this is a version of a file, and when that was changed. */
static int
on_supervisor_is_version(const char *text)
{
	const char *colon = text + strspn(text, "0123456789");

	return text[0] >= '1' && text[0] <= '9' && *colon == ':' &&
	    colon[1 + strspn(colon + 1, "0123456789")] == '\0' &&
	    strlen(text) < 2 * FILES_VERSION_SIZE;
}

/* Whether they are pairs of a file name and such a text, and not too many. */
static int
on_supervisor_are_versions(const char *list, size_t len)
{
	const char *name, *version;
	size_t count = text_list_count(list, len);

	if (!text_list_complete(list, len) || count % 2 != 0 ||
	    count > 2 * FILES_COUNT_MAX)
		return 0;
	TEXT_LIST_PAIRS (name, version, list, len)
		if (!file_name_valid(name, strlen(name)) ||
		    !on_supervisor_is_version(version))
			return 0;
	return 1;
}

void
files_on_collect(struct files *files, struct ipc_collect *collect)
{
	struct err err;
	auto_free char *synced = ipc_blob_copy(&collect->synced, &err);

	if (synced == NULL)
		fatal("cannot read the files of a box: %s", err.text);
	if (!on_supervisor_are_versions(synced, collect->synced.len))
		fatal("protocol violation by the supervisor: an invalid list "
		    "of versions");
	collect_begin(files, collect, &synced);
}

/* Whether they are valid file names, and not too many. */
static int
on_supervisor_are_names(const struct ipc_bytes *names)
{
	const char *list = (const char *)names->data;
	const char *name;

	if (names->len == 0)
		return 1;
	if (!text_list_complete(list, names->len) ||
	    text_list_count(list, names->len) > FILES_GIVEN_MAX)
		return 0;
	TEXT_LIST_EACH (name, list, names->len)
		if (name[0] == '\0' || strlen(name) >= FILES_GIVEN_SIZE)
			return 0;
	return 1;
}

void
files_on_deliver(struct files *files, struct ipc_deliver *deliver)
{
	if (!on_supervisor_are_names(&deliver->names) ||
	    (deliver->names.len == 0 &&
	        head_conversation(deliver->owner)[0] == '\0'))
		fatal("protocol violation by the supervisor: an invalid list "
		    "of file names");
	deliver_begin(files, deliver);
}

void
files_on_add_file(struct files *files, struct ipc_add_file *add)
{
	added_begin(files, add);
}

void
files_on_receive_file(struct files *files, struct ipc_receive_file *receive)
{
	received_begin(files, receive);
}

void
files_on_list_files(struct files *files, struct ipc_list_files *list)
{
	listed_begin(files, list);
}

void
files_on_list_usage(struct files *files, struct ipc_list_usage *list)
{
	usage_begin(files, list);
}

void
files_on_fetch_file(struct files *files, struct ipc_fetch_file *fetch)
{
	fetched_begin(files, fetch);
}

void
files_on_link_file(struct files *files, struct ipc_link_file *link)
{
	linked_begin(files, link);
}

void
files_on_remove_files(struct files *files, struct ipc_remove_files *remove)
{
	if (remove->name.len == 0 && remove->version != 0)
		fatal("protocol violation by the supervisor: it is unclear "
		    "which files are to be removed");
	removed_begin(files, remove);
}

void
files_on_give_up(struct files *files, struct ipc_give_up *give_up)
{
	task_give_up(files, give_up->task);
}
