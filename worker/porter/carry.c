/*
 * The task of a porter: see carry.h. Runs in the porter.
 */
#include <string.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/worker/worker.h"
#include "carry.h"
#include "in.h"
#include "out.h"

int
carry_sent(int sent, const struct err *err)
{
	if (sent == 0)
		return 1;
	log_debug("cannot send to files: %s", err->text);
	worker_stop();
	return 0;
}

static int
carry_offer(struct porter *porter, const char *name)
{
	struct ipc_bytes bytes = { (const uint8_t *)name, strlen(name) };
	struct ipc_offer offer = { .name = bytes };
	struct ipc_skip skip = { .name = bytes };
	enum file_fault fault;
	struct err err;

	offer.file = out_open(porter->folder, name, &fault);
	skip.fault = fault;
	return carry_sent(offer.file != -1 ?
	    channel_send_offer(porter->files, &offer, &err) :
	    channel_send_skip(porter->files, &skip, &err), &err);
}

static void
carry_out(struct porter *porter)
{
	struct ipc_carried carried = { 0 };
	struct out_list list;
	struct err err;
	unsigned int i;
	int going = 1;

	if (out_list(porter->folder, &list) == -1)
		carried.fault = FILE_FAULT_UNREADABLE;
	for (i = 0; going && i < list.count; i++)
		going = carry_offer(porter, list.names[i]);
	carried.more = list.more;
	out_list_free(&list);
	if (going)
		carry_sent(channel_send_carried(
		    porter->files, &carried, &err), &err);
}

/* A fault is reported after all files have arrived. */
static void
carry_in(struct porter *porter)
{
	auto_fd int above = -1;

	if (porter->direct)
		return;
	above = fd_take(&porter->folder);
	porter->folder = in_make(above, &porter->fault);
}

void
carry_begin(struct porter *porter)
{
	if (porter->use == LOCKDOWN_READS)
		carry_out(porter);
	else if (porter->use == LOCKDOWN_FILLS)
		carry_in(porter);
}
