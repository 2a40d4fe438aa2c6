/*
 * ADD_FILE and RECEIVE_FILE: store a file that the supervisor passes, or that
 * comes through a pipe. Runs in files.
 */
#ifndef WORKER_FILES_ADDED_H
#define WORKER_FILES_ADDED_H

#include "../stored/files.h"

/* Starts to store it; the descriptor is taken. */
void added_begin(struct files *files, struct ipc_add_file *add);

/* Starts to store one that will come. */
void received_begin(
    struct files *files, const struct ipc_receive_file *receive);

#endif
