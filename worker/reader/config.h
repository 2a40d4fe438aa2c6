/*
 * A configuration file as rows: what it defines, and what is wrong with it,
 * with line and column. One entry that is wrong costs only itself. Pure but
 * for the sink; runs in the reader.
 */
#ifndef READER_CONFIG_H
#define READER_CONFIG_H

#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/ipc.h"
#include "spots.h"

/* Who is told; what a row points to dies when the function returns. */
struct config_sink {
	void (*server)(void *ctx, struct ipc_entry *server);
	void (*rejected)(void *ctx, struct ipc_rejected *rejected);
	void *ctx;
	const struct spots_sink *spots; /* where they stand; NULL: no one */
};

/* What is known of a file before it is read. */
struct config_file {
	enum config_shape shape;
	const char *folder; /* the one worked in; "" for none */
};

/*
 * Reads a text of len bytes (data may be NULL for none), which it may change.
 * Every entry becomes one row, in the order of the file, at most
 * CONFIG_ENTRIES_MAX; every row is within the bounds of the catalogue. Returns
 * whether the text could be parsed; 0 also for one that is blank.
 */
int config_read(char *data, size_t len, const struct config_file *file,
    const struct config_sink *sink);

#endif
