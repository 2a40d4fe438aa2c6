/*
 * Which files are kept: what is known of the directory, renewed by looking into
 * it. The head of a file never changes, so each is read once; which files there
 * are can change at any time, by another process. Runs in files.
 */
#ifndef WORKER_FILES_KEPT_H
#define WORKER_FILES_KEPT_H

#include "files.h"
#include "directory.h"
#include "head.h"

struct kept {
	char id[DIRECTORY_NAME_SIZE]; /* its name in the directory */
	int sound;                 /* else it is damaged, and left alone */
	struct head head;
};

/*
 * Looks into the directory: what was kept for too long is removed. Pointers to
 * files of before are not valid any more. Returns 0; -1, and a line in the log,
 * where the directory cannot be read.
 */
int kept_renew(struct files *files);

/* Removes files that were being made by processes which are gone. */
void kept_sweep(const struct files *files);

void kept_free(struct files *files);

/* Bytes of the files of all owners together. */
uint64_t kept_bytes(const struct files *files);

/* How many files an owner has, with all versions. */
uint64_t kept_of(const struct files *files, const char *owner);

/*
 * Returns a file of an owner: its newest version where version is 0. NULL where
 * there is none. Valid until kept_renew.
 */
const struct kept *kept_find(const struct files *files, const char *owner,
    const char *name, uint64_t version);

/*
 * Returns the version that the next file of this name gets: no file of this
 * name had it or a higher one, those that were removed included.
 */
uint64_t kept_next_version(
    const struct files *files, const char *owner, const char *name);

/*
 * Returns the heads of all files of an owner, by name and then by version,
 * which the caller frees; only the newest version of each unless versions is
 * set. Their number goes to *count.
 */
struct head *kept_list(const struct files *files, const char *owner,
    int versions, size_t *count);

/*
 * Removes files of an owner: the version of a name, all of a name where version
 * is 0, all where name is empty. How many goes to *count. Returns 0, or -1
 * where one of them is still there.
 */
int kept_remove(struct files *files, const char *owner, const char *name,
    uint64_t version, uint64_t *count);

/*
 * Opens a file for reading. Returns a descriptor that the caller owns, in which
 * the contents begin at FILE_HEAD_SIZE; -1 with the fault.
 */
int kept_open(const struct files *files, const struct kept *kept,
    enum file_fault *fault);

#endif
