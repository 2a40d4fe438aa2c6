/*
 * caisson-store, the process: makes its loop and its channel, receives its
 * directory, drops all other privileges, then serves each channel that it
 * receives until the one to the supervisor ends. Started by the supervisor
 * only, with that channel as descriptor 3.
 */
#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "database.h"
#include "executions.h"
#include "store_grant.h"
#include "store.h"
#include "../../common/ipc/ipc_route.h"

int
main(void)
{
	struct store store = { .base = loop_new(0), .routes = ipc_routes,
		.folder = -1 };

	TAILQ_INIT(&store.grants);
	store.supervisor =
	    worker_open(ROLE_STORE, store.base, store.routes, &store);
	worker_await(); /* KEEP: its directory */
	worker_lockdown(ROLE_STORE, LOCKDOWN_KEEPS, store.folder);
	store_open(&store);
	worker_run();
	executions_flush(store.database);
	lister_finish(&store);
	store_log_fault(&store);
	store_grant_free_all(&store);
	lister_free(&store);
	loop_event_free(&store.late);
	database_free(&store.database);
	channel_free(&store.supervisor);
	fd_close(&store.folder);
	event_base_free(store.base);
	return 0;
}
