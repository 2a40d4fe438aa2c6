/*
 * FETCH_FILE: a file is handed over to the supervisor. Runs in files.
 */
#ifndef WORKER_FILES_FETCHED_H
#define WORKER_FILES_FETCHED_H

#include "files.h"

/* Hands it over when it is its turn. */
void fetched_begin(struct files *files, const struct ipc_fetch_file *fetch);

#endif
