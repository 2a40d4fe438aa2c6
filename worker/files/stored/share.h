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
 * other owner half of that, so that there is room for the next one, and no more
 * than its own limit. owner may include a conversation.
 */
struct share share_most(const struct files *files, const char *owner);

/*
 * Returns whether there is room for a file of this size beside the stored ones,
 * without those of the owner that go, and, if coming is set, beside those that
 * are being stored. A file of holes counts as one without.
 */
enum file_fault share_judge(const struct files *files, const char *owner,
    uint64_t size, int coming, struct share going);

/*
 * outdated.c: versions that give way, by one rule for all files: where a limit
 * is reached, the oldest version of the same owner that has a newer one is
 * removed. Returns what all versions take that this owner has, and with all its
 * conversations, and that may give way.
 */
struct share outdated_share(
    const struct files *files, const char *owner, int all);

/*
 * Removes the oldest version of all that this owner and its conversations have,
 * except the newest one of each file; owner may include a conversation. Returns
 * 1, or 0 if there is none or it cannot be removed.
 */
int outdated_remove(struct files *files, const char *owner);

#endif
