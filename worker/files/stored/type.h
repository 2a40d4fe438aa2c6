/*
 * The media type of a file, from the extension of its name and its first bytes.
 * Pure functions. Runs in files.
 */
#ifndef WORKER_FILES_TYPE_H
#define WORKER_FILES_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* How many of its first bytes are examined. */
#define TYPE_LOOKED 4096

/* The type of what is nothing else. */
#define TYPE_BYTES "application/octet-stream"

/*
 * Returns the media type of a file with this name, static; data is its first
 * bytes, at most TYPE_LOOKED, and whole is set if there are no more.
 */
const char *type_of(
    const char *name, const uint8_t *data, size_t len, int whole);

#endif
