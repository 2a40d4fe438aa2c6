/*
 * The stored files: an index of the directory, which is updated by reading it.
 * The head of a file never changes, so each is read once. Another process can
 * add and remove files at any time. Runs in files.
 */
#ifndef WORKER_FILES_INDEX_H
#define WORKER_FILES_INDEX_H

#include <stdbool.h>

#include "files.h"
#include "directory.h"
#include "head.h"

struct stored_file {
	char id[DIRECTORY_NAME_SIZE]; /* its name in the directory */
	bool sound;                 /* otherwise it is damaged, and left
				    * unchanged */
	struct head head;
};

/*
 * Reads the directory; files that are too old are removed. Pointers to earlier
 * entries become invalid. Returns 0; -1, and a line in the log, if the
 * directory cannot be read.
 */
int index_renew(struct files *files);

/* Removes incomplete files whose processes have ended. */
void index_sweep(const struct files *files);

void index_free(struct files *files);

/* Returns whether it is of this owner, or of any conversation of it. */
int index_is_of_any(const struct stored_file *stored, const char *owner);

/*
 * Returns a file of an owner: its newest version if version is 0. NULL if there
 * is none. Valid until index_renew.
 */
const struct stored_file *index_find(const struct files *files,
    const char *owner, const char *name, uint64_t version);

/* Returns whether an owner has files in a folder of this name. */
int index_is_folder(
    const struct files *files, const char *owner, const char *name);

/*
 * Returns why a conversation cannot have a file of this name beside its others:
 * one has the name of a folder of the other, or they are too many. goes tells
 * which of them are about to be removed; NULL: none is.
 */
enum file_fault index_judge(const struct files *files, const char *owner,
    const char *name, int (*goes)(void *ctx, const struct head *head),
    void *ctx);

/*
 * Returns the version for the next file of this name: larger than that of every
 * earlier file, including removed ones.
 */
uint64_t index_next_version(
    const struct files *files, const char *owner, const char *name);

/*
 * Returns the heads of all files of an owner, and with all those of its
 * conversations, sorted by conversation, name and version, which the caller
 * frees; only the newest version of each unless versions is set. Their number
 * is stored in *count.
 */
struct head *index_list(const struct files *files, const char *owner, int all,
    int versions, size_t *count);

/*
 * Removes files of an owner, and with all of its conversations: the version of
 * a name, all of a name if version is 0, all if name is empty. Their number is
 * stored in *count. Returns 0, or -1 if one of them still exists.
 */
int index_remove(struct files *files, const char *owner, int all,
    const char *name, uint64_t version, uint64_t *count);

/*
 * Opens a file for reading. Returns a descriptor that the caller owns, in which
 * the contents start at FILE_HEAD_SIZE; -1 with the fault.
 */
int index_open(const struct files *files, const struct stored_file *stored,
    enum file_fault *fault);

/*
 * Records that an open file of a conversation is used now: it stays for another
 * lifetime.
 */
void index_use(int file);

#endif
