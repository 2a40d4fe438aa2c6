/*
 * Versions of removed files: links refer to them, so they are not reused. Each
 * owner has a table, also for its conversations, with a number for all names of
 * one hash: the highest removed version of these. A few names therefore start
 * with a version above 1. Runs in files.
 */
#ifndef WORKER_FILES_VERSIONS_H
#define WORKER_FILES_VERSIONS_H

#include <stdint.h>

/*
 * Records in the directory of files that this version is being removed. If that
 * fails, for example on a full disk, the version may be reused.
 */
void versions_note(
    int folder, const char *owner, const char *name, uint64_t version);

/* Returns the highest version recorded for a name; 0 for none. */
uint64_t versions_noted(int folder, const char *owner, const char *name);

#endif
