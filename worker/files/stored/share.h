/*
 * The room that the files of each owner take, and may take: all owners share
 * one number of bytes and of files. Runs in files.
 */
#ifndef WORKER_FILES_SHARE_H
#define WORKER_FILES_SHARE_H

#include "../../../common/file_fault.h"
#include "files.h"
#include "head.h"

/* Of an owner and all its conversations, with all versions. */
struct share {
	uint64_t count;
	uint64_t bytes;
};

/* A file that is being stored, in files->coming. */
struct coming {
	LIST_ENTRY(coming) entry;
	struct head head;
};

/* Returns what the files of an owner take; NULL: those of all owners. */
struct share share_of(const struct files *files, const char *owner);

/*
 * Returns what they may take: for the local user all that others leave, for any
 * other owner half of that, so that there is room for the next one. owner may
 * include a conversation.
 */
struct share share_most(const struct files *files, const char *owner);

/*
 * Returns whether there is room for a file of this size beside the stored ones,
 * without those of the owner that go, and, if coming is set, beside those that
 * are being stored. A file of holes counts as one without.
 */
enum file_fault share_judge(const struct files *files, const char *owner,
    uint64_t size, int coming, struct share going);

#endif
