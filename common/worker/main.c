/*
 * The main() of each worker that has none of its own, such as the reader: it
 * has no file, and no peer but the supervisor. The build says which worker it
 * is.
 */
#include "../base/asan_main.h"
#include "handlers.h"
#include "../ipc/ipc_route.h"

int
main(void)
{
	struct worker worker;
	struct event_base *base = loop_new(0);

	worker.supervisor = worker_open(WORKER_ROLE, base, ipc_routes, &worker);
	worker_lockdown(WORKER_ROLE, LOCKDOWN_NO_FILES, -1);
	worker_run();
	channel_free(&worker.supervisor);
	event_base_free(base);
	return 0;
}
