/*
 * Which sandbox: a row per runtime. All speak the box protocol over the pipes
 * they are given, so nobody else knows which one runs. Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "box.h"
#include "../process/process.h"

/*
 * Or /dev/stdout, which is a pipe, could not be opened by a box that is
 * another user.
 */
static int
runtime_give_pipes(const struct ipc_setup *setup, struct err *err)
{
	uid_t uid = (uid_t)setup->uid;

	if (uid != 0 && (fchown(setup->out, uid, uid) == -1 ||
	        fchown(setup->errors, uid, uid) == -1))
		return err_sys(err, "give the streams to the box");
	return 0;
}

static int
runtime_native_start(
    struct box *box, struct box_pipes *pipes, struct err *err)
{
	auto_fd int usage = fcntl(box->usage, F_DUPFD_CLOEXEC, 0);
	struct ipc_setup setup = { 0 };
	struct channel *channel;

	if (usage == -1)
		return err_sys(err, "make a copy of a descriptor");
	channel = box_start_launcher(box, err);
	if (channel == NULL)
		return -1;
	native_request_fill(box->boxes, &setup);
	setup.uid = identity_box(box->number);
	setup.control_in = fd_take(&pipes->control_in);
	setup.control_out = fd_take(&pipes->control_out);
	setup.out = fd_take(&pipes->out);
	setup.errors = fd_take(&pipes->errors);
	setup.usage = fd_take(&usage);
	/* What it has of descriptors goes the way of those of a message. */
	if (runtime_give_pipes(&setup, err) == -1)
		log_error("%s", err->text);
	if (channel_send_setup(channel, &setup, err) == 0)
		return 0;
	/* Its template has died: the end of the channel will tell. */
	return box->unforked && err->code == EPIPE ? 0 : -1;
}

static const struct runtime runtime_table[] = {
	{ "native", runtime_native_start },
};

const struct runtime *
runtime_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(runtime_table) / sizeof(runtime_table[0]); i++)
		if (strcmp(runtime_table[i].name, name) == 0)
			return &runtime_table[i];
	return NULL;
}
