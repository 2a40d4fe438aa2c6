/*
 * caisson-reader, the process: makes its loop and its channel, drops all other
 * privileges, then reads the files that it receives and exits with its channel.
 * Started by the supervisor only, with the channel as descriptor 3.
 */
#include "../../common/base/asan_main.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "reader.h"
#include "../../common/ipc/ipc_route.h"

int
main(void)
{
	struct reader reader = { .base = loop_new(0) };

	reader.supervisor =
	    worker_open(ROLE_READER, reader.base, ipc_routes, &reader);
	worker_lockdown(ROLE_READER, LOCKDOWN_NO_FILES, -1);
	worker_run();
	channel_free(&reader.supervisor);
	event_base_free(reader.base);
	return 0;
}
