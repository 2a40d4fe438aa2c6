/*
 * The handlers of a worker whose main() is in main.c beside this: those of
 * messages of the supervisor. The build says which worker it is.
 */
#ifndef COMMON_WORKER_HANDLERS_H
#define COMMON_WORKER_HANDLERS_H

#include "worker.h"

/* What they get. */
struct worker {
	struct channel *supervisor;
};

#define IPC_FROM_SUPERVISOR struct worker
#include "../ipc/ipc_handlers.h"

#endif
