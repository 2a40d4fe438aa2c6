/*
 * The messages of the gateway to the supervisor: the whole surface between the
 * two.
 */
#include "handlers.h"
#include "peers/gateway.h"

void
supervisor_on_hello(struct gateway_peer *peer, struct ipc_hello *hello)
{
	gateway_hear_hello(peer, hello);
}

void
supervisor_on_ask(struct gateway_peer *peer, struct ipc_ask *ask)
{
	gateway_hear_ask(peer, ask);
}

void
supervisor_on_client_gone(
    struct gateway_peer *peer, struct ipc_client_gone *gone)
{
	gateway_hear_client_gone(peer, gone);
}
