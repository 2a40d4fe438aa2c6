/*
 * The relay's dispatch table: every message to it, with its handler. Runs in
 * the relay.
 */
#include "relay.h"

#define IPC_SELF relay
#define IPC_SELF_IS_RELAY
#include "../common/ipc/ipc_route.h"

channel_handler *const *
relay_routes(void)
{
	return ipc_routes;
}
