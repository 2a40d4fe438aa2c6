/*
 * The store's dispatch table: every message to it, with its handler. Runs in
 * the store.
 */
#include "store.h"
#include "../../common/ipc/ipc_route.h"

channel_handler *const *
store_routes(void)
{
	return ipc_routes;
}
