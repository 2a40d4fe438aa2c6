/*
 * Versions that give way, by one rule for all files: where a limit is reached,
 * the oldest version of the same owner that has a newer one is removed. Runs in
 * files.
 */
#ifndef WORKER_FILES_OUTDATED_H
#define WORKER_FILES_OUTDATED_H

#include "files.h"
#include "share.h"

/*
 * Returns what all versions take that this owner has, and with all its
 * conversations, and that may give way.
 */
struct share outdated_share(
    const struct files *files, const char *owner, int all);

/*
 * Removes the oldest version of all that this owner and its conversations have,
 * except the newest one of each file; owner may include a conversation. Returns
 * 1, or 0 if there is none or it cannot be removed.
 */
int outdated_remove(struct files *files, const char *owner);

#endif
