/* The life of a worker: see worker.h. Linked into every worker. */
#include <signal.h>
#include <sys/stat.h>

#include "../limits.h"
#include "../base/log.h"
#include "worker.h"

static struct event_base *worker_base;
static int worker_stopped;

void
worker_stop(void)
{
	worker_stopped = 1;
	event_base_loopbreak(worker_base);
}

/* The supervisor has closed the channel or exited: no work is left. */
static void
worker_on_closed(void *, const struct err *why)
{
	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	worker_stop();
}

struct channel *
worker_open(enum role role, struct event_base *base,
    channel_handler *const *routes, void *ctx)
{
	const struct channel_ends ends = { role, ROLE_SUPERVISOR, routes,
		worker_on_closed, ctx };
	int fd = WORKER_CHANNEL_FD;

	role_enter(role, 0);
	/* A peer may exit while it is written to. */
	signal(SIGPIPE, SIG_IGN);
	/* Exceeding the limit on file sizes must fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	umask(S_IRWXG | S_IRWXO);
	worker_base = base;
	worker_stopped = 0;
	return channel_new(base, &fd, &ends);
}

void
worker_await(void)
{
	event_base_dispatch(worker_base);
}

void
worker_lockdown(enum role role, enum lockdown_use use, int folder)
{
	struct err err;

	if (lockdown(role, use, folder, &err) == -1)
		fatal("cannot lock down: %s", err.text);
}

void
worker_run(void)
{
	if (!worker_stopped)
		event_base_dispatch(worker_base);
}
