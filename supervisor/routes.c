/* The supervisor's dispatch table: every message to it, with its handler. */
#include "handlers.h"
#include "supervisor.h"
#include "../common/ipc/ipc_route.h"

channel_handler *const *
supervisor_routes(void)
{
	return ipc_routes;
}
