/* The stored lists of tools: see tool_lists.h. */
#include <string.h>

#include "../../common/limits.h"
#include "tool_lists.h"

/* The time of use is updated once a day, not for each lookup. */
#define TOOL_LISTS_DAY 86400

/* Prepares a statement with a fingerprint as its first value. */
static sqlite3_stmt *
tool_lists_prepare(struct database *database, const char *sql,
    const uint8_t *fingerprint, struct err *err)
{
	sqlite3_stmt *statement = database_prepare(database, sql, err);

	if (statement != NULL)
		database_bind_bytes(
		    statement, 1, fingerprint, FINGERPRINT_SIZE);
	return statement;
}

/* Sets *list to the stored list; statement holds the bytes. */
static int
tool_lists_look(struct database *database, sqlite3_stmt *statement,
    struct tool_list *list, uint64_t *used, struct err *err)
{
	int there = database_step(database, statement, err);

	memset(list, 0, sizeof(*list));
	*used = 0;
	if (there <= 0)
		return there;
	*used = database_number(statement, 0);
	list->info = database_bytes(statement, 1, &list->info_len);
	list->data = database_bytes(statement, 2, &list->len);
	/* Bytes written by another program are not a reason to fail. */
	if (list->len > TOOL_LIST_MAX || list->info_len > SERVER_INFO_MAX)
		memset(list, 0, sizeof(*list));
	return 0;
}

static int
tool_lists_use(struct database *database, const uint8_t *fingerprint,
    uint64_t now, struct err *err)
{
	auto_statement sqlite3_stmt *statement =
	    tool_lists_prepare(database, "UPDATE tool_lists SET used = ?2"
	        " WHERE fingerprint = ?1", fingerprint, err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 2, now);
	return database_step(database, statement, err);
}

int
tool_lists_find(struct database *database, const uint8_t *fingerprint,
    uint64_t now, void (*found)(void *ctx, const struct tool_list *list),
    void *ctx, struct err *err)
{
	auto_statement sqlite3_stmt *statement = tool_lists_prepare(database,
	    "SELECT used, info, list FROM tool_lists WHERE fingerprint = ?1",
	    fingerprint, err);
	struct tool_list list;
	struct err ignored;
	uint64_t used;

	if (statement == NULL ||
	    tool_lists_look(database, statement, &list, &used, err) == -1)
		return -1;
	found(ctx, &list);
	database_finalize(&statement);
	/* Failing to record the use is not an error. */
	if (list.len > 0 && used + TOOL_LISTS_DAY <= now)
		tool_lists_use(database, fingerprint, now, &ignored);
	return 0;
}

static int
tool_lists_drop(struct database *database, const uint8_t *fingerprint,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement = tool_lists_prepare(database,
	    "DELETE FROM tool_lists WHERE fingerprint = ?1", fingerprint, err);

	return database_step(database, statement, err);
}

/* One that is stored already, and was used recently, is not written. */
static int
tool_lists_insert(struct database *database, const uint8_t *fingerprint,
    uint64_t now, const struct tool_list *list, struct err *err)
{
	auto_statement sqlite3_stmt *statement = tool_lists_prepare(database,
	    "INSERT INTO tool_lists (fingerprint, used, size, info, list)"
	    " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (fingerprint) DO UPDATE"
	    " SET used = excluded.used, size = excluded.size,"
	    " info = excluded.info, list = excluded.list"
	    " WHERE list IS NOT excluded.list OR info IS NOT excluded.info"
	    " OR used + ?6 <= excluded.used", fingerprint, err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 2, now);
	database_bind_number(statement, 3, list->len + list->info_len);
	database_bind_bytes(statement, 4, list->info, list->info_len);
	database_bind_bytes(statement, 5, list->data, list->len);
	database_bind_number(statement, 6, TOOL_LISTS_DAY);
	return database_step(database, statement, err);
}

/*
 * Drops lists that are too old, and those above the limits: the longest unused
 * first.
 */
static int
tool_lists_prune(struct database *database, uint64_t now, struct err *err)
{
	static const uint64_t most_age = TOOL_LISTS_DAYS * TOOL_LISTS_DAY;
	auto_statement sqlite3_stmt *statement = database_prepare(database,
	    "DELETE FROM tool_lists WHERE used < ?1 OR rowid IN"
	    " (SELECT rowid FROM (SELECT rowid, row_number() OVER latest"
	    " AS place, sum(size) OVER latest AS total FROM tool_lists"
	    " WINDOW latest AS (ORDER BY used DESC, rowid DESC"
	    " ROWS UNBOUNDED PRECEDING))"
	    " WHERE place > ?2 OR total > ?3)", err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 1, now > most_age ? now - most_age : 0);
	database_bind_number(statement, 2, TOOL_LISTS_MAX);
	database_bind_number(statement, 3, TOOL_LISTS_BYTES_MAX);
	return database_step(database, statement, err);
}

/* The data of a change: the list that is stored, or dropped. */
struct tool_lists_put {
	const uint8_t *fingerprint;
	uint64_t now;
	const struct tool_list *list;
};

static int
tool_lists_change(struct database *database, void *ctx, struct buffer *,
    struct err *err)
{
	const struct tool_lists_put *put = ctx;

	if (put->list->len == 0)
		return tool_lists_drop(database, put->fingerprint, err);
	if (tool_lists_insert(database, put->fingerprint, put->now, put->list,
	        err) == -1)
		return -1;
	return tool_lists_prune(database, put->now, err);
}

int
tool_lists_put(struct database *database, const uint8_t *fingerprint,
    uint64_t now, const struct tool_list *list, struct err *err)
{
	struct tool_lists_put put = { fingerprint, now, list };
	struct buffer none = { 0 };

	return database_save(database, tool_lists_change, &put, &none, err);
}
