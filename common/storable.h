/*
 * What may be kept for later calls: names of saved tools, and metadata of
 * memories. The relay checks both, as it reads them from the box, and the store
 * checks them again, also when it reads what earlier versions have written.
 * Pure functions.
 */
#ifndef COMMON_STORABLE_H
#define COMMON_STORABLE_H

#include <stddef.h>

#include "err.h"

/*
 * Whether a tool may be saved by this name: later calls must be able to import
 * it, and must not get it in the place of something else. Characters beyond
 * ASCII are accepted when a terminal shows them; the box accepts only those
 * that Python does. Returns 0, or -1 with err.
 */
int storable_name(const char *name, struct err *err);

/*
 * Whether bytes are exactly one JSON value on one line, as the box expects it
 * in an answer. Returns 0, or -1 with err.
 */
int storable_json(const char *data, size_t len, struct err *err);

/*
 * Whether bytes are such a value and may be kept as metadata: an object that
 * Python can print, since code that lists memories reads and prints the
 * metadata of all of them at once. Returns 0, or -1 with err.
 */
int storable_metadata(const char *data, size_t len, struct err *err);

#endif
