/*
 * caisson-broker, the process: makes its loop and its channel, drops all other
 * privileges, then serves executions until its channel ends. Started by the
 * supervisor only, with the channel as descriptor 3.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/asan_main.h"
#include "../../common/limits.h"
#include "../../common/seccomp/lockdown.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "broker.h"

/* The supervisor has closed the channel or exited. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct broker *broker = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(broker->base);
}

int
main(void)
{
	struct broker broker;
	struct channel_ends ends = { ROLE_BROKER, ROLE_SUPERVISOR,
		broker_routes(), main_on_closed, &broker };
	struct err err;
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_BROKER, 0);
	/*
	 * A server may exit while it is written to; SIGPIPE must not kill the
	 * broker.
	 */
	signal(SIGPIPE, SIG_IGN);
	/* Nor must the limit on file sizes, which the audit file can reach. */
	signal(SIGXFSZ, SIG_IGN);
	/*
	 * The memory of large answers is returned to the kernel; by default
	 * malloc keeps some.
	 */
	mallopt(M_MMAP_THRESHOLD, BROKER_MMAP_LEAST);
	broker_init(&broker, loop_new(0), broker_routes());
	broker.supervisor = channel_new(broker.base, &fd, &ends);
	if (lockdown(ROLE_BROKER, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	event_base_dispatch(broker.base);
	broker_clear(&broker);
	event_base_free(broker.base);
	return 0;
}
