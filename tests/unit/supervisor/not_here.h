/*
 * Stand-ins for the handlers of peers that a test of the supervisor does not
 * play: routes.c names them all, and none may get a message there. They are
 * weak: those of the files on_PEER.c that the test is linked with are real.
 */
#ifndef TESTS_UNIT_NOT_HERE_H
#define TESTS_UNIT_NOT_HERE_H

#include "supervisor/handlers.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_IF_SELF(TO)(__attribute__((weak)) void supervisor_on_##name(       \
	    IPC_FROM_##FROM *ctx, struct ipc_##name *msg) {                    \
		(void)ctx;                                                     \
		(void)msg;                                                     \
		ck_abort_msg("a message of another peer");                     \
	})
#include "common/ipc_messages.def"

#endif
