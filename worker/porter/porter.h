/*
 * The porter: transfers files between one directory of a box and the process
 * files, as descriptors only. It receives one task, performs it, and exits when
 * that process has closed the channel. All files of this folder run in that
 * process only, as the user of the box.
 *
 * It trusts no file in the directory, and stores nothing itself: a compromised
 * porter can only offer false files of one execution.
 */
#ifndef WORKER_PORTER_PORTER_H
#define WORKER_PORTER_PORTER_H

#include <stdbool.h>

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "../../common/seccomp/lockdown.h"

struct porter {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	struct channel *files; /* NULL until it has a task */
	enum lockdown_use use; /* of the directory: which task it has */
	char *known;           /* names and versions: see CARRY_OUT */
	size_t known_len;
	bool direct;            /* files go into the directory itself */
	int folder;            /* -1: no task, or it cannot write any there */
	enum file_fault fault; /* why it cannot */
};

/* carry.c: begins the task that it was given, if any. */
void carry_begin(struct porter *porter);

/*
 * Whether a message was sent, with what channel_send has returned; if not, the
 * porter ends, and files notices that no end is reported.
 */
int carry_sent(int sent, const struct err *err);

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF porter
#define IPC_SELF_IS_PORTER
#define IPC_FROM_SUPERVISOR struct porter
#define IPC_FROM_FILES struct porter
#include "../../common/ipc/ipc_handlers.h"

#endif
