/* Saved tools: see saved_tools.h. */
#include <stdbool.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/storable.h"
#include "quota.h"
#include "saved_tools.h"

static const struct quota saved_tools_quota = { "tools", "saved tools",
	SAVED_TOOLS_MAX, "'caisson saved-tools remove NAME' or 'caisson "
	"saved-tools clear' on the host" };

/* The columns that saved_tools_tell() reads, in order. */
#define SAVED_TOOLS_COLUMNS "name, about, size, saved, storable_name(name)"

/* Appends the description of a row, without its end. */
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
	if (!database_number(row, 4))
		buffer_add_text(json, ",\"ignored\":true");
}

/* The counted size of a tool. */
static uint64_t
saved_tools_size(const struct saved_tool *tool)
{
	return strlen(tool->name) + strlen(tool->about) + tool->source.len;
}

/* A statement about one name: ?1 is the scope, ?2 the name. */
static sqlite3_stmt *
saved_tools_about(struct database *database, const char *sql,
    const char *scope, const char *name, struct err *err)
{
	sqlite3_stmt *statement =
	    database_prepare_of(database, sql, scope, err);

	if (statement != NULL)
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
	int found = database_step(database, row, err);

	if (found == -1)
		return -1;
	if (found == 0) {
		buffer_add_text(json, "null");
		return 0;
	}
	saved_tools_tell(row, json);
	if (whole) {
		buffer_add_text(json, ",\"source\":");
		database_add_string(row, 5, json);
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
	int found = database_step(database, row, err);

	*size = found == 1 ? database_number(row, 0) : 0;
	return found == -1 ? -1 : 0;
}

static int
saved_tools_put(struct database *database, const char *scope,
    const struct saved_tool *tool, struct err *err)
{
	auto_statement sqlite3_stmt *statement = saved_tools_about(database,
	    "INSERT INTO tools VALUES (?1, ?2, ?3,"
	    " strftime('%Y-%m-%dT%H:%M:%fZ'), ?4, ?5)"
	    " ON CONFLICT (scope, name) DO UPDATE SET size = excluded.size,"
	    " saved = excluded.saved, about = excluded.about,"
	    " source = excluded.source", scope, tool->name, err);

	if (statement == NULL)
		return -1;
	database_bind_number(statement, 3, saved_tools_size(tool));
	database_bind_text(statement, 4, tool->about);
	database_bind_bytes(statement, 5, tool->source.data, tool->source.len);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/* The data of a change that saves a tool. */
struct saved_tools_save {
	const char *scope;
	const struct saved_tool *tool;
	unsigned int places;
	bool fresh; /* there is no tool of this name yet */
};

static int
saved_tools_change(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	struct saved_tools_save *save = ctx;
	const struct saved_tool *tool = save->tool;
	uint64_t old;

	if (saved_tools_find_old(
	        database, save->scope, tool->name, &old, err) == -1)
		return -1;
	save->fresh = old == 0;
	if (save->fresh && save->places == 0)
		return err_set(err, "one execution can add at most %d saved "
		    "tools: save the others in another call",
		    SAVED_TOOLS_NEW_MAX);
	if (quota_check(database, &saved_tools_quota, save->scope, old,
	        saved_tools_size(tool), err) == -1 ||
	    saved_tools_put(database, save->scope, tool, err) == -1)
		return -1;
	return saved_tools_load(
	    database, save->scope, tool->name, 0, json, err);
}

int
saved_tools_save(struct database *database, const char *scope,
    const struct saved_tool *tool, unsigned int *places, struct buffer *json,
    struct err *err)
{
	struct saved_tools_save save = { scope, tool, *places, 0 };

	if (storable_name(tool->name, err) == -1 ||
	    database_save(database, saved_tools_change, &save, json, err) == -1)
		return -1;
	*places -= (unsigned int)save.fresh;
	return 0;
}

/* Removing */

int
saved_tools_remove(struct database *database, const char *scope,
    const char *name, int ignored, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *statement = saved_tools_about(database,
	    name[0] != '\0' ?
	        "DELETE FROM tools WHERE scope = ?1 AND name = ?2" :
	    ignored ? "DELETE FROM tools WHERE scope = ?1 AND name >= ?2"
	              " AND NOT storable_name(name)"
	            : "DELETE FROM tools WHERE scope = ?1 AND name >= ?2",
	    scope, name, err);

	return database_remove(database, statement, name[0] != '\0', json, err);
}

/* Listing */

int
saved_tools_list(struct database *database, const char *scope,
    const char *after, int ignored, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = saved_tools_about(database,
	    "SELECT " SAVED_TOOLS_COLUMNS " FROM tools"
	    " WHERE scope = ?1 AND name > ?2 AND (?3 OR storable_name(name))"
	    " ORDER BY name", scope, after, err);

	if (row != NULL)
		database_bind_number(row, 3, (uint64_t)ignored);
	return database_list(database, row, saved_tools_tell, json, err);
}
