/*
 * Changes of the database, each one transaction, on a disk that may be full. In
 * that case the write-ahead log is written back, and the change is repeated
 * once. Removing works without free disk space. Runs in the store.
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

/* Rows to remove. */
struct change_rows {
	const char *table;
	const char *columns[3]; /* the large columns, and NULL */
	const char *where;      /* a condition with bound values */
	void (*bind)(sqlite3_stmt *statement, const void *ctx);
	const void *ctx;
};

/*
 * Removes rows, and sets *count to their number: all in one change or, if there
 * is no room for that, one after the other. Returns 0, or -1 with err.
 */
int change_remove(struct database *database, const struct change_rows *rows,
    uint64_t *count, struct err *err);

#endif
