/*
 * What the broker tells the relay: the whole surface between the two. It is
 * trusted more than the relay, but its end costs only the requests that are
 * under way: the code runs on. Runs in the relay.
 */
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
