/*
 * Changes of the database: see change.h. Runs in the store.
 */
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "change.h"
#include "reserve.h"

/* A change that affects one row, or all rows. */
struct change_step {
	const struct change_rows *rows;
	uint64_t *count;    /* of all removed rows */
	uint64_t row;       /* this one */
	const char *column; /* a part of it is overwritten */
	uint64_t from, len;
};

/* One attempt; if grow is set, the file may become larger. */
static int
change_try(struct database *database, change_apply *apply, void *ctx, int grow,
    struct buffer *json, struct err *err)
{
	int failed;

	if (database_begin(database, err) == -1)
		return -1;
	failed = apply(database, ctx, json, err) == -1 ||
	    database_allot(database, grow, err) == -1;
	return database_end(database, failed, err);
}

/* Recreates the reserve for the next time, if it was given up. */
static int
change_renew_reserve(struct database *database)
{
	if (reserve_take() == 0)
		return 0;
	database_shorten_log(database);
	return reserve_take();
}

/* Saving */

/*
 * There may be room in the file even if there is none beside it. A change that
 * does not enlarge the file may use the reserve meanwhile.
 */
static int
change_save_in_place(struct database *database, change_apply *apply,
    void *ctx, struct buffer *json, struct err *err)
{
	int done;

	reserve_release();
	database_shorten_log(database);
	done = change_try(database, apply, ctx, 0, json, err);
	database_shorten_log(database);
	reserve_take();
	return done;
}

int
change_save(struct database *database, change_apply *apply, void *ctx,
    struct buffer *json, struct err *err)
{
	size_t begin = json->len;
	int done;

	/* The reserve may have been given up to open the database. */
	if (database_open(database, err) == -1)
		return -1;
	if (change_renew_reserve(database) == -1)
		return database_refuse_full(database, err);
	done = change_try(database, apply, ctx, 1, json, err);
	if (done == -1 && database_is_full(database)) {
		json->len = begin;
		database_shorten_log(database);
		done = change_try(database, apply, ctx, 1, json, err);
	}
	if (done == -1 && database_is_full(database)) {
		json->len = begin;
		done = change_save_in_place(database, apply, ctx, json, err);
		if (done == -1)
			database_give_back(database);
	}
	return done;
}

/* Removing */

/* Performs a step of a removal, which may use the reserve. */
static int
change_do_step(struct database *database, change_apply *apply,
    struct change_step *step, struct err *err)
{
	int done = change_try(database, apply, step, 1, NULL, err);

	if (done == 0 || !database_is_full(database))
		return done;
	reserve_release();
	database_shorten_log(database);
	return change_try(database, apply, step, 1, NULL, err);
}

static int
change_apply_all(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	struct change_step *step = ctx;
	auto_free char *sql = mem_printf("DELETE FROM %s WHERE %s",
	    step->rows->table, step->rows->where);
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);

	(void)json;
	if (statement == NULL)
		return -1;
	step->rows->bind(statement, step->rows->ctx);
	if (database_step(database, statement, err) == -1)
		return -1;
	*step->count = database_changes(database);
	return 0;
}

static int
change_apply_row(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	struct change_step *step = ctx;
	auto_free char *sql =
	    mem_printf("DELETE FROM %s WHERE rowid = ?1", step->rows->table);
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);

	(void)json;
	if (statement == NULL)
		return -1;
	database_bind_number(statement, 1, step->row);
	return database_step(database, statement, err);
}

static int
change_apply_blank(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	struct change_step *step = ctx;

	(void)json;
	return database_blank(database, step->rows->table, step->column,
	    step->row, step->from, step->len, err);
}

/* Returns the size in bytes of a column of the row. */
static int
change_find_size(struct database *database, struct change_step *step,
    const char *column, uint64_t *size, struct err *err)
{
	auto_free char *sql = mem_printf("SELECT length(CAST(%s AS BLOB))"
	    " FROM %s WHERE rowid = ?1", column, step->rows->table);
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);
	int found;

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 1, step->row);
	found = database_step(database, statement, err);
	*size = found == 1 ? database_number(statement, 0) : 0;
	return found == -1 ? -1 : 0;
}

/* Overwrites a column of the row, in pieces that need little room each. */
static int
change_blank_column(struct database *database, struct change_step *step,
    const char *column, struct err *err)
{
	uint64_t size;

	if (change_find_size(database, step, column, &size, err) == -1)
		return -1;
	step->column = column;
	for (step->from = 0; step->from < size; step->from += DATABASE_PIECE) {
		step->len = size - step->from;
		if (step->len > DATABASE_PIECE)
			step->len = DATABASE_PIECE;
		if (change_do_step(database, change_apply_blank, step, err) ==
		    -1)
			return -1;
	}
	return 0;
}

/*
 * Removes a row that is too large to be overwritten and removed in one change.
 * A key of more than a few hundred bytes may remain in free pages.
 */
static int
change_remove_large(struct database *database, struct change_step *step,
    struct err *err)
{
	const char *const *column;
	struct err ignored;
	int done;

	for (column = step->rows->columns; *column != NULL; column++)
		if (change_blank_column(database, step, *column, err) == -1)
			return -1;
	if (database_run(database, "PRAGMA secure_delete = FAST", err) == -1)
		return -1;
	done = change_do_step(database, change_apply_row, step, err);
	database_run(database, "PRAGMA secure_delete = ON", &ignored);
	return done;
}

/* The first row. Returns 1, 0 if there is none, or -1 with err. */
static int
change_find_row(struct database *database, struct change_step *step,
    struct err *err)
{
	auto_free char *sql = mem_printf("SELECT rowid FROM %s WHERE %s"
	    " LIMIT 1", step->rows->table, step->rows->where);
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);
	int found;

	if (statement == NULL)
		return -1;
	step->rows->bind(statement, step->rows->ctx);
	found = database_step(database, statement, err);
	if (found == 1)
		step->row = database_number(statement, 0);
	return found;
}

static int
change_remove_each(struct database *database, struct change_step *step,
    struct err *err)
{
	int found, done;

	*step->count = 0;
	while ((found = change_find_row(database, step, err)) == 1) {
		done = change_do_step(database, change_apply_row, step, err);
		if (done == -1 && database_is_full(database))
			done = change_remove_large(database, step, err);
		if (done == -1)
			return -1;
		(*step->count)++;
	}
	return found;
}

int
change_remove(struct database *database, const struct change_rows *rows,
    uint64_t *count, struct err *err)
{
	struct change_step step = { .rows = rows, .count = count };
	int done = change_do_step(database, change_apply_all, &step, err);

	if (done == -1 && database_is_full(database))
		done = change_remove_each(database, &step, err);
	change_renew_reserve(database);
	return done;
}
