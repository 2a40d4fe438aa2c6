/*
 * Files that are appended to: how they are opened, and whether they could be,
 * for --check, which leaves nothing behind. Runs in the supervisor.
 */
#ifndef SUPERVISOR_FILE_TRIAL_H
#define SUPERVISOR_FILE_TRIAL_H

#include "../../common/err.h"

/*
 * Opens a file to append to, through links, without waiting: a pipe that
 * nobody reads is an error. One that is not there is made. Returns the
 * descriptor, which the caller closes, or -1 with err.
 */
int file_trial_open(const char *path, struct err *err);

/*
 * Whether file_trial_open would succeed. Returns 0, or -1 with err; what it
 * has to make for that it removes again.
 */
int file_trial_append(const char *path, struct err *err);

/*
 * Whether a file that is not there could be made: makes it and removes it.
 * Returns 0, or -1 with err.
 */
int file_trial_make(const char *path, struct err *err);

#endif
