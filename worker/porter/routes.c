/*
 * The porter's dispatch table: every message to it, with its handler. Runs in
 * the porter.
 */
#include "porter.h"
#include "../../common/ipc/ipc_route.h"

channel_handler *const *
porter_routes(void)
{
	return ipc_routes;
}
