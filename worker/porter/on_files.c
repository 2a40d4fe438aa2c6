/*
 * The messages from the process files: the complete interface between the two.
 */
#include <string.h>

#include "../../common/base/file_name.h"
#include "../../common/base/log.h"
#include "porter.h"

/* A porter that offers files receives no message. */
static void
on_files_check(const struct porter *porter)
{
	if (porter->use != LOCKDOWN_FILLS)
		fatal("protocol violation by files: a file for a box that is "
		    "given none");
}

void
porter_on_put(struct porter *porter, struct ipc_put *put)
{
	size_t len = strlen(put->name);
	struct ipc_skip skip = {
		.name = { (const uint8_t *)put->name, len }
	};
	struct err err;

	on_files_check(porter);
	if (!file_name_valid(put->name, len))
		fatal("protocol violation by files: an invalid file name");
	if (porter->folder == -1)
		return;
	skip.fault = in_put(porter->folder, put->name, put->file, put->offset,
	    put->since);
	if (skip.fault != FILE_FAULT_NONE)
		carry_sent(channel_send_skip(porter->files, &skip, &err), &err);
}

void
porter_on_put_all(struct porter *porter, struct ipc_put_all *)
{
	struct ipc_carried carried = { .fault = porter->fault };
	struct err err;

	on_files_check(porter);
	carry_sent(channel_send_carried(porter->files, &carried, &err), &err);
}
