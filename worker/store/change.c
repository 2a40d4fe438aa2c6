/*
 * Changes of the database: see change.h. Runs in the store.
 */
#include "change.h"

static int
change_try(struct database *database, change_apply *apply, void *ctx,
    struct buffer *json, struct err *err)
{
	if (database_begin(database, err) == -1)
		return -1;
	return database_end(
	    database, apply(database, ctx, json, err) == -1, err);
}

int
change_save(struct database *database, change_apply *apply, void *ctx,
    struct buffer *json, struct err *err)
{
	size_t begin = json->len;
	int done = change_try(database, apply, ctx, json, err);

	if (done == 0 || !database_is_full(database))
		return done;
	json->len = begin;
	database_shorten_log(database);
	return change_try(database, apply, ctx, json, err);
}

int
change_remove(struct database *database, sqlite3_stmt *statement,
    uint64_t *count, struct err *err)
{
	int done =
	    statement == NULL ? -1 : database_step(database, statement, err);

	if (statement != NULL && done == -1 && database_is_full(database)) {
		database_shorten_log(database);
		sqlite3_reset(statement);
		done = database_step(database, statement, err);
	}
	*count = done == -1 ? 0 : database_changes(database);
	return done;
}
