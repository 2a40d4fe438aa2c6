/*
 * Saved tools: see saved_tools.h. Runs in the store.
 */
#include <string.h>

#include "../../common/limits.h"
#include "quota.h"
#include "saved_tools.h"

static const struct quota saved_tools_quota = { "tools", "saved tools",
	SAVED_TOOLS_MAX, "'caisson tools remove NAME' on the host" };

/* The columns that saved_tools_tell() reads, in its order. */
#define SAVED_TOOLS_COLUMNS "name, about, size, saved"

/* Appends what is told of a row, without its end. */
static void
saved_tools_tell(sqlite3_stmt *row, struct buffer *json)
{
	buffer_add_text(json, "{\"name\":");
	database_add_string(row, 0, json);
	buffer_add_text(json, ",\"description\":");
	database_add_string(row, 1, json);
	buffer_printf(json, ",\"bytes\":%llu,\"saved_at\":",
	    (unsigned long long)database_number(row, 2));
	database_add_string(row, 3, json);
}

/* A statement about one name: ?1 is the scope, ?2 the name. */
static sqlite3_stmt *
saved_tools_about(struct database *database, const char *sql,
    const char *scope, const char *name, struct err *err)
{
	sqlite3_stmt *statement = database_prepare(database, sql, err);

	if (statement == NULL)
		return NULL;
	database_bind_text(statement, 1, scope);
	database_bind_text(statement, 2, name);
	return statement;
}

int
saved_tools_load(struct database *database, const char *scope,
    const char *name, int whole, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = saved_tools_about(database,
	    "SELECT " SAVED_TOOLS_COLUMNS ", source FROM tools"
	    " WHERE scope = ?1 AND name = ?2", scope, name, err);
	int found = row == NULL ? -1 : database_step(database, row, err);

	if (found == -1)
		return -1;
	if (found == 0) {
		buffer_add_text(json, "null");
		return 0;
	}
	saved_tools_tell(row, json);
	if (whole) {
		buffer_add_text(json, ",\"source\":");
		database_add_string(row, 4, json);
	}
	buffer_add_text(json, "}");
	return 0;
}

/* Saving: all of this in one transaction */

static int
saved_tools_find_old(struct database *database, const char *scope,
    const char *name, uint64_t *size, struct err *err)
{
	auto_statement sqlite3_stmt *row = saved_tools_about(database,
	    "SELECT size FROM tools WHERE scope = ?1 AND name = ?2", scope,
	    name, err);
	int found = row == NULL ? -1 : database_step(database, row, err);

	*size = found == 1 ? database_number(row, 0) : 0;
	return found == -1 ? -1 : 0;
}

static int
saved_tools_put(struct database *database, const char *scope,
    const char *name, const char *about, struct ipc_bytes source,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement = saved_tools_about(database,
	    "INSERT INTO tools VALUES (?1, ?2, ?3,"
	    " strftime('%Y-%m-%dT%H:%M:%fZ'), ?4, ?5)"
	    " ON CONFLICT (scope, name) DO UPDATE SET size = excluded.size,"
	    " saved = excluded.saved, about = excluded.about,"
	    " source = excluded.source", scope, name, err);

	if (statement == NULL)
		return -1;
	database_bind_number(
	    statement, 3, strlen(name) + strlen(about) + source.len);
	database_bind_text(statement, 4, about);
	database_bind_bytes(statement, 5, source.data, source.len);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

int
saved_tools_save(struct database *database, const char *scope,
    const char *name, const char *about, struct ipc_bytes source,
    struct buffer *json, struct err *err)
{
	uint64_t old, size = strlen(name) + strlen(about) + source.len;
	int failed;

	if (database_begin(database, err) == -1)
		return -1;
	failed =
	    saved_tools_find_old(database, scope, name, &old, err) == -1 ||
	    quota_check(database, &saved_tools_quota, old, size, err) == -1 ||
	    saved_tools_put(database, scope, name, about, source, err) == -1 ||
	    saved_tools_load(database, scope, name, 0, json, err) == -1;
	return database_end(database, failed, err);
}

int
saved_tools_delete(struct database *database, const char *scope,
    const char *name, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *statement = saved_tools_about(database,
	    "DELETE FROM tools WHERE scope = ?1 AND name = ?2", scope, name,
	    err);

	if (statement == NULL ||
	    database_step(database, statement, err) == -1)
		return -1;
	buffer_add_text(
	    json, database_changes(database) > 0 ? "true" : "false");
	return 0;
}

int
saved_tools_list(struct database *database, const char *scope,
    const char *after, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = saved_tools_about(database,
	    "SELECT " SAVED_TOOLS_COLUMNS " FROM tools"
	    " WHERE scope = ?1 AND name > ?2 ORDER BY name", scope, after, err);

	return database_list(database, row, saved_tools_tell, json, err);
}
