/*
 * DELIVER: files of an owner are handed to a porter, which puts them into a
 * box. Runs in files.
 */
#ifndef WORKER_FILES_DELIVER_H
#define WORKER_FILES_DELIVER_H

#include "files.h"

/*
 * Hands them over: all, or none where one of them is unknown. The names are a
 * list; the channel to the porter is taken.
 */
void deliver_begin(struct files *files, struct ipc_deliver *deliver);

#endif
