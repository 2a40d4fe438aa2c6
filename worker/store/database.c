/*
 * The database: see database.h. Runs in the store; opens only the database and
 * the files that SQLite creates beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/ipc/file_kind.h"
#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/storable.h"
#include "../../common/base/utf8.h"
#include "database.h"

/* "Cais": PRAGMA application_id identifies the program that owns a database. */
#define DATABASE_APPLICATION 0x43616973

struct database {
	char *path;      /* of the file, for error messages */
	char *told;      /* the last one that was logged, or NULL */
	sqlite3 *handle; /* NULL if not open */
	dev_t device;    /* identity of the open file */
	ino_t inode;
	uint64_t most;
	uint64_t own; /* of the scope whose items are saved */
	uint64_t page; /* page size of the open file */
	bool full;      /* the last failure was a full disk */
	bool logged;    /* there is a write-ahead log beside the file */
};

struct database_statement {
	unsigned int version;
	const char *sql;
};

static const struct database_statement database_schema[] = {
#define SCHEMA(version, statement) { version, statement },
#include "schema.def"
};

#define DATABASE_STATEMENTS                                                    \
	(sizeof(database_schema) / sizeof(database_schema[0]))

/* Errors */

/* The fix for an error of SQLite; NULL if unknown. */
static const char *
database_way_out(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
	case SQLITE_FORMAT:
		return "it is damaged or not a database of Caisson, and was "
		       "left unchanged; move it away, or set another "
		       "CAISSON_STATE_DIR";
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "another Caisson keeps it locked; try again";
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN:
		return "it cannot be opened and written: check its permissions "
		       "and those of its directory, or set another "
		       "CAISSON_STATE_DIR";
	default:
		return NULL;
	}
}

/* The path of the file, which tells the user more than its name. */
static char *
database_find_path(void)
{
	auto_free char *folder = getcwd(NULL, 0);

	return mem_printf("%s%s" DATABASE_NAME, folder == NULL ? "" : folder,
	    folder == NULL ? "" : "/");
}

/* SQLite has one error code for ENOSPC, and only for writes. */
static int
database_means_full(sqlite3 *handle, int code)
{
	int cause = handle == NULL ? 0 : sqlite3_system_errno(handle);

	code &= 0xff;
	return code == SQLITE_FULL ||
	    ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) &&
	        (cause == ENOSPC || cause == EDQUOT));
}

static int
database_fail(struct database *database, int code, struct err *err)
{
	const char *way_out = database_way_out(code);

	database->full = database_means_full(database->handle, code);
	if (database->full)
		return err_set(err, "%s: the disk is full or its quota is used "
		    "up: free some space", database->path);
	if (way_out != NULL)
		return err_set(err, "%s: %s", database->path, way_out);
	return err_set(err, "%s: %s", database->path,
	    database->handle == NULL ? sqlite3_errstr(code)
	                             : sqlite3_errmsg(database->handle));
}

char *
database_reason(struct database *database, const struct err *why)
{
	const char *path = strstr(why->text, database->path);
	const char *name = strrchr(database->path, '/');

	if (path == NULL || name == NULL)
		return mem_strdup(why->text);
	if (database->told == NULL || strcmp(database->told, why->text) != 0) {
		free(database->told);
		database->told = mem_strdup(why->text);
		log_error("%s", why->text);
	}
	return mem_printf("%.*s%s", (int)(path - why->text), why->text,
	    path + (name + 1 - database->path));
}

/* Opening */

static void
database_close(struct database *database)
{
	sqlite3_close(mem_take(&database->handle));
}

/* Returns the number that a PRAGMA returns. */
static int
database_pragma(struct database *database, const char *sql, uint64_t *number,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);

	*number = 0;
	if (statement == NULL || database_step(database, statement, err) != 1)
		return -1;
	*number = database_number(statement, 0);
	return 0;
}

static unsigned int
database_schema_version(void)
{
	return database_schema[DATABASE_STATEMENTS - 1].version;
}

/*
 * Adds the tables that the version of the file lacks, in the open transaction.
 */
static int
database_upgrade(struct database *database, uint64_t version, struct err *err)
{
	auto_free char *end = mem_printf("PRAGMA application_id = %d;"
	    " PRAGMA user_version = %u", DATABASE_APPLICATION,
	    database_schema_version());
	size_t i;

	for (i = 0; i < DATABASE_STATEMENTS; i++)
		if (database_schema[i].version > version &&
		    database_run(database, database_schema[i].sql, err) == -1)
			return -1;
	return database_run(database, end, err);
}

/* Checks the program and the version of the file. An empty file has neither. */
static int
database_check(struct database *database, struct err *err)
{
	uint64_t application, version, tables;

	if (database_pragma(database, "PRAGMA application_id", &application,
	        err) == -1 ||
	    database_pragma(database, "PRAGMA user_version", &version, err) ==
	        -1 ||
	    database_pragma(database, "SELECT count(*) FROM sqlite_master",
	        &tables, err) == -1)
		return -1;
	if (application != DATABASE_APPLICATION &&
	    (application != 0 || version != 0 || tables != 0))
		return err_set(err, "%s: it is a database of another program, "
		    "and was left unchanged; move it away, or set another "
		    "CAISSON_STATE_DIR", database->path);
	if (version > database_schema_version())
		return err_set(err, "%s: it was written by a newer Caisson "
		    "(version %llu; this one supports %u), and was left "
		    "unchanged; use that Caisson, or set another "
		    "CAISSON_STATE_DIR", database->path,
		    (unsigned long long)version, database_schema_version());
	if (version == database_schema_version())
		return 0;
	return database_upgrade(database, version, err);
}

/*
 * With a write-ahead log beside the file, readers and a writer do not wait for
 * each other. Committed changes survive when the process is killed; only a loss
 * of power can lose the last ones. If the log is unavailable (another process
 * may prevent it), the default journal is used, which waits more for the disk.
 */
static void
database_prepare_journal(struct database *database)
{
	auto_statement sqlite3_stmt *statement = NULL;
	auto_free char *sql = mem_printf("PRAGMA synchronous = NORMAL;"
	    " PRAGMA wal_autocheckpoint = %llu;"
	    " PRAGMA journal_size_limit = %lu",
	    (unsigned long long)(DATABASE_LOG_MAX / database->page),
	    DATABASE_LOG_MAX);
	struct err err;

	database->logged = false;
	statement =
	    database_prepare(database, "PRAGMA journal_mode = WAL", &err);
	if (statement == NULL ||
	    database_step(database, statement, &err) != 1 ||
	    strcmp((const char *)sqlite3_column_text(statement, 0), "wal") != 0)
		return;
	database->logged = true;
	database_finalize(&statement);
	database_run(database, sql, &err);
}

/* storable_name(NAME) in SQL: whether calls may see a tool of this name. */
static void
database_judge_name(sqlite3_context *context, int, sqlite3_value **values)
{
	const char *name = (const char *)sqlite3_value_text(values[0]);

	/* There may be more bytes after a NUL. */
	sqlite3_result_int(context, name != NULL &&
	        strlen(name) == (size_t)sqlite3_value_bytes(values[0]) &&
	        storable_name(name, NULL) == 0);
}

static int
database_add_functions(struct database *database, struct err *err)
{
	int code = sqlite3_create_function_v2(database->handle,
	    "storable_name", 1,
	    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
	    database_judge_name, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

/* Two processes may find no tables at once: one of them creates them. */
static int
database_prepare_file(struct database *database, struct err *err)
{
	int failed;

	sqlite3_busy_timeout(database->handle, STORE_BUSY_MS);
	/* A read first: a file that is not a database must not be changed. */
	if (database_run(database, "PRAGMA schema_version", err) == -1 ||
	    database_begin(database, err) == -1)
		return -1;
	failed = database_check(database, err) == -1;
	if (database_end(database, failed, err) == -1 ||
	    database_pragma(database, "PRAGMA page_size", &database->page,
	        err) == -1)
		return -1;
	database_prepare_journal(database);
	/* Removed data is overwritten, because it may have been a secret. */
	return database_run(database, "PRAGMA temp_store = MEMORY;"
	    " PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF", err);
}

/* Records the identity of the open file. */
static int
database_note_file(struct database *database, struct err *err)
{
	struct stat st;

	if (stat(DATABASE_NAME, &st) == -1) {
		err_sys(err, "look at %s", database->path);
		database_close(database);
		return -1;
	}
	database->device = st.st_dev;
	database->inode = st.st_ino;
	return 0;
}

/*
 * SQLite reports only damage that makes pages unreadable; other damage would
 * look like missing data. So the whole file is checked once, unless that would
 * take seconds.
 */
static int
database_check_whole(struct database *database, struct err *err)
{
	auto_statement sqlite3_stmt *statement = NULL;
	uint64_t pages;

	if (database_pragma(database, "PRAGMA page_count", &pages, err) == -1)
		return -1;
	if (pages * database->page > DATABASE_CHECKED_MAX)
		return 0;
	statement = database_prepare(
	    database, "PRAGMA integrity_check(1)", err);
	if (statement == NULL || database_step(database, statement, err) == -1)
		return -1;
	if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
		return database_fail(database, SQLITE_CORRUPT, err);
	return 0;
}

/* For anything but a regular file SQLite only reports a disk error. */
static int
database_check_kinds(const struct database *database, struct err *err)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
	struct stat st;
	size_t n;

	for (n = 0; n < sizeof(ends) / sizeof(ends[0]); n++) {
		auto_free char *name = mem_printf(DATABASE_NAME "%s", ends[n]);

		if (lstat(name, &st) == 0 && !S_ISREG(st.st_mode))
			return err_set(err, "%s%s: it is %s, not a regular "
			    "file: move it away, or set another "
			    "CAISSON_STATE_DIR", database->path, ends[n],
			    file_kind_name(st.st_mode));
	}
	return 0;
}

/*
 * If the log was removed, SQLite finds less data and reports no error. A
 * process that opens the database creates the log before its index, and removes
 * it after the index.
 */
static int
database_check_lost(const struct database *database, struct err *err)
{
	if (access(DATABASE_NAME, F_OK) == 0 &&
	    access(DATABASE_NAME "-wal", F_OK) == -1 && errno == ENOENT &&
	    access(DATABASE_NAME "-shm", F_OK) == 0)
		return err_set(err, "%s: its log %s-wal was removed, and the "
		    "last changes with it; restore it, remove %s-shm to "
		    "continue without them, or set another CAISSON_STATE_DIR",
		    database->path, DATABASE_NAME, DATABASE_NAME);
	return 0;
}

static int
database_open_file(struct database *database, struct err *err)
{
	int code = sqlite3_open_v2(DATABASE_NAME, &database->handle,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW,
	    NULL);
	if (code != SQLITE_OK)
		database_fail(database, code, err);
	else if (database_prepare_file(database, err) == 0 &&
	    database_check_whole(database, err) == 0 &&
	    database_add_functions(database, err) == 0)
		return database_note_file(database, err);
	database_close(database);
	return -1;
}

int
database_open(struct database *database, struct err *err)
{
	if (database->handle != NULL)
		return 0;
	if (database_check_kinds(database, err) == -1 ||
	    database_check_lost(database, err) == -1)
		return -1;
	return database_open_file(database, err);
}

/* Returns the change of the open file since it was opened; NULL if none. */
static const char *
database_find_loss(const struct database *database)
{
	struct stat st;

	if (stat(DATABASE_NAME, &st) == -1 || st.st_ino != database->inode ||
	    st.st_dev != database->device)
		return DATABASE_NAME " was removed or replaced";
	if (st.st_size == 0)
		return DATABASE_NAME " was emptied";
	if (database->logged && access(DATABASE_NAME "-wal", F_OK) == -1)
		return DATABASE_NAME "-wal was removed";
	return NULL;
}

void
database_look(struct database *database)
{
	const char *loss;
	struct stat st;

	if (stat(".", &st) == 0 && st.st_nlink == 0)
		fatal("the state directory was removed");
	loss = database->handle == NULL ? NULL : database_find_loss(database);
	if (loss == NULL)
		return;
	log_warn("%s", loss);
	/*
	 * Nothing is written into an emptied file, because it may be restored.
	 */
	if (stat(DATABASE_NAME, &st) == 0 && st.st_size == 0)
		sqlite3_db_config(database->handle,
		    SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	database_close(database);
}

struct database *
database_new(uint64_t most)
{
	struct database *database = mem_alloc(sizeof(*database));

	database->path = database_find_path();
	database->most = database->own = most;
	return database;
}

void
database_free(struct database **databasep)
{
	struct database *database = mem_take(databasep);

	if (database == NULL)
		return;
	database_close(database);
	free(database->path);
	free(database->told);
	free(database);
}

void
database_limit(struct database *database, uint64_t own)
{
	database->own = own;
}

uint64_t
database_own(const struct database *database)
{
	return database->own;
}

uint64_t
database_most(const struct database *database)
{
	return database->most;
}

/* Statements */

sqlite3_stmt *
database_prepare(struct database *database, const char *sql, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code;

	if (database_open(database, err) == -1)
		return NULL;
	code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);
	if (code == SQLITE_OK)
		return statement;
	database_fail(database, code, err);
	return NULL;
}

sqlite3_stmt *
database_prepare_of(struct database *database, const char *sql,
    const char *first, struct err *err)
{
	sqlite3_stmt *statement = database_prepare(database, sql, err);

	if (statement != NULL)
		database_bind_text(statement, 1, first);
	return statement;
}

void
database_finalize(sqlite3_stmt **statement)
{
	sqlite3_finalize(mem_take(statement));
}

/* Binding fails only for lack of memory, or by a bug in Caisson. */
static void
database_bound(int code)
{
	if (code != SQLITE_OK)
		fatal("a value cannot be bound: %s", sqlite3_errstr(code));
}

void
database_bind_number(sqlite3_stmt *statement, int at, uint64_t number)
{
	database_bound(
	    sqlite3_bind_int64(statement, at, (sqlite3_int64)number));
}

void
database_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	database_bound(
	    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC));
}

void
database_bind_bytes(
    sqlite3_stmt *statement, int at, const void *data, size_t len)
{
	/* Without an address it would be NULL, which differs from no bytes. */
	database_bound(sqlite3_bind_blob64(
	    statement, at, len == 0 ? "" : data, len, SQLITE_STATIC));
}

int
database_step(
    struct database *database, sqlite3_stmt *statement, struct err *err)
{
	int code;

	if (statement == NULL)
		return -1;
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	return database_fail(database, code, err);
}

int
database_list(struct database *database, sqlite3_stmt *statement,
    void (*tell)(sqlite3_stmt *row, struct buffer *json), struct buffer *json,
    struct err *err)
{
	size_t begin = json->len;
	int found = database_step(database, statement, err);
	int first = 1;

	buffer_add_text(json, "{\"entries\":[");
	while (found == 1 && json->len - begin < STORE_PAGE_MAX) {
		buffer_add_text(json, first ? "" : ",");
		tell(statement, json);
		buffer_add_text(json, "}");
		first = 0;
		found = database_step(database, statement, err);
	}
	buffer_printf(json, "],\"more\":%s}", found == 1 ? "true" : "false");
	return found == -1 ? -1 : 0;
}

const char *
database_bytes(sqlite3_stmt *statement, int column, size_t *len)
{
	const char *data = sqlite3_column_blob(statement, column);

	*len = (size_t)sqlite3_column_bytes(statement, column);
	return data == NULL ? "" : data;
}

uint64_t
database_number(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

void
database_add_string(sqlite3_stmt *statement, int column, struct buffer *json)
{
	auto_buffer struct buffer text = { 0 };
	size_t len;
	const char *bytes = database_bytes(statement, column, &len);

	/* Another process may have written to the file. */
	text.len = utf8_repair(bytes, len,
	    buffer_reserve(&text, UTF8_REPAIR_FACTOR * len));
	json_add_string(json, text.data, text.len);
}

int
database_run(struct database *database, const char *sql, struct err *err)
{
	int code;

	if (database_open(database, err) == -1)
		return -1;
	code = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
	return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

int
database_begin(struct database *database, struct err *err)
{
	return database_run(database, "BEGIN IMMEDIATE", err);
}

int
database_end(struct database *database, int failed, struct err *err)
{
	if (!failed && database_run(database, "COMMIT", err) == 0)
		return 0;
	/* An error may already have ended the transaction. */
	if (sqlite3_get_autocommit(database->handle) == 0)
		sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

uint64_t
database_changes(const struct database *database)
{
	return (uint64_t)sqlite3_changes64(database->handle);
}

/*
 * Between two changes: writes the log back into the file and empties it,
 * including the remains of failed changes.
 */
static void
database_shorten_log(struct database *database)
{
	if (database->handle != NULL)
		sqlite3_wal_checkpoint_v2(database->handle, NULL,
		    SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

static int
database_try(struct database *database, database_apply *apply, void *ctx,
    struct buffer *json, struct err *err)
{
	if (database_begin(database, err) == -1)
		return -1;
	return database_end(
	    database, apply(database, ctx, json, err) == -1, err);
}

int
database_save(struct database *database, database_apply *apply, void *ctx,
    struct buffer *json, struct err *err)
{
	size_t begin = json->len;
	int done = database_try(database, apply, ctx, json, err);

	if (done == 0 || !database->full)
		return done;
	json->len = begin;
	database_shorten_log(database);
	return database_try(database, apply, ctx, json, err);
}

int
database_remove(struct database *database, sqlite3_stmt *statement, int one,
    struct buffer *json, struct err *err)
{
	int done = database_step(database, statement, err);

	if (statement != NULL && done == -1 && database->full) {
		database_shorten_log(database);
		sqlite3_reset(statement);
		done = database_step(database, statement, err);
	}
	if (done == 0 && one)
		buffer_add_text(json,
		    database_changes(database) > 0 ? "true" : "false");
	else if (done == 0)
		buffer_printf(json, "%llu",
		    (unsigned long long)database_changes(database));
	return done;
}
