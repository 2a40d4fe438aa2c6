/*
 * The handlers of the process files: its whole surface to the supervisor and to
 * porters. main.c has the table of them.
 */
#ifndef WORKER_FILES_HANDLERS_H
#define WORKER_FILES_HANDLERS_H

#include "../../common/ipc/channel.h"

struct files;
struct task;

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF files
#define IPC_SELF_IS_FILES
#define IPC_FROM_SUPERVISOR struct files
#define IPC_FROM_PORTER struct task
#include "../../common/ipc/ipc_handlers.h"

#endif
