/*
 * The audit file: the only file that the supervisor opens for other processes
 * to write to. So it checks which users can write to it.
 */
#ifndef SUPERVISOR_AUDIT_FILE_H
#define SUPERVISOR_AUDIT_FILE_H

#include "../../common/base/err.h"

/*
 * Opens it for appending, and creates it, mode 0600, if it is missing; an empty
 * path means no file. Returns 0 with *fd, which the caller owns (-1: no file),
 * or -1 with err if it cannot be opened, is a link or no regular file, or is
 * writable by other users. A file that others can read is used, with a line in
 * the log.
 */
int audit_file_open(const char *path, int *fd, struct err *err);

/* Checks as audit_file_open does, with the same errors, but creates nothing. */
int audit_file_try(const char *path, struct err *err);

#endif
