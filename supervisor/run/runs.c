/* The state shared by executions, and their services for boxes: see run.h. */
#include "../peers/store.h"
#include "call_parts.h"
#include "pool.h"
#include "run.h"

static const struct executor *const runs_executors[] = {
#define EXECUTOR(name) &executor_##name,
#include "executors.def"
};

static int
runs_on_store(void *ctx, unsigned long execution, struct err *err)
{
	struct runs *runs = ctx;
	const struct owner *owner = call_owner(runs, execution);

	if (owner == NULL)
		return err_set(err, "the execution is over");
	return store_connect(runs->peers.store, execution, owner->scope,
	    owner_options(owner, runs)->state_max, err);
}

static int
runs_on_busy(void *ctx)
{
	return owner_places_wanted(ctx);
}

static void
runs_on_warm(void *ctx)
{
	struct runs *runs = ctx;

	pool_wake(runs->pool);
}

void
runs_begin(struct runs *runs)
{
	if (!runs->draining)
		pool_begin(runs->pool);
}

void
runs_look_drained(struct runs *runs)
{
	if (runs->draining && runs->idle != NULL)
		runs->idle(runs->idle_ctx);
}

static void
runs_on_gone(void *ctx)
{
	runs_look_drained(ctx);
}

void
runs_init(struct runs *runs, struct boxes *boxes)
{
	TAILQ_INIT(&runs->owners);
	TAILQ_INIT(&runs->waiting);
	TAILQ_INIT(&runs->running);
	runs->base = boxes->base;
	runs->options = boxes->options;
	runs->boxes = boxes;
	runs->executors = runs_executors;
	boxes->user = (struct boxes_user){ .store = runs_on_store,
		.busy = runs_on_busy,
		.warm = runs_on_warm,
		.dropped_gone = runs_on_gone,
		.ctx = runs };
}
