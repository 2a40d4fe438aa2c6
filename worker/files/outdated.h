/*
 * Versions that give way: where the limits of files are reached, the oldest
 * earlier versions of files of conversations are removed, which grow in number
 * with each call. Runs in files.
 */
#ifndef WORKER_FILES_OUTDATED_H
#define WORKER_FILES_OUTDATED_H

#include "files.h"

/*
 * Removes the oldest version of all that the conversations of this owner have,
 * except the newest one of each file; owner may include a conversation. Returns
 * 1, or 0 if there is none or it cannot be removed.
 */
int outdated_remove(struct files *files, const char *owner);

#endif
