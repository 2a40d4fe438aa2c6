/*
 * Reads a configuration file into rows: its entries, and its faults with line
 * and column. An invalid entry does not affect the others. Pure except for the
 * sink; runs in the reader.
 */
#ifndef READER_CONFIG_H
#define READER_CONFIG_H

#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/ipc/ipc.h"
#include "locator.h"

/* The properties of a file that are known before it is read. */
struct config_file {
	enum config_shape shape;
	const char *folder; /* the current directory; "" for none */
};

/*
 * Reads a text of len bytes (data may be NULL for none), which it may change.
 * Every entry becomes one row, in the order of the file, at most
 * CONFIG_ENTRIES_MAX; every row is within the bounds of the catalogue. Returns
 * whether the text could be parsed; 0 also for a blank text.
 */
int config_read(char *data, size_t len, const struct config_file *file,
    const struct config_sink *sink);

#endif
