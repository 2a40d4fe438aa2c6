/*
 * The dispatch table of one process, expanded from the catalogue. Every message
 * to the process has a route to its handler <self>_on_<message>, so a message
 * without a handler does not link. Included once per process, by the file that
 * makes its channels, after the header with the handlers (ipc_handlers.h).
 * Defines "ipc_routes".
 */
#include "ipc_handlers.h"

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_SELF(TO)(static void ipc_route_##name(void *ctx, void *msg) {   \
		IPC_PASTE(IPC_SELF, _on_, name)(ctx, msg);                     \
	})
#include "../ipc_messages.def"

static channel_handler *const ipc_routes[IPC_TYPES] = {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_SELF(TO)([IPC_##NAME] = ipc_route_##name, )
#include "../ipc_messages.def"
};
