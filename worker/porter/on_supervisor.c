/*
 * The messages from the supervisor: the complete interface between the two. One
 * of them comes, before the lockdown: see main.c.
 */
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/text_list.h"
#include "porter.h"

/* The process files has closed the channel or exited. */
static void
on_supervisor_files_closed(void *ctx, const struct err *why)
{
	struct porter *porter = ctx;

	if (why != NULL)
		fatal("%s files: %s", channel_blame(why), why->text);
	event_base_loopbreak(porter->base);
}

static void
on_supervisor_prepare(struct porter *porter, uint64_t log_terms,
    enum lockdown_use use, int *folder, int *files)
{
	struct channel_ends ends = { ROLE_PORTER, ROLE_FILES, porter->routes,
		on_supervisor_files_closed, porter };

	log_init("porter", log_terms);
	porter->use = use;
	porter->folder = fd_take(folder);
	porter->files = channel_new(porter->base, files, &ends);
	event_base_loopbreak(porter->base);
}

void
porter_on_carry_out(struct porter *porter, struct ipc_carry_out *carry_out)
{
	struct err err;

	porter->known = ipc_blob_copy(&carry_out->known, &err);
	porter->known_len = carry_out->known.len;
	if (porter->known == NULL ||
	    !text_list_complete(porter->known, porter->known_len))
		fatal("cannot read the files of a box");
	on_supervisor_prepare(porter, carry_out->log_terms, LOCKDOWN_READS,
	    &carry_out->folder, &carry_out->files);
}

void
porter_on_carry_in(struct porter *porter, struct ipc_carry_in *carry_in)
{
	porter->direct = (int)carry_in->direct;
	on_supervisor_prepare(porter, carry_in->log_terms, LOCKDOWN_FILLS,
	    &carry_in->folder, &carry_in->files);
}
