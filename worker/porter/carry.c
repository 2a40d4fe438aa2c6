/* The task of a porter: see porter.h. */
#include <string.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/text_list.h"
#include "../../common/worker/worker.h"
#include "porter.h"

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
carry_skip(struct porter *porter, const char *name, enum file_fault fault)
{
	struct ipc_skip skip = { .name = { (const uint8_t *)name,
		    strlen(name) }, .fault = fault };
	struct err err;

	return carry_sent(channel_send_skip(porter->files, &skip, &err), &err);
}

static int
carry_offer(struct porter *porter, const char *name)
{
	struct ipc_offer offer = {
		.name = { (const uint8_t *)name, strlen(name) }
	};
	enum file_fault fault;
	struct err err;

	offer.file = out_open(porter->folder, name, &fault);
	if (offer.file == -1)
		return carry_skip(porter, name, fault);
	return carry_sent(
	    channel_send_offer(porter->files, &offer, &err), &err);
}

/* Reports the known files that are gone, or offers the others. */
static int
carry_known(struct porter *porter, int gone)
{
	const char *name, *version;
	int going = 1;

	TEXT_LIST_PAIRS (name, version, porter->known, porter->known_len)
		if (going && out_is_gone(porter->folder, name) == gone)
			going = !gone ? carry_offer(porter, name) :
			    carry_skip(porter, name, FILE_FAULT_UNKNOWN);
	return going;
}

static void
carry_out(struct porter *porter)
{
	struct ipc_carried carried = { 0 };
	struct out_list list = { .known = porter->known,
		.known_len = porter->known_len };
	struct err err;
	unsigned int i;
	int going = carry_known(porter, 1) && carry_known(porter, 0);

	if (going && out_list(porter->folder, &list) == -1)
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
