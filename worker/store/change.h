/*
 * Changes of the database, each one transaction, on a disk that may be full:
 * the log of changes is written back then, and the change is tried once more.
 * Removing works without any room on the disk. Runs in the store.
 */
#ifndef WORKER_STORE_CHANGE_H
#define WORKER_STORE_CHANGE_H

#include "database.h"

/*
 * What a change does with its ctx, and appends to json; it may be called twice.
 * Returns 0, or -1 with err.
 */
typedef int change_apply(struct database *database, void *ctx,
    struct buffer *json, struct err *err);

/* Saves something. Returns 0, or -1 with err: then nothing has changed. */
int change_save(struct database *database, change_apply *apply, void *ctx,
    struct buffer *json, struct err *err);

/* Rows that are to be removed. */
struct change_rows {
	const char *table;
	const char *columns[3]; /* the large ones, and NULL */
	const char *where;      /* a condition with values to be bound */
	void (*bind)(sqlite3_stmt *statement, const void *ctx);
	const void *ctx;
};

/*
 * Removes rows, and sets *count to how many there were: all in one change, or,
 * where there is no room for that, one after the other. Returns 0, or -1 with
 * err.
 */
int change_remove(struct database *database, const struct change_rows *rows,
    uint64_t *count, struct err *err);

#endif
