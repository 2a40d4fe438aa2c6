/*
 * The audit file: the one file that the supervisor opens for others to write
 * to, so who else could write there is looked at. Runs in the supervisor.
 */
#ifndef SUPERVISOR_AUDIT_FILE_H
#define SUPERVISOR_AUDIT_FILE_H

#include "../../common/err.h"

/*
 * Opens it for appending, and makes it, mode 0600, when it is not there; no
 * path (an empty one) is no file. Returns 0 with *fd, which the caller owns
 * (-1: there is none), or -1 with err: it cannot be opened, is a link or no
 * regular file, or another user could write to it. What others can read is
 * used, with a line in the log.
 */
int audit_file_open(const char *path, int *fd, struct err *err);

/* What that would say of it: the same errors, but nothing is made. */
int audit_file_try(const char *path, struct err *err);

#endif
