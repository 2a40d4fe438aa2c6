/*
 * Files as caisson adopt reads and replaces them: at every moment a file is the
 * old one or the new one, with its owner, its mode and the links that lead to
 * it. Runs in the supervisor; copies bytes and parses none.
 */
#ifndef SUPERVISOR_ADOPT_FILE_H
#define SUPERVISOR_ADOPT_FILE_H

#include <sys/stat.h>

#include "../../common/buffer.h"
#include "../../common/err.h"

/* All zeroes is none. */
struct adopt_file {
	char *path; /* where links lead to */
	struct stat st; /* as it was read */
	struct buffer data;
};

/* Reads a file. Returns 0, or -1 with err; adopt_file_reset in both cases. */
int adopt_file_read(
    struct adopt_file *file, const char *path, struct err *err);
void adopt_file_reset(struct adopt_file *file);

/*
 * Whether a file that was read may be replaced by one of len bytes. Returns 0,
 * or -1 with err.
 */
int adopt_file_check(
    const struct adopt_file *file, size_t len, struct err *err);

/*
 * Replaces a file that was read, which is checked so. Returns 0, or -1 with
 * err, also when it has changed since it was read: nothing is written then.
 */
int adopt_file_replace(const struct adopt_file *file, const char *data,
    size_t len, struct err *err);

/*
 * Writes a file of our own, for our user only, in the place of one that may be
 * there. Returns 0, or -1 with err.
 */
int adopt_file_write(
    const char *path, const char *data, size_t len, struct err *err);

/* The same for a file that a link may lead to: the link stays. */
int adopt_file_write_through(
    const char *path, const char *data, size_t len, struct err *err);

/* Makes a folder for our user only, and those above it that are missing. */
int adopt_file_make_folder(const char *path, struct err *err);

/*
 * Opens a folder and keeps others of us from it until it is closed. Returns
 * the descriptor, or -1 with err: another one has it.
 */
int adopt_file_lock(const char *path, struct err *err);

/* Renames, so that it lasts. Returns 0, or -1 with err. */
int adopt_file_rename(const char *from, const char *to, struct err *err);

#endif
