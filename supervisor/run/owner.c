/*
 * Owners of executions, and who of them is next: see run.h. Runs in the
 * supervisor.
 */
#include "../options/options.h"
#include "run.h"

void
owner_init(struct owner *owner, const struct options *options)
{
	*owner = (struct owner){ .name = "",
		.scope = "",
		.most_waiting = (size_t)options->queue,
		.most_running = (size_t)options->max_concurrent };
}

int
owner_may_run(const struct owner *owner)
{
	return owner->nrunning < owner->most_running;
}

int
owner_precedes(const struct owner *owner, const struct owner *other)
{
	return owner->nrunning != other->nrunning ?
	    owner->nrunning < other->nrunning : owner->turn < other->turn;
}
