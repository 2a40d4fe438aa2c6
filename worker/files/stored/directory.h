/*
 * The directory of files: the only code of this process that opens anything.
 * File names there are random; names chosen by users never become paths.
 *
 *	0123456789abcdef	a stored file (16 digits)
 *	t0123456789abcdef	an incomplete one, locked by its process
 *	v0123456789abcdef	a table of an owner (versions.h)
 *	lock			locked while a file is added
 *	secret			signs links (link.h)
 *
 * Runs in files.
 */
#ifndef WORKER_FILES_DIRECTORY_H
#define WORKER_FILES_DIRECTORY_H

#include <stdint.h>

#include "../../../common/base/fd.h"

/* A random name, with a NUL; and the same for an incomplete file. */
#define DIRECTORY_NAME_SIZE 17
#define DIRECTORY_TEMPORARY_SIZE (DIRECTORY_NAME_SIZE + 1)

enum directory_entry {
	DIRECTORY_STORED,
	DIRECTORY_TEMPORARY,
	DIRECTORY_TABLE,
	DIRECTORY_LOCK,
	DIRECTORY_SECRET,
	DIRECTORY_FOREIGN
};

/* The kind of an entry, from its name. */
enum directory_entry directory_entry(const char *name);

/*
 * Calls tell with the name of each entry. Returns 0, or -1 with errno if not
 * all could be read.
 */
int directory_each(
    int folder, void (*tell)(void *ctx, const char *name), void *ctx);

/*
 * Opens a file for reading. Returns a descriptor that the caller owns; -1 with
 * errno on failure.
 */
int directory_open(int folder, const char *name);

/*
 * Creates a file to write, and its name. Returns a descriptor that the caller
 * owns and that holds the lock of the file; -1 with errno on failure.
 */
int directory_make(int folder, char name[DIRECTORY_TEMPORARY_SIZE]);

/*
 * Gives such a file its final name when it is complete. Returns 0, or -1 with
 * errno.
 */
int directory_keep(
    int folder, const char *temporary, char name[DIRECTORY_NAME_SIZE]);

/*
 * Opens the table of this number for reading and writing; creates it if it is
 * missing and is_made is set. Returns a descriptor that the caller owns; -1
 * with errno on failure.
 */
int directory_table(int folder, uint64_t number, int is_made);

#define DIRECTORY_SECRET_SIZE 32

/* Reads the secret of links, or makes it. Returns 0, or -1 with errno. */
int directory_secret(int folder, uint8_t secret[DIRECTORY_SECRET_SIZE]);

/* Removes a file. Returns 0, also if it does not exist, or -1 with errno. */
int directory_remove(int folder, const char *name);

/*
 * Syncs the directory, so that names survive a loss of power. Returns 0, also
 * on a file system that cannot do this, or -1 with errno.
 */
int directory_sync(int folder);

/* Removes an incomplete file whose process has ended. */
void directory_sweep(int folder, const char *temporary);

/*
 * Locks the directory against other processes that add files. Returns a
 * descriptor that the caller owns and that holds the lock; -1 with errno, which
 * is EWOULDBLOCK while another process holds it. Does not wait.
 */
int directory_lock(int folder);

#endif
