/*
 * The reader: a one-shot worker that converts foreign configuration files into
 * checked rows. It reads the descriptors that it receives, one file at a time,
 * and answers with their entries and faults. All files of this folder run in
 * that process only. It knows no path and has no environment; lockdown()
 * prevents anything else.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"

struct reader {
	struct event_base *base;
	struct channel *supervisor;
};

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF reader
#define IPC_SELF_IS_READER
#define IPC_FROM_SUPERVISOR struct reader
#include "../../common/ipc/ipc_handlers.h"

#endif
