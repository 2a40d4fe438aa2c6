/*
 * The output of executions that was cut in their answers: by id, each in a
 * scope, for OUTPUT_KEPT_SECONDS. Runs in the store, which never interprets it.
 */
#ifndef WORKER_STORE_OUTPUTS_H
#define WORKER_STORE_OUTPUTS_H

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "database.h"

struct output {
	const char *execution; /* its id */
	struct ipc_bytes out;
	struct ipc_bytes errors;
};

/*
 * Keeps an output. Above OUTPUTS_BYTES_MAX, the oldest output of the scope that
 * keeps most gives way. Returns 0, or -1 with err.
 */
int outputs_keep(struct database *database, const char *scope,
    const struct output *output, struct err *err);

/* The part of an output that starts at from. */
struct output_part {
	const char *scope;
	const char *execution;
	int errors; /* of standard error */
	uint64_t from;
};

/*
 * Appends it: an object with text and next. Returns 0, or -1 with err, which is
 * the same for outputs that never were, are gone, or belong to another scope.
 */
int outputs_load(struct database *database, const struct output_part *part,
    struct buffer *json, struct err *err);

/*
 * Appends up to OUTPUT_READ_MAX bytes of it. Returns 1 with the size of the
 * whole, 0 if this scope has no such output, or -1 with err.
 */
int outputs_read(struct database *database, const struct output_part *part,
    struct buffer *bytes, uint64_t *whole, struct err *err);

#endif
