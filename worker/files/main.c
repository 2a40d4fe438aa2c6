/*
 * caisson-files, the process: makes its loop and its channel, receives its
 * directory, drops all other privileges, then performs tasks until the channel
 * to the supervisor ends. Started by the supervisor only, with that channel as
 * descriptor 3.
 */
#include <signal.h>
#include <stdlib.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "stored/files.h"
#include "handlers.h"
#include "stored/index.h"
#include "task/task.h"
#include "../../common/ipc/ipc_route.h"

/* The supervisor ends: incomplete files are removed. */
static void
main_on_signal(evutil_socket_t, short, void *)
{
	worker_stop();
}

int
main(void)
{
	struct files files = { .base = loop_new(0), .routes = ipc_routes,
		.folder = -1 };
	struct event *term =
	    evsignal_new(files.base, SIGTERM, main_on_signal, NULL);

	event_add(term, NULL);
	task_prepare(&files);
	files.supervisor =
	    worker_open(ROLE_FILES, files.base, files.routes, &files);
	worker_await(); /* KEEP_FILES: its directory */
	worker_lockdown(ROLE_FILES, LOCKDOWN_KEEPS, files.folder);
	/* A directory that cannot be read is reported with each task. */
	if (files.folder != -1) {
		index_renew(&files);
		index_sweep(&files);
	}
	worker_run();
	task_free_all(&files);
	index_free(&files);
	free(files.secret);
	free(files.limits);
	channel_free(&files.supervisor);
	fd_close(&files.folder);
	loop_event_free(&term);
	event_base_free(files.base);
	return 0;
}
