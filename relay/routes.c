/*
 * The relay's dispatch table: every message to it, with its handler. Runs in
 * the relay.
 */
#include "relay.h"
#include "../common/ipc/ipc_route.h"

channel_handler *const *
relay_routes(void)
{
	return ipc_routes;
}
