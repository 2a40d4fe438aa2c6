/*
 * The gateway's dispatch table: every message to it, with its handler. Runs in
 * the gateway.
 */
#include "gateway.h"
#include "../../common/ipc/ipc_route.h"

channel_handler *const *
gateway_routes(void)
{
	return ipc_routes;
}
