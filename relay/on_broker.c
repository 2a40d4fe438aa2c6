/*
 * What the broker tells the relay: the whole surface between the two. It is
 * trusted more than the relay, but its end costs only the requests that are
 * under way: the code runs on. Runs in the relay.
 */
#include "../common/log.h"
#include "relay.h"

void
relay_on_result(struct relay *relay, struct ipc_result *result)
{
	calls_result(relay->calls, result);
}

void
relay_on_refused(struct relay *relay, struct ipc_refused *refused)
{
	calls_refused(relay->calls, refused);
}

/* The broker is gone, or not worth hearing. */
static void
relay_lose_broker(void *ctx, const struct err *why)
{
	struct relay *relay = ctx;

	if (why != NULL)
		log_error("protocol violation by the broker: %s", why->text);
	channel_free(&relay->broker);
	calls_close(relay->calls, ROLE_BROKER, CALLS_BROKER_LOST);
}

void
relay_meet_broker(struct relay *relay, int *fd)
{
	struct channel_ends ends = { ROLE_RELAY, ROLE_BROKER, relay_routes(),
		relay_lose_broker, relay };

	relay->broker = channel_new(relay->base, fd, &ends);
}
