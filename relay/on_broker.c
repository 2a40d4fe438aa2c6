/*
 * What the broker tells the relay: the whole surface between the two. Runs in
 * the relay.
 */
#include "relay.h"

void
relay_on_result(struct relay *relay, struct ipc_result *result)
{
	(void)relay;
	(void)result;
}

void
relay_on_refused(struct relay *relay, struct ipc_refused *refused)
{
	(void)relay;
	(void)refused;
}
