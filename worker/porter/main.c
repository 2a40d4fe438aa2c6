/*
 * caisson-porter, the process: makes its loop and its channel, is told which
 * directory it carries files out of or into, gives up everything else, does it
 * and ends. Started by the supervisor alone, with the channel as descriptor 3.
 */
#include <signal.h>
#include <sys/stat.h>

#include "../../common/asan_main.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/loop.h"
#include "porter.h"

/* The supervisor does not want it any more, or is gone. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct porter *porter = ctx;

	if (why != NULL)
		fatal("protocol violation by the supervisor: %s", why->text);
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
	/* A limit on the size of files fails a copy, as a full disk does. */
	signal(SIGXFSZ, SIG_IGN);
	/* What it makes in a box has the rights it is made with. */
	umask(S_IWGRP | S_IWOTH);
	porter.base = loop_new(0);
	porter.supervisor = channel_new(porter.base, &fd, &ends);
	/* The first message, from the supervisor, brings the lockdown. */
	event_base_dispatch(porter.base);
	channel_free(&porter.files);
	channel_free(&porter.supervisor);
	fd_close(&porter.folder);
	event_base_free(porter.base);
	return 0;
}
