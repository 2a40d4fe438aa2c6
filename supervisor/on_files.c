/*
 * The messages of the files process to the supervisor: the whole surface
 * between the two.
 */
#include "handlers.h"
#include "peers/files.h"

void
supervisor_on_filed(struct files *files, struct ipc_filed *filed)
{
	files_hear_filed(files, filed);
}

void
supervisor_on_used(struct files *files, struct ipc_used *used)
{
	const struct files_usage row = { used->owner, used->conversation,
		used->versions, used->files, used->bytes, used->files_most,
		used->bytes_most, 0 };

	files_hear_used(files, used->task, &row);
}

void
supervisor_on_skipped(struct files *files, struct ipc_skipped *skipped)
{
	files_hear_skipped(files, skipped->task,
	    (const char *)skipped->name.data, skipped->name.len,
	    (enum file_fault)skipped->fault);
}

void
supervisor_on_file_fetched(
    struct files *files, struct ipc_file_fetched *fetched)
{
	files_hear_fetched(
	    files, fetched->task, &fetched->file, fetched->offset);
}

void
supervisor_on_file_awaited(
    struct files *files, struct ipc_file_awaited *awaited)
{
	files_hear_awaited(files, awaited->task, &awaited->sink);
}

void
supervisor_on_task_done(struct files *files, struct ipc_task_done *done)
{
	files_hear_done(files, done->task, done->count,
	    (enum file_fault)done->fault, (const char *)done->name.data,
	    done->name.len);
}
