/*
 * REMOVE_FILES: files of an owner are removed. Runs in files.
 */
#ifndef WORKER_FILES_REMOVED_H
#define WORKER_FILES_REMOVED_H

#include "../stored/files.h"

/* Removes them when it is its turn; a version comes with a name. */
void removed_begin(
    struct files *files, const struct ipc_remove_files *remove);

#endif
