/*
 * Files to append to: opening them, and testing that without a trace, for
 * --check.
 */
#ifndef SUPERVISOR_FILE_TRIAL_H
#define SUPERVISOR_FILE_TRIAL_H

#include "../../common/base/err.h"

/*
 * Opens a file to append to, following links, without blocking: a FIFO without
 * a reader is an error. A missing file is created. Returns the descriptor,
 * which the caller closes, or -1 with err.
 */
int file_trial_open(const char *path, struct err *err);

/*
 * Tests whether file_trial_open would succeed. Returns 0, or -1 with err;
 * removes a file that it creates.
 */
int file_trial_append(const char *path, struct err *err);

/*
 * Tests whether a missing file could be created: creates and removes it.
 * Returns 0, or -1 with err.
 */
int file_trial_make(const char *path, struct err *err);

#endif
