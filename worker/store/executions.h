/*
 * The executions: one row for each, in the scope of its owner, with its facts
 * and, for OUTPUT_KEPT_SECONDS, its output. Runs in the store, which interprets
 * neither.
 */
#ifndef WORKER_STORE_EXECUTIONS_H
#define WORKER_STORE_EXECUTIONS_H

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "database.h"

/*
 * Keeps an execution, for its number of days: in memory until executions_flush,
 * which all that reads them calls, or until these are many bytes. Above
 * EXECUTIONS_BYTES_MAX, the oldest of the scope that keeps most gives way.
 * Returns 0, or -1 with err.
 */
int executions_keep(struct database *database,
    const struct ipc_keep_execution *execution, struct err *err);

/* Writes those that wait, in one change. Why that failed is logged. */
void executions_flush(struct database *database);

/* The part of an output that starts at from. */
struct execution_part {
	const char *scope;
	const char *execution;
	int errors; /* of standard error */
	uint64_t from;
};

/*
 * Appends it: an object with text and next. Returns 0, or -1 with err, which is
 * the same for outputs that never were, are gone, or belong to another scope.
 */
int executions_load(struct database *database,
    const struct execution_part *part, struct buffer *json, struct err *err);

/*
 * Appends up to OUTPUT_READ_MAX bytes of it. Returns 1 with the size of the
 * whole, 0 if this scope has no such output, or -1 with err.
 */
int executions_read(struct database *database,
    const struct execution_part *part,
    struct buffer *bytes, uint64_t *whole, struct err *err);

/*
 * Append a page of the executions of a scope, the last one first, which starts
 * after an id (empty: at the last one); or one of them with the start of its
 * output, or null. Return 0, or -1 with err.
 */
int executions_list(struct database *database, const char *scope,
    const char *after, struct buffer *json, struct err *err);
int executions_show(struct database *database, const char *scope,
    const char *id, struct buffer *json, struct err *err);

#endif
