/*
 * The dispatch table of one process, expanded from the catalogue. Every message
 * to the process has a route to its handler <self>_on_<message>, so a message
 * without a handler does not link. Included once per process, by the file that
 * makes its channels, after
 *
 *	#define IPC_SELF relay
 *	#define IPC_SELF_IS_RELAY
 *
 * and the prototypes of the handlers. Defines "ipc_routes".
 */
#include "channel.h"

#ifdef IPC_SELF_IS_SUPERVISOR
#define IPC_IF_TO_SUPERVISOR(...) __VA_ARGS__
#else
#define IPC_IF_TO_SUPERVISOR(...)
#endif
#ifdef IPC_SELF_IS_RELAY
#define IPC_IF_TO_RELAY(...) __VA_ARGS__
#else
#define IPC_IF_TO_RELAY(...)
#endif
#ifdef IPC_SELF_IS_BROKER
#define IPC_IF_TO_BROKER(...) __VA_ARGS__
#else
#define IPC_IF_TO_BROKER(...)
#endif
#ifdef IPC_SELF_IS_READER
#define IPC_IF_TO_READER(...) __VA_ARGS__
#else
#define IPC_IF_TO_READER(...)
#endif
#ifdef IPC_SELF_IS_STORE
#define IPC_IF_TO_STORE(...) __VA_ARGS__
#else
#define IPC_IF_TO_STORE(...)
#endif
#ifdef IPC_SELF_IS_FILES
#define IPC_IF_TO_FILES(...) __VA_ARGS__
#else
#define IPC_IF_TO_FILES(...)
#endif
#ifdef IPC_SELF_IS_PORTER
#define IPC_IF_TO_PORTER(...) __VA_ARGS__
#else
#define IPC_IF_TO_PORTER(...)
#endif
#ifdef IPC_SELF_IS_GATEWAY
#define IPC_IF_TO_GATEWAY(...) __VA_ARGS__
#else
#define IPC_IF_TO_GATEWAY(...)
#endif
/* The box and its template read their requests without a loop: no routes. */
#define IPC_IF_TO_BOX(...)
#define IPC_IF_TO_TEMPLATE(...)
/* A command reads the answers to its only request, one by one. */
#define IPC_IF_TO_OPERATOR(...)

#define IPC_PASTE_(a, b, c) a##b##c
#define IPC_PASTE(a, b, c) IPC_PASTE_(a, b, c)

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_TO_##TO(static void ipc_route_##name(void *ctx, void *msg) {    \
		IPC_PASTE(IPC_SELF, _on_, name)(ctx, msg);                     \
	})
#include "ipc_messages.def"

static channel_handler *const ipc_routes[IPC_TYPES] = {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_TO_##TO([IPC_##NAME] = ipc_route_##name, )
#include "ipc_messages.def"
};

