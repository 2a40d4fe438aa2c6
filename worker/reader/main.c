/*
 * caisson-reader, the process: makes its loop and its channel, drops all other
 * privileges, then reads the files that it receives and exits with its channel.
 * Started by the supervisor only, with the channel as descriptor 3.
 */
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/asan_main.h"
#include "../../common/limits.h"
#include "../../common/seccomp/lockdown.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "reader.h"

#define IPC_SELF reader
#define IPC_SELF_IS_READER
#include "../../common/ipc/ipc_route.h"

/* The supervisor has closed the channel or exited. */
static void
reader_on_closed(void *ctx, const struct err *why)
{
	struct reader *reader = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(reader->base);
}

int
main(void)
{
	struct reader reader = { 0 };
	struct channel_ends ends = { ROLE_READER, ROLE_SUPERVISOR, ipc_routes,
		reader_on_closed, &reader };
	struct err err;
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_READER, 0);
	reader.base = loop_new(0);
	reader.supervisor = channel_new(reader.base, &fd, &ends);
	if (lockdown(ROLE_READER, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	event_base_dispatch(reader.base);
	channel_free(&reader.supervisor);
	event_base_free(reader.base);
	return 0;
}
