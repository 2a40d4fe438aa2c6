/*
 * Whether a file could be made: asked by --check, which makes none. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_FILE_TRIAL_H
#define SUPERVISOR_FILE_TRIAL_H

#include "../common/err.h"

/*
 * For an absolute path at which there is nothing. Returns 0, or -1 with err:
 * its folder is not there, or is not ours to write to.
 */
int file_trial_make(const char *path, struct err *err);

/*
 * Whether it could be opened for appending, and be made if it is not there.
 * Returns 0, or -1 with err.
 */
int file_trial_append(const char *path, struct err *err);

#endif
