/*
 * Versions of files that were removed: links name them, so they are not given
 * again. Each owner has a table with a number for every name of one hash, the
 * highest version of these that was removed. A few names therefore begin with a
 * higher version than 1. Runs in files.
 */
#ifndef WORKER_FILES_VERSIONS_H
#define WORKER_FILES_VERSIONS_H

#include <stdint.h>

/*
 * Notes in the directory of files that this version is being removed. What
 * cannot be noted, on a full disk for example, may be given again.
 */
void versions_note(
    int folder, const char *owner, const char *name, uint64_t version);

/* Returns the highest version that was noted for a name; 0 for none. */
uint64_t versions_noted(int folder, const char *owner, const char *name);

#endif
