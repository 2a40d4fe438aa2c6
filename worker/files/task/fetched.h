/*
 * FETCH_FILE: a file is passed to the supervisor. Runs in files.
 */
#ifndef WORKER_FILES_FETCHED_H
#define WORKER_FILES_FETCHED_H

#include "../stored/files.h"

/* Passes it on when the task has its turn. */
void fetched_begin(struct files *files, const struct ipc_fetch_file *fetch);

#endif
