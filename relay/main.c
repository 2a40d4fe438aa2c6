/*
 * caisson-relay, the process: makes its loop and its channel, drops all other
 * privileges, then serves one execution and exits with its channel. Started by
 * the supervisor only, with the channel as descriptor 3.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/base/asan_main.h"
#include "../common/limits.h"
#include "../common/seccomp/lockdown.h"
#include "../common/base/log.h"
#include "../common/base/loop.h"
#include "relay.h"

/* The supervisor has ended or closed the channel: there is no work left. */
static void
relay_on_closed(void *ctx, const struct err *why)
{
	struct relay *relay = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(relay->base);
}

int
main(void)
{
	struct relay relay = { .routes = relay_routes() };
	struct channel_ends ends = { ROLE_RELAY, ROLE_SUPERVISOR,
		relay.routes, relay_on_closed, &relay };
	struct err err;
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_RELAY, 0);
	/*
	 * A box may exit while it is sent its code; SIGPIPE must not kill the
	 * relay.
	 */
	signal(SIGPIPE, SIG_IGN);
	relay.base = event_base_new();
	relay.supervisor = channel_new(relay.base, &fd, &ends);
	if (lockdown(ROLE_RELAY, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	event_base_dispatch(relay.base);
#ifndef ASAN_BUILD
	/* A relay ends for each call, and the kernel frees all at once. */
	_exit(0);
#endif
	frames_free(&relay.frames);
	outbox_free(&relay.outbox);
	calls_free(&relay.calls);
	progress_free(&relay.progress);
	so_far_free(&relay.so_far);
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
