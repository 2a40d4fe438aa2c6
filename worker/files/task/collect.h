/*
 * COLLECT: stores the files that a porter offers, one after another, in the
 * order of the offers. Runs in files.
 */
#ifndef WORKER_FILES_COLLECT_H
#define WORKER_FILES_COLLECT_H

#include "../stored/files.h"

/*
 * Starts to store the files offered on the channel to the porter, which is
 * taken. synced is a checked copy of the list in the message, and is taken.
 */
void collect_begin(
    struct files *files, struct ipc_collect *collect, char **synced);

#endif
