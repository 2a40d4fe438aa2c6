/*
 * The prototypes of the handlers of one process, expanded from the catalogue:
 * <self>_on_<message>, which gets the context of the channel and the message.
 * Included once per process, by the header with its handlers, after
 *
 *	#define IPC_SELF relay
 *	#define IPC_SELF_IS_RELAY
 *
 * and for each peer the type of that context:
 *
 *	#define IPC_FROM_BROKER struct relay
 */
#ifndef COMMON_IPC_HANDLERS_H
#define COMMON_IPC_HANDLERS_H

#include "channel.h"

/*
 * IPC_IF_SELF(TO)(x) is x if IPC_SELF_IS_TO is defined, and nothing otherwise:
 * of a macro that is not defined the name remains, and none begins so. The box,
 * its template and an operator read their messages without a loop: they have no
 * routes.
 */
#define IPC_KEEP(...) __VA_ARGS__
#define IPC_DROP(...)
#define IPC_FOUND_ ignored, IPC_KEEP
#define IPC_SECOND_(first, second, ...) second
#define IPC_SECOND(...) IPC_SECOND_(__VA_ARGS__)
#define IPC_IF_FOUND(is) IPC_SECOND(IPC_FOUND_##is, IPC_DROP, )
#define IPC_IF_SELF_(is) IPC_IF_FOUND(is)
#define IPC_IF_SELF(TO) IPC_IF_SELF_(IPC_SELF_IS_##TO)

#define IPC_PASTE_(a, b, c) a##b##c
#define IPC_PASTE(a, b, c) IPC_PASTE_(a, b, c)

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_SELF(TO)(void IPC_PASTE(IPC_SELF, _on_, name)(                  \
	    IPC_FROM_##FROM *ctx, struct ipc_##name *msg);)
#include "../ipc_messages.def"

#endif
