/*
 * Changes of the database, each one transaction. If the disk is full, the
 * write-ahead log is written back, and the change is repeated once. Runs in the
 * store.
 */
#ifndef WORKER_STORE_CHANGE_H
#define WORKER_STORE_CHANGE_H

#include "database.h"

/*
 * The action of a change: uses ctx and appends to json; it may be called twice.
 * Returns 0, or -1 with err.
 */
typedef int change_apply(struct database *database, void *ctx,
    struct buffer *json, struct err *err);

/* Stores something. Returns 0, or -1 with err: then nothing has changed. */
int change_save(struct database *database, change_apply *apply, void *ctx,
    struct buffer *json, struct err *err);

/*
 * Runs a statement that removes rows, and sets *count to their number. NULL: it
 * could not be prepared, and err contains the cause. Returns 0, or -1 with err.
 */
int change_remove(struct database *database, sqlite3_stmt *statement,
    uint64_t *count, struct err *err);

#endif
