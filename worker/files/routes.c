/*
 * The dispatch table of this process: every message to it, with its handler.
 * Runs in files.
 */
#include "handlers.h"
#include "../../common/ipc/ipc_route.h"

channel_handler *const *
files_routes(void)
{
	return ipc_routes;
}
