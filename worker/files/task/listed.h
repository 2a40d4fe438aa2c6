/*
 * LIST_FILES: lists the files of an owner. Runs in files.
 */
#ifndef WORKER_FILES_LISTED_H
#define WORKER_FILES_LISTED_H

#include "../stored/files.h"

/* Starts to list them. */
void listed_begin(struct files *files, const struct ipc_list_files *list);

#endif
