/*
 * The database: one file of SQLite, its schema, and error messages for users.
 * Several processes may have it open; each change is one transaction. Runs in
 * the store; the file is in its working directory.
 */
#ifndef WORKER_STORE_DATABASE_H
#define WORKER_STORE_DATABASE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "../../common/base/buffer.h"
#include "../../common/base/err.h"

#define DATABASE_NAME "caisson.db"

struct database;

/*
 * Makes a database that is not open yet; most is the maximum number of bytes of
 * its memories and tools together. database_free closes and frees it; NULL
 * inside is accepted.
 */
struct database *database_new(uint64_t most);
void database_free(struct database **database);
uint64_t database_most(const struct database *database);

/* Sets, and returns, the bytes of the scope whose items are saved next. */
void database_limit(struct database *database, uint64_t own);
uint64_t database_own(const struct database *database);

/*
 * Opens the file, and creates it if there is none; does nothing if it is open.
 * A file that is not a database, damaged, without its log, of another program
 * or of a newer version is left unchanged. Returns 0, or -1 with err.
 */
int database_open(struct database *database, struct err *err);

/*
 * Returns why something failed, for boxes and clients: without the folder of
 * the file, which is the host's. The caller frees it. If there was one, the
 * whole text is logged, once as long as it is the same.
 */
char *database_reason(struct database *database, const struct err *why);

/*
 * Called between two changes: closes a file that was removed, replaced or
 * emptied meanwhile, or whose log was removed, so that no data is written to a
 * file that cannot be found. The next statement opens the current one. Exits if
 * the directory is gone.
 */
void database_look(struct database *database);

/*
 * Prepares a statement. Returns NULL with err, also if the database cannot be
 * opened. "auto_statement" finalises it at the end of the scope. Values are
 * bound by number, from 1; their bytes must stay valid until then.
 */
sqlite3_stmt *database_prepare(
    struct database *database, const char *sql, struct err *err);
/* The same, with its first value: the scope of most statements. */
sqlite3_stmt *database_prepare_of(struct database *database, const char *sql,
    const char *first, struct err *err);
void database_bind_number(sqlite3_stmt *statement, int at, uint64_t number);
void database_bind_text(sqlite3_stmt *statement, int at, const char *text);
void database_bind_bytes(
    sqlite3_stmt *statement, int at, const void *data, size_t len);

void database_finalize(sqlite3_stmt **statement);
#define auto_statement __attribute__((cleanup(database_finalize)))

/*
 * Runs it to its next row. Returns 1, 0 at its end, or -1 with err; NULL, here
 * and below: it could not be prepared, and err contains the cause.
 */
int database_step(
    struct database *database, sqlite3_stmt *statement, struct err *err);

/*
 * Appends a page of rows, starting with the first row of statement:
 * {"entries":[…],"more":…}; tell appends each entry without its end. Returns 0,
 * or -1 with err.
 */
int database_list(struct database *database, sqlite3_stmt *statement,
    void (*tell)(sqlite3_stmt *row, struct buffer *json), struct buffer *json,
    struct err *err);

/* A column of a row: bytes that are valid until the next step. */
const char *database_bytes(sqlite3_stmt *statement, int column, size_t *len);
uint64_t database_number(sqlite3_stmt *statement, int column);

/* Appends a column as a JSON string; invalid UTF-8 becomes U+FFFD. */
void database_add_string(
    sqlite3_stmt *statement, int column, struct buffer *json);

/* Runs a statement without values and rows. Returns 0, or -1 with err. */
int database_run(struct database *database, const char *sql, struct err *err);

/*
 * One change: starts with the right to write, for which others wait, and ends
 * with all of it done or, if failed is set or that fails, with nothing.
 * database_end returns 0, or -1 with err; if failed is set, it keeps err.
 */
int database_begin(struct database *database, struct err *err);
int database_end(struct database *database, int failed, struct err *err);

/*
 * The action of a change: uses ctx and appends to json; it may be called twice.
 * Returns 0, or -1 with err.
 */
typedef int database_apply(struct database *database, void *ctx,
    struct buffer *json, struct err *err);

/*
 * Stores something, in one change. If the disk is full, the log is written back
 * into the file, and the change is repeated once. Returns 0, or -1 with err:
 * then nothing has changed.
 */
int database_save(struct database *database, database_apply *apply, void *ctx,
    struct buffer *json, struct err *err);

/*
 * Runs a statement that removes rows, with the same care, and appends their
 * number, or of one whether it was there. Returns 0, or -1 with err.
 */
int database_remove(struct database *database, sqlite3_stmt *statement,
    int one, struct buffer *json, struct err *err);

/* Returns the number of rows changed by the last statement. */
uint64_t database_changes(const struct database *database);

#endif
