/*
 * ADD_FILE: stores a file that the supervisor passes. Runs in files.
 */
#ifndef WORKER_FILES_ADDED_H
#define WORKER_FILES_ADDED_H

#include "../stored/files.h"

/* Starts to store it; the descriptor is taken. */
void added_begin(struct files *files, struct ipc_add_file *add);

#endif
