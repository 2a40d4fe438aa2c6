/*
 * Kept outputs: see outputs.h. Runs in the store.
 *
 * The table is made when it is used first: 0.1.0 opens databases of version 1
 * only, and leaves further tables alone.
 */
#include <stdio.h>
#include <string.h>

#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/utf8.h"
#include "change.h"
#include "outputs.h"

#define OUTPUTS_TABLE                                                          \
	"CREATE TABLE IF NOT EXISTS executions (number INTEGER PRIMARY KEY,"   \
	" scope TEXT NOT NULL, id TEXT NOT NULL, ended INTEGER NOT NULL,"      \
	" size INTEGER NOT NULL, out BLOB NOT NULL, errors BLOB NOT NULL,"     \
	" UNIQUE (scope, id))"

#define OUTPUTS_NOW "CAST(strftime('%s') AS INTEGER)"

/* The oldest output of the scope that keeps most. */
#define OUTPUTS_NEXT                                                           \
	"SELECT min(number) FROM executions WHERE scope = (SELECT scope FROM"  \
	" executions GROUP BY scope ORDER BY sum(size) DESC, scope LIMIT 1)"

/* The length of a stream, and a part of it. */
#define OUTPUTS_PART(stream)                                                   \
	"SELECT length(" stream "), substr(" stream ", ?3, ?4) FROM"           \
	" executions WHERE scope = ?1 AND id = ?2 AND ended > " OUTPUTS_NOW    \
	" - ?5"

/* The data of a change that keeps an output. */
struct outputs_keep {
	const char *scope;
	const struct output *output;
};

/*
 * The newest outputs that could not be kept. Their answers were sent before
 * that was known.
 */
static struct outputs_failure {
	char scope[STORE_SCOPE_MAX + 1];
	char execution[EXECUTION_ID_MAX + 1];
	struct err why;
} outputs_failures[OUTPUT_FAILURES_MAX];
static size_t outputs_failed; /* since the start */

static void
outputs_add_failure(
    const char *scope, const char *execution, const struct err *why)
{
	struct outputs_failure *failure =
	    &outputs_failures[outputs_failed++ % OUTPUT_FAILURES_MAX];

	snprintf(failure->scope, sizeof(failure->scope), "%s", scope);
	snprintf(failure->execution, sizeof(failure->execution), "%s",
	    execution);
	failure->why = *why;
}

/* Returns 0 for an output that is unknown, or -1 with why it was not kept. */
static int
outputs_tell_failure(const struct output_part *part, struct err *err)
{
	const struct outputs_failure *failure;
	size_t n;

	for (n = 0; n < OUTPUT_FAILURES_MAX; n++) {
		failure = &outputs_failures[n];
		if (part->execution[0] != '\0' &&
		    strcmp(failure->execution, part->execution) == 0 &&
		    strcmp(failure->scope, part->scope) == 0)
			return err_set(err, "this output was not kept: %s",
			    failure->why.text);
	}
	return 0;
}

static uint64_t
outputs_size(const struct output *output)
{
	uint64_t size = output->out.len + output->errors.len;

	return size < OUTPUT_ROW_MIN ? OUTPUT_ROW_MIN : size;
}

/* Executes a statement whose one value is a number. */
static int
outputs_run(struct database *database, const char *sql, uint64_t number,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 1, number);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

static int
outputs_put(struct database *database, const struct outputs_keep *keep,
    struct err *err)
{
	const struct output *output = keep->output;
	auto_statement sqlite3_stmt *statement = database_prepare(database,
	    "INSERT OR REPLACE INTO executions (scope, id, ended, size, out,"
	    " errors) VALUES (?1, ?2, " OUTPUTS_NOW ", ?3, ?4, ?5)", err);

	if (statement == NULL)
		return -1;
	database_bind_text(statement, 1, keep->scope);
	database_bind_text(statement, 2, output->execution);
	database_bind_number(statement, 3, outputs_size(output));
	database_bind_bytes(
	    statement, 4, output->out.data, output->out.len);
	database_bind_bytes(
	    statement, 5, output->errors.data, output->errors.len);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/* Removes one output if all have more bytes together. Returns 1 if it did. */
static int
outputs_shrink(struct database *database, struct err *err)
{
	if (outputs_run(database, "DELETE FROM executions WHERE"
	        " (SELECT sum(size) FROM executions) > ?1"
	        " AND number = (" OUTPUTS_NEXT ")", OUTPUTS_BYTES_MAX, err) ==
	    -1)
		return -1;
	return database_changes(database) > 0;
}

static int
outputs_change(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	int shrunk;

	(void)json;
	if (database_run(database, OUTPUTS_TABLE, err) == -1 ||
	    outputs_run(database, "DELETE FROM executions WHERE ended <= "
	        OUTPUTS_NOW " - ?1", OUTPUT_KEPT_SECONDS, err) == -1 ||
	    outputs_put(database, ctx, err) == -1)
		return -1;
	do
		shrunk = outputs_shrink(database, err);
	while (shrunk == 1);
	return shrunk;
}

int
outputs_keep(struct database *database, const char *scope,
    const struct output *output, struct err *err)
{
	auto_buffer struct buffer none = { 0 };
	struct outputs_keep keep = { scope, output };

	if (change_save(database, outputs_change, &keep, &none, err) == 0)
		return 0;
	outputs_add_failure(scope, output->execution, err);
	return -1;
}

/* Appends a part as text, of which the last one may end within a character. */
static void
outputs_tell(sqlite3_stmt *row, uint64_t from, struct buffer *json)
{
	auto_buffer struct buffer text = { 0 };
	uint64_t whole = database_number(row, 0);
	size_t len;
	const char *part = database_bytes(row, 1, &len);

	if (from + len < whole)
		len -= utf8_incomplete_tail(part, len);
	text.len = utf8_repair(part, len,
	    buffer_reserve(&text, UTF8_REPAIR_FACTOR * len));
	buffer_add_text(json, "{\"text\":");
	json_add_string(json, text.data, text.len);
	if (from + len < whole)
		buffer_printf(json, ",\"next\":%llu}",
		    (unsigned long long)(from + len));
	else
		buffer_add_text(json, ",\"next\":null}");
}

/*
 * Returns 1 with a row, the caller's, of up to max bytes of an output, 0 if
 * there is none, or -1 with err.
 */
static int
outputs_find(struct database *database, const struct output_part *part,
    size_t max, sqlite3_stmt **row, struct err *err)
{
	int found;

	if (database_run(database, OUTPUTS_TABLE, err) == -1)
		return -1;
	*row = database_prepare(database, part->errors ?
	    OUTPUTS_PART("errors") : OUTPUTS_PART("out"), err);
	if (*row == NULL)
		return -1;
	database_bind_text(*row, 1, part->scope);
	database_bind_text(*row, 2, part->execution);
	database_bind_number(*row, 3, part->from + 1);
	database_bind_number(*row, 4, max);
	database_bind_number(*row, 5, OUTPUT_KEPT_SECONDS);
	found = database_step(database, *row, err);
	return found == 0 ? outputs_tell_failure(part, err) : found;
}

int
outputs_load(struct database *database, const struct output_part *part,
    struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = NULL;
	int found = outputs_find(database, part, OUTPUT_PART_MAX, &row, err);

	if (found == 0)
		return err_set(err, "no output is kept under this id: output "
		    "is kept for 24 h if its answer was cut and names its id; "
		    "above CAISSON_OUTPUT_KEPT or with much other output, less "
		    "is kept");
	if (found == 1)
		outputs_tell(row, part->from, json);
	return found == 1 ? 0 : -1;
}

int
outputs_read(struct database *database, const struct output_part *part,
    struct buffer *bytes, uint64_t *whole, struct err *err)
{
	auto_statement sqlite3_stmt *row = NULL;
	int found = outputs_find(database, part, OUTPUT_READ_MAX, &row, err);
	const char *data;
	size_t len;

	if (found == 1) {
		*whole = database_number(row, 0);
		data = database_bytes(row, 1, &len);
		buffer_add(bytes, data, len);
	}
	return found;
}
