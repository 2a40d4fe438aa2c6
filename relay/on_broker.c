/*
 * The messages from the broker: the complete interface between the two. The
 * broker is trusted more than the relay, but its end costs only the requests in
 * flight: the code continues.
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
