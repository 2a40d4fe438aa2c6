/*
 * The executions: see executions.h.
 *
 * The table is made when it is used first: 0.1.0 opens databases of version 1
 * only, and leaves further tables alone.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/stored_kind.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "executions.h"

/*
 * The bytes of each scope are a row of totals, which triggers maintain. Outputs
 * of builds before this table are removed with theirs.
 */
#define EXECUTIONS_TABLE                                                       \
	"DROP TABLE IF EXISTS executions;"                                     \
	"CREATE TABLE IF NOT EXISTS calls (number INTEGER PRIMARY KEY,"        \
	" scope TEXT NOT NULL, id TEXT NOT NULL, ended INTEGER NOT NULL,"      \
	" size INTEGER NOT NULL, kept INTEGER NOT NULL, facts BLOB NOT NULL,"  \
	" out BLOB NOT NULL, errors BLOB NOT NULL, UNIQUE (id, scope));"       \
	"CREATE INDEX IF NOT EXISTS calls_scope ON calls (scope);"             \
	"CREATE INDEX IF NOT EXISTS calls_ended ON calls (ended);"             \
	"CREATE INDEX IF NOT EXISTS calls_kept ON calls (ended)"               \
	" WHERE kept = 1;"                                                     \
	"CREATE TRIGGER IF NOT EXISTS calls_in AFTER INSERT ON calls BEGIN"    \
	" INSERT INTO totals VALUES ('calls ' || new.scope, new.size)"         \
	" ON CONFLICT (name) DO UPDATE SET value = value + new.size; END;"     \
	"CREATE TRIGGER IF NOT EXISTS calls_set AFTER UPDATE ON calls BEGIN"   \
	" UPDATE totals SET value = value + new.size - old.size"               \
	" WHERE name = 'calls ' || new.scope; END;"                            \
	"CREATE TRIGGER IF NOT EXISTS calls_out AFTER DELETE ON calls BEGIN"   \
	" UPDATE totals SET value = value - old.size"                          \
	" WHERE name = 'calls ' || old.scope; END"

#define EXECUTIONS_NOW "CAST(strftime('%s') AS INTEGER)"

/* All have more bytes together, and this is the oldest where most are. */
#define EXECUTIONS_NEXT                                                        \
	"(SELECT sum(value) FROM totals WHERE name GLOB 'calls *') > ?1"       \
	" AND number = (SELECT min(number) FROM calls WHERE scope ="           \
	" (SELECT substr(name, 7) FROM totals WHERE name GLOB 'calls *'"       \
	" ORDER BY value DESC, name LIMIT 1))"

/* The length of a stream, and a part of it. */
#define EXECUTIONS_PART(stream)                                                \
	"SELECT length(" stream "), substr(" stream ", ?5, ?3) FROM calls"     \
	" WHERE id = ?2 AND scope = ?1 AND kept = 1 AND ended > "              \
	EXECUTIONS_NOW " - ?4"

/* What is told of one: see executions_tell. */
#define EXECUTIONS_FACTS                                                       \
	"SELECT facts, kept = 1 AND ended > " EXECUTIONS_NOW " - ?4,"          \
	" length(out), length(errors),"                                        \
	" substr(out, 1, ?3), substr(errors, 1, ?3) FROM calls"                \
	" WHERE (?1 = '" SCOPE_ALL "' OR scope = ?1) AND "

/* Executes a statement with at most two values, which are numbers. */
static int
executions_run(struct database *database, const char *sql, uint64_t one,
    uint64_t other, struct err *err)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 1, one);
	if (other > 0)
		database_bind_number(statement, 2, other);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/* Keeping */

/* One that waits to be written. */
struct execution {
	TAILQ_ENTRY(execution) entry;
	char *id, *scope;
	uint64_t days;
	int kept;
	struct buffer facts, out, errors;
};

static TAILQ_HEAD(, execution) executions_waiting =
    TAILQ_HEAD_INITIALIZER(executions_waiting);
static uint64_t executions_bytes; /* of those that wait */

static int
executions_put(struct database *database, sqlite3_stmt *statement,
    const struct execution *one, struct err *err)
{
	sqlite3_reset(statement);
	database_bind_text(statement, 1, one->scope);
	database_bind_text(statement, 2, one->id);
	database_bind_number(statement, 3, EXECUTION_ROW_MIN);
	database_bind_number(
	    statement, 4, one->facts.len + one->out.len + one->errors.len);
	database_bind_number(statement, 5, (uint64_t)one->kept);
	database_bind_bytes(statement, 6, one->facts.data, one->facts.len);
	database_bind_bytes(statement, 7, one->out.data, one->out.len);
	database_bind_bytes(statement, 8, one->errors.data, one->errors.len);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/* Removes those that are too old, and outputs that are. */
static int
executions_expire(struct database *database, uint64_t days, struct err *err)
{
	if (executions_run(database, "DELETE FROM calls WHERE ended <= "
	        EXECUTIONS_NOW " - ?1", days * 86400, 0, err) == -1)
		return -1;
	return executions_run(database, "UPDATE calls SET kept = 0, size = ?1,"
	    " out = x'', errors = x'' WHERE kept = 1 AND ended <= "
	    EXECUTIONS_NOW " - ?2", EXECUTION_ROW_MIN, OUTPUT_KEPT_SECONDS,
	    err);
}

static int
executions_put_all(struct database *database, struct err *err)
{
	auto_statement sqlite3_stmt *statement = database_prepare(database,
	    "INSERT INTO calls (scope, id, ended, size, kept, facts, out,"
	    " errors) VALUES (?1, ?2, " EXECUTIONS_NOW ", max(?3, ?4), ?5, ?6,"
	    " ?7, ?8)", err);
	const struct execution *one;

	if (statement == NULL)
		return -1;
	TAILQ_FOREACH (one, &executions_waiting, entry)
		if (executions_put(database, statement, one, err) == -1)
			return -1;
	return 0;
}

static int
executions_change(struct database *database, void *, struct buffer *,
    struct err *err)
{
	const struct execution *first = TAILQ_FIRST(&executions_waiting);

	if (database_run(database, EXECUTIONS_TABLE, err) == -1 ||
	    executions_expire(database, first->days, err) == -1 ||
	    executions_put_all(database, err) == -1)
		return -1;
	do
		if (executions_run(database, "DELETE FROM calls WHERE "
		        EXECUTIONS_NEXT, EXECUTIONS_BYTES_MAX, 0, err) == -1)
			return -1;
	while (database_changes(database) > 0);
	return 0;
}

static void
executions_free(struct execution *one)
{
	TAILQ_REMOVE(&executions_waiting, one, entry);
	free(one->id);
	free(one->scope);
	buffer_reset(&one->facts);
	buffer_reset(&one->out);
	buffer_reset(&one->errors);
	free(one);
}

void
executions_flush(struct database *database)
{
	auto_buffer struct buffer none = { 0 };
	struct execution *one;
	struct err err;

	if (TAILQ_EMPTY(&executions_waiting))
		return;
	database_look(database);
	if (database_save(database, executions_change, NULL, &none, &err) == -1)
		log_warn("the last executions were not kept: %s", err.text);
	while ((one = TAILQ_FIRST(&executions_waiting)) != NULL)
		executions_free(one);
	executions_bytes = 0;
}

static int
executions_copy(struct buffer *to, const struct ipc_blob *from, struct err *err)
{
	to->data = ipc_blob_copy(from, err);
	to->len = from->len;
	return to->data == NULL ? -1 : 0;
}

int
executions_keep(struct database *database,
    const struct ipc_keep_execution *execution, struct err *err)
{
	struct execution *one = mem_alloc(sizeof(*one));

	TAILQ_INSERT_TAIL(&executions_waiting, one, entry);
	one->id = mem_strdup(execution->execution);
	one->scope = mem_strdup(execution->scope);
	one->days = execution->days;
	one->kept = (int)execution->kept;
	if (executions_copy(&one->facts, &execution->facts, err) == -1 ||
	    executions_copy(&one->out, &execution->out, err) == -1 ||
	    executions_copy(&one->errors, &execution->errors, err) == -1) {
		executions_free(one);
		return -1;
	}
	executions_bytes += one->facts.len + one->out.len + one->errors.len;
	if (executions_bytes > EXECUTIONS_WAITING_MAX)
		executions_flush(database);
	return 0;
}

/*
 * Appends a part that starts at from, as a string. If it is not the last one of
 * the whole, it ends before a character that is incomplete. Returns its length.
 */
static size_t
executions_add_part(sqlite3_stmt *row, int column, uint64_t from,
    uint64_t whole, struct buffer *json)
{
	auto_buffer struct buffer text = { 0 };
	size_t len;
	const char *part = database_bytes(row, column, &len);

	if (from + len < whole)
		len -= utf8_incomplete_tail(part, len);
	text.len = utf8_repair(part, len,
	    buffer_reserve(&text, UTF8_REPAIR_FACTOR * len));
	json_add_string(json, text.data, text.len);
	return len;
}

static void
executions_tell_part(sqlite3_stmt *row, uint64_t from, struct buffer *json)
{
	uint64_t whole = database_number(row, 0);
	size_t len;

	buffer_add_text(json, "{\"text\":");
	len = executions_add_part(row, 1, from, whole, json);
	if (from + len < whole)
		buffer_printf(json, ",\"next\":%llu}",
		    (unsigned long long)(from + len));
	else
		buffer_add_text(json, ",\"next\":null}");
}

/* Returns the rows of a condition, with most bytes of each output. */
static sqlite3_stmt *
executions_rows(struct database *database, const char *sql, const char *scope,
    const char *id, size_t most, struct err *err)
{
	sqlite3_stmt *rows;

	executions_flush(database);
	if (database_run(database, EXECUTIONS_TABLE, err) == -1)
		return NULL;
	rows = database_prepare_of(database, sql, scope, err);
	if (rows == NULL)
		return NULL;
	database_bind_text(rows, 2, id);
	database_bind_number(rows, 3, most);
	database_bind_number(rows, 4, OUTPUT_KEPT_SECONDS);
	return rows;
}

/*
 * Returns 1 with a row, the caller's, of up to max bytes of an output, 0 if
 * there is none, or -1 with err.
 */
static int
executions_find(struct database *database, const struct execution_part *part,
    size_t max, sqlite3_stmt **row, struct err *err)
{
	*row = executions_rows(database, part->errors ?
	    EXECUTIONS_PART("errors") : EXECUTIONS_PART("out"), part->scope,
	    part->execution, max, err);
	if (*row != NULL)
		database_bind_number(*row, 5, part->from + 1);
	return database_step(database, *row, err);
}

int
executions_load(struct database *database, const struct execution_part *part,
    struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = NULL;
	int found = executions_find(database, part, OUTPUT_PART_MAX, &row, err);

	if (found == 0)
		return err_set(err, "no output is kept under this id: output "
		    "is kept for " LIMIT_TEXT(OUTPUT_KEPT_HOURS) " h; above "
		    "CAISSON_OUTPUT_KEPT, with much other output or on a full "
		    "disk, less is kept");
	if (found == 1)
		executions_tell_part(row, part->from, json);
	return found == 1 ? 0 : -1;
}

int
executions_read(struct database *database, const struct execution_part *part,
    struct buffer *bytes, uint64_t *whole, struct err *err)
{
	auto_statement sqlite3_stmt *row = NULL;
	int found = executions_find(database, part, OUTPUT_READ_MAX, &row, err);
	const char *data;
	size_t len;

	if (found == 1) {
		*whole = database_number(row, 0);
		data = database_bytes(row, 1, &len);
		buffer_add(bytes, data, len);
	}
	return found;
}

/* Lists */

/* Appends one without its end; the facts are as they were sent. */
static void
executions_tell(sqlite3_stmt *row, struct buffer *json)
{
	size_t len;
	const char *facts = database_bytes(row, 0, &len);

	buffer_add(json, facts, len);
	if (database_number(row, 1) == 1)
		buffer_printf(json,
		    ",\"stdout_bytes\":%llu,\"stderr_bytes\":%llu",
		    (unsigned long long)database_number(row, 2),
		    (unsigned long long)database_number(row, 3));
}

int
executions_list(struct database *database, const char *scope,
    const char *after, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *rows = executions_rows(database,
	    EXECUTIONS_FACTS "(?2 = '' OR number < (SELECT number FROM calls"
	    " WHERE id = ?2)) ORDER BY number DESC", scope, after, 0, err);

	return database_list(database, rows, executions_tell, json, err);
}

int
executions_show(struct database *database, const char *scope,
    const char *id, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *rows = executions_rows(database,
	    EXECUTIONS_FACTS "id = ?2", scope, id, OUTPUT_PART_MAX, err);
	int found = database_step(database, rows, err);

	if (found == 0)
		buffer_add_text(json, "null");
	if (found != 1)
		return found;
	executions_tell(rows, json);
	if (database_number(rows, 1) == 1) {
		buffer_add_text(json, ",\"stdout\":");
		executions_add_part(rows, 4, 0, database_number(rows, 2), json);
		buffer_add_text(json, ",\"stderr\":");
		executions_add_part(rows, 5, 0, database_number(rows, 3), json);
	}
	buffer_add_text(json, "}");
	return 0;
}
