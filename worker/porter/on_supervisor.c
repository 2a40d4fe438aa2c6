/*
 * The messages from the supervisor: the complete interface between the two.
 * Runs in the porter.
 */
#include <string.h>

#include "../../common/base/fd.h"
#include "../../common/seccomp/lockdown.h"
#include "../../common/base/log.h"
#include "in.h"
#include "out.h"
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

/*
 * So far the porter has read nothing but this message, and had the right to
 * every file of its user.
 */
static void
on_supervisor_begin(struct porter *porter, uint64_t log_level, int folder,
    enum lockdown_use use, int *files)
{
	struct channel_ends ends = { ROLE_PORTER, ROLE_FILES, porter->routes,
		on_supervisor_files_closed, porter };
	struct err err;

	log_init("porter", (enum log_level)log_level);
	if (lockdown_in(ROLE_PORTER, use, folder, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	porter->files = channel_new(porter->base, files, &ends);
}

/*
 * Whether it was sent; if not, the other side notices that no end is reported.
 */
static int
on_supervisor_sent(struct porter *porter, int sent, const struct err *err)
{
	if (sent == 0)
		return 1;
	log_debug("cannot report a file: %s", err->text);
	event_base_loopbreak(porter->base);
	return 0;
}

static int
on_supervisor_offer(struct porter *porter, int folder, const char *name)
{
	struct ipc_bytes bytes = { (const uint8_t *)name, strlen(name) };
	struct ipc_offer offer = { .name = bytes };
	struct ipc_leave leave = { .name = bytes };
	enum file_fault fault;
	struct err err;

	offer.file = out_open(folder, name, &fault);
	leave.fault = fault;
	return on_supervisor_sent(porter, offer.file != -1 ?
	    channel_send_offer(porter->files, &offer, &err) :
	    channel_send_leave(porter->files, &leave, &err), &err);
}

void
porter_on_carry_out(struct porter *porter, struct ipc_carry_out *carry_out)
{
	struct ipc_carried carried = { 0 };
	struct out_list list;
	struct err err;
	unsigned int i;
	int going = 1;

	on_supervisor_begin(porter, carry_out->log_level, carry_out->folder,
	    LOCKDOWN_READS, &carry_out->files);
	if (out_list(carry_out->folder, &list) == -1)
		carried.fault = FILE_FAULT_UNREADABLE;
	for (i = 0; going && i < list.count; i++)
		going = on_supervisor_offer(
		    porter, carry_out->folder, list.names[i]);
	carried.more = list.more;
	out_list_free(&list);
	if (going)
		on_supervisor_sent(porter,
		    channel_send_carried(porter->files, &carried, &err), &err);
}

void
porter_on_carry_in(struct porter *porter, struct ipc_carry_in *carry_in)
{
	on_supervisor_begin(porter, carry_in->log_level, carry_in->folder,
	    LOCKDOWN_FILLS, &carry_in->files);
	/* A fault is reported after all files have arrived. */
	porter->folder = carry_in->direct ? fd_take(&carry_in->folder) :
	    in_make(carry_in->folder, &porter->fault);
}
