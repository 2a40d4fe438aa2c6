/*
 * The directories of a container, as a native box passes them by STARTED: the
 * working directory of the code, the directory of files to keep, and that of a
 * conversation. The porter carries files into and out of them. Runs in the
 * supervisor, which opens them and reads nothing in them.
 */
#ifndef SUPERVISOR_CONTAINER_FOLDERS_H
#define SUPERVISOR_CONTAINER_FOLDERS_H

#include <sys/types.h>

#include "../../../common/base/err.h"

/*
 * Opens /workspace and /workspace/out of the container in which this process
 * runs, and /data if data is not NULL; each must be a tmpfs of its own, as the
 * command line of its engine mounts them. They stay readable after the
 * container has been removed. To be called before the container receives code.
 * The caller must know afterwards that the container still runs: otherwise the
 * number of the process may have been that of another. Returns 0 and the
 * descriptors, which the caller owns, or -1 with err.
 */
int container_folders_open(
    pid_t pid, int *workspace, int *out_dir, int *data, struct err *err);

#endif
