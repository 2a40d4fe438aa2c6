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
#include <stdint.h>
#include <sys/types.h>

#include "../../common/file_fault.h"
#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "../../common/limits.h"
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

/*
 * beneath.c: opens the entry name of the directory folder, with the flags of
 * open(2), to which it adds those that prevent leaving it: no link is followed
 * and no other file system entered. mode is for O_CREAT, otherwise 0. Returns a
 * descriptor that the caller owns, or -1 with errno.
 */
int beneath_open(int folder, const char *name, uint64_t flags, mode_t mode);

/*
 * in.c: creates the directory "in" in the directory folder, unless it is there.
 * Returns a descriptor of it, which the caller owns and can create files with;
 * -1 with the fault.
 */
int in_make(int folder, enum file_fault *fault);

/*
 * Creates the file name in the directory in, with the folders that lead there,
 * or replaces it, with the content of the descriptor file from offset to its
 * end; it was changed at since, in seconds since 1970. A file that fails is
 * removed. Returns the fault, FILE_FAULT_NONE for none.
 */
enum file_fault in_put(
    int in, const char *name, int file, uint64_t offset, uint64_t since);

/*
 * out.c: the first entries by the bytes of their paths: not folders, but what
 * is in them; a folder only if its files cannot be listed, or have too long
 * paths.
 */
struct out_list {
	unsigned int count;
	char *names[FILES_OUT_MAX];  /* in their order */
	const char *known; /* files that are left out: names and versions */
	size_t known_len;
	uint64_t more;               /* number of further entries */
	unsigned int folders;        /* that were looked into */
};

/*
 * Fills list, of which known is set, and which the caller frees with
 * out_list_free. Returns 0, or -1 with errno; the list then contains the
 * entries that could be read.
 */
int out_list(int folder, struct out_list *list);

void out_list_free(struct out_list *list);

/* Whether there is no entry of this path, or a folder. */
int out_is_gone(int folder, const char *name);

/*
 * Opens an entry, by its path, for reading. Returns a descriptor of a regular
 * file with one name, which the caller owns, or -1 with the fault.
 */
int out_open(int folder, const char *name, enum file_fault *fault);

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF porter
#define IPC_SELF_IS_PORTER
#define IPC_FROM_SUPERVISOR struct porter
#define IPC_FROM_FILES struct porter
#include "../../common/ipc/ipc_handlers.h"

#endif
