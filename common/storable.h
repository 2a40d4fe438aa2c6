/*
 * Checks of data that is stored for later calls: names of saved tools, and
 * metadata of memories. The relay checks them when it parses the box, and the
 * store checks them again, also when it reads data written by earlier versions.
 * Pure functions.
 */
#ifndef COMMON_STORABLE_H
#define COMMON_STORABLE_H

#include <stddef.h>

#include "base/err.h"

/*
 * Whether a tool may be saved under this name: later calls must be able to
 * import it, and it must not hide another name. Characters beyond ASCII are
 * accepted if a terminal shows them; the box accepts only those that Python
 * accepts. Returns 0, or -1 with err.
 */
int storable_name(const char *name, struct err *err);

/*
 * Whether bytes are exactly one JSON value on one line, as the box expects in
 * an answer. Returns 0, or -1 with err.
 */
int storable_json(const char *data, size_t len, struct err *err);

/*
 * Whether bytes are such a value and may be stored as metadata: an object that
 * Python can print, because code that lists memories prints the metadata of all
 * of them. Returns 0, or -1 with err.
 */
int storable_metadata(const char *data, size_t len, struct err *err);

#endif
