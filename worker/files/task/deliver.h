/*
 * DELIVER: files of an owner are passed to a porter, which writes them into a
 * box. Runs in files.
 */
#ifndef WORKER_FILES_DELIVER_H
#define WORKER_FILES_DELIVER_H

#include "../stored/files.h"

/*
 * Passes them on: all, or none if one of them is unknown. The names are a list,
 * which is empty for all files of a conversation; the channel to the porter is
 * taken.
 */
void deliver_begin(struct files *files, struct ipc_deliver *deliver);

#endif
