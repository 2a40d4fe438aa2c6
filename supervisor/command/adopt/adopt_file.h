/*
 * The files that caisson adopt reads and replaces. At every moment a file is
 * the old one or the new one, and keeps its owner, its mode and the links to
 * it. Runs in the supervisor; copies bytes and parses none.
 */
#ifndef SUPERVISOR_ADOPT_FILE_H
#define SUPERVISOR_ADOPT_FILE_H

#include <sys/stat.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

/* All zeroes: no file. */
struct adopt_file {
	char *path; /* after following links */
	struct stat st; /* when it was read */
	struct buffer data;
};

/*
 * Reads a file. Returns 0, or -1 with err; call adopt_file_reset in both cases.
 */
int adopt_file_read(struct adopt_file *file, const char *path, struct err *err);
void adopt_file_reset(struct adopt_file *file);

/*
 * Checks whether a file that was read may be replaced by one of len bytes.
 * Returns 0, or -1 with err.
 */
int adopt_file_check(
    const struct adopt_file *file, size_t len, struct err *err);

/*
 * Replaces a file that was read, after these checks. Returns 0, or -1 with err,
 * also if it has changed since it was read: then nothing is written.
 */
int adopt_file_replace(const struct adopt_file *file, const char *data,
    size_t len, struct err *err);

/*
 * Writes a file of our own, readable only by our user, and replaces an existing
 * one. Returns 0, or -1 with err.
 */
int adopt_file_write(
    const char *path, const char *data, size_t len, struct err *err);

/* The same for a path that may be a link: the link is kept. */
int adopt_file_write_through(
    const char *path, const char *data, size_t len, struct err *err);

/* Creates a directory for our user only, and its missing parents. */
int adopt_file_make_folder(const char *path, struct err *err);

/*
 * Opens a directory and locks it against other runs until it is closed. Returns
 * the descriptor, or -1 with err if it is locked.
 */
int adopt_file_lock(const char *path, struct err *err);

/* Renames a file durably. Returns 0, or -1 with err. */
int adopt_file_rename(const char *from, const char *to, struct err *err);

#endif
