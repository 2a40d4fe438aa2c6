/*
 * caisson-porter, the process: makes its loop and its channel, receives the
 * directory to copy files out of or into, drops all other privileges, does that
 * and exits. Started by the supervisor only, with the channel as descriptor 3.
 */
#include <signal.h>
#include <sys/stat.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "porter.h"

/* The supervisor has cancelled the task or exited. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct porter *porter = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(porter->base);
}

int
main(void)
{
	struct porter porter = { .routes = porter_routes(), .folder = -1 };
	struct channel_ends ends = { ROLE_PORTER, ROLE_SUPERVISOR,
		porter.routes, main_on_closed, &porter };
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_PORTER, 0);
	signal(SIGPIPE, SIG_IGN);
	/* Exceeding the limit on file sizes must fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* Files in a box have the permissions with which they are created. */
	umask(S_IWGRP | S_IWOTH);
	porter.base = event_base_new();
	porter.supervisor = channel_new(porter.base, &fd, &ends);
	/* The first message, from the supervisor, causes the lockdown. */
	event_base_dispatch(porter.base);
	channel_free(&porter.files);
	channel_free(&porter.supervisor);
	fd_close(&porter.folder);
	event_base_free(porter.base);
	return 0;
}
