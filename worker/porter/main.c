/*
 * caisson-porter, the process: makes its loop and its channel, receives the
 * directory to copy files out of or into, drops all other privileges, does that
 * and exits. Started by the supervisor only, with the channel as descriptor 3.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/worker/worker.h"
#include "porter.h"
#include "../../common/ipc/ipc_route.h"

int
main(void)
{
	struct porter porter = { .base = event_base_new(), .routes = ipc_routes,
		.folder = -1 };

	porter.supervisor =
	    worker_open(ROLE_PORTER, porter.base, porter.routes, &porter);
	/* Files in a box have the permissions with which they are created. */
	umask(S_IWGRP | S_IWOTH);
	worker_await(); /* CARRY_OUT or CARRY_IN: its directory */
	worker_lockdown(ROLE_PORTER, porter.use, porter.folder);
	carry_begin(&porter);
	worker_run();
	channel_free(&porter.files);
	channel_free(&porter.supervisor);
	fd_close(&porter.folder);
	free(porter.known);
	event_base_free(porter.base);
	return 0;
}
