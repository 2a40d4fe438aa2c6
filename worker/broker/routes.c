/*
 * The broker's dispatch table: every message to it, with its handler. Runs in
 * the broker.
 */
#include "broker.h"
#include "../../common/ipc/ipc_route.h"

channel_handler *const *
broker_routes(void)
{
	return ipc_routes;
}
