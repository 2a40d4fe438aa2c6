/*
 * caisson-relay, the process: makes its loop and its channel, drops all other
 * privileges, then serves one execution and exits with its channel. Started by
 * the supervisor only, with the channel as descriptor 3.
 */
#include <unistd.h>

#include "../common/base/asan_main.h"
#include "../common/worker/worker.h"
#include "relay.h"
#include "../common/ipc/ipc_route.h"

int
main(void)
{
	struct relay relay = { .base = event_base_new(), .routes = ipc_routes };

	relay.supervisor =
	    worker_open(ROLE_RELAY, relay.base, relay.routes, &relay);
	worker_lockdown(ROLE_RELAY, LOCKDOWN_NO_FILES, -1);
	worker_run();
#ifndef ASAN_BUILD
	/* A relay ends for each call, and the kernel frees all at once. */
	_exit(0);
#endif
	frames_free(&relay.frames);
	outbox_free(&relay.outbox);
	calls_free(&relay.calls);
	progress_free(&relay.progress);
	preview_free(&relay.preview);
	notes_reset(&relay.notes);
	output_free(&relay.out);
	output_free(&relay.errors);
	output_free(&relay.outer);
	channel_free(&relay.broker);
	channel_free(&relay.store);
	channel_free(&relay.supervisor);
	event_base_free(relay.base);
	return 0;
}
