/*
 * ADD_FILE: a file that the supervisor hands over. Runs in files.
 */
#ifndef WORKER_FILES_ADDED_H
#define WORKER_FILES_ADDED_H

#include "files.h"

/* Begins to keep it; the descriptor is taken. */
void added_begin(struct files *files, struct ipc_add_file *add);

#endif
