/*
 * LIST_USAGE: tells how much each owner keeps. Runs in files.
 */
#ifndef WORKER_FILES_USAGE_H
#define WORKER_FILES_USAGE_H

#include "../stored/files.h"

/* Starts to tell it. */
void usage_begin(struct files *files, const struct ipc_list_usage *list);

#endif
