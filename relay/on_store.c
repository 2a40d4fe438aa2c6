/*
 * What the store tells the relay: the whole surface between the two. Its end
 * costs only the requests that are under way: the next one has it fetched
 * again. Runs in the relay.
 */
#include "../common/fd.h"
#include "../common/log.h"
#include "relay.h"

void
relay_on_answer(struct relay *relay, struct ipc_answer *answer)
{
	struct ipc_result result = { .id = answer->id,
		.payload = answer->payload };

	/* The memfd is that of the result now. */
	answer->payload.fd = -1;
	calls_result(relay->calls, &result);
	fd_close(&result.payload.fd);
}

void
relay_on_denied(struct relay *relay, struct ipc_denied *denied)
{
	struct ipc_refused refused = { .id = denied->id,
		.reason = denied->reason,
		.error = { .fd = -1 } };

	calls_refused(relay->calls, &refused);
}

void
relay_lose_store(struct relay *relay)
{
	channel_free(&relay->store);
	calls_lose_store(relay->calls);
}

/* The store is gone, or not worth hearing. */
static void
relay_end_store(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_error("protocol violation by the store: %s", why->text);
	relay_lose_store(ctx);
}

void
relay_meet_store(struct relay *relay, int *fd)
{
	struct channel_ends ends = { ROLE_RELAY, ROLE_STORE, relay_routes(),
		relay_end_store, relay };

	relay->store = channel_new(relay->base, fd, &ends);
}
