/*
 * The database: one file of SQLite, its schema, and what its errors mean to a
 * user. Several processes may have it open; each change is one transaction.
 * Runs in the store, in whose working directory the file lies.
 */
#ifndef WORKER_STORE_DATABASE_H
#define WORKER_STORE_DATABASE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "../../common/buffer.h"
#include "../../common/err.h"

#define DATABASE_NAME "caisson.db"

struct database;

/*
 * A database that is not open yet; most is how many bytes its memories and
 * tools may take together. database_free closes and frees it; NULL inside is
 * accepted.
 */
struct database *database_new(uint64_t most);
void database_free(struct database **database);
uint64_t database_most(const struct database *database);

/*
 * Opens it, and makes it when there is none; does nothing when it is open. What
 * is no file, no database, damaged, emptied, without its log, another program's
 * or a newer version's is left as it is. Returns 0, or -1 with err.
 */
int database_open(struct database *database, struct err *err);

/*
 * Between two changes: a file that was removed, replaced or emptied
 * meanwhile, or whose log was removed, is let go, so that nothing is kept where
 * nobody finds it; the next statement opens what is there. Ends the process
 * when the directory is gone.
 */
void database_look(struct database *database);

/*
 * Prepares a statement. Returns NULL with err, also when the database cannot be
 * opened. "auto_statement" finalises at the end of the scope; values are bound
 * by number, from 1, and bytes must last until then.
 */
sqlite3_stmt *database_prepare(
    struct database *database, const char *sql, struct err *err);
void database_bind_number(sqlite3_stmt *statement, int at, uint64_t number);
void database_bind_text(sqlite3_stmt *statement, int at, const char *text);
void database_bind_bytes(
    sqlite3_stmt *statement, int at, const void *data, size_t len);

void database_finalize(sqlite3_stmt **statement);
#define auto_statement __attribute__((cleanup(database_finalize)))

/* Runs it to its next row. Returns 1, 0 at its end, or -1 with err. */
int database_step(
    struct database *database, sqlite3_stmt *statement, struct err *err);

/*
 * Appends a page of rows, from the first that statement finds (NULL: it could
 * not be made, and err says why): {"entries":[…],"more":…}, each entry as tell
 * appends it, without its end. Returns 0, or -1 with err.
 */
int database_list(struct database *database, sqlite3_stmt *statement,
    void (*tell)(sqlite3_stmt *row, struct buffer *json), struct buffer *json,
    struct err *err);

/* A column of a row: bytes that last until the next step. */
const char *database_bytes(sqlite3_stmt *statement, int column, size_t *len);
uint64_t database_number(sqlite3_stmt *statement, int column);

/* Appends a column as a JSON string; what is not UTF-8 becomes U+FFFD. */
void database_add_string(
    sqlite3_stmt *statement, int column, struct buffer *json);

/* Runs a statement without values and rows. Returns 0, or -1 with err. */
int database_run(struct database *database, const char *sql, struct err *err);

/*
 * One change: begins with the right to write, which others wait for, and ends
 * with all of it done, or, when failed is set or that fails, with nothing.
 * database_end returns 0, or -1 with err, which it leaves as it is when failed
 * is set.
 */
int database_begin(struct database *database, struct err *err);
int database_end(struct database *database, int failed, struct err *err);

/*
 * In a change: makes the file as large as it will be, so that the log can be
 * written back whatever comes; without grow it must be so large already.
 * Returns 0, or -1 with err.
 */
int database_allot(struct database *database, int grow, struct err *err);

/*
 * Between two changes: makes the file as small as what was changed allows, when
 * a change for which it was made larger has failed.
 */
void database_give_back(struct database *database);

/*
 * Between two changes: writes the log back into the file, and removes all of
 * it, also what failed changes have left there.
 */
void database_shorten_log(struct database *database);

/*
 * Whether what failed last did so for want of room on the disk; and the error
 * that says this, which returns -1.
 */
int database_is_full(const struct database *database);
int database_refuse_full(struct database *database, struct err *err);

/*
 * In a change: overwrites len bytes (DATABASE_PIECE at most) of a column of a
 * row with zeroes. Returns 0, or -1 with err.
 */
int database_blank(struct database *database, const char *table,
    const char *column, uint64_t row, uint64_t from, uint64_t len,
    struct err *err);

/* How many rows the last statement changed. */
uint64_t database_changes(const struct database *database);

#endif
