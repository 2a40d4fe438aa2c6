/* Memories: see memories.h. */
#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/storable.h"
#include "memories.h"
#include "quota.h"

static const struct quota memories_quota = { "memories", "memories",
	MEMORIES_MAX, "delete_memory(key), or 'caisson memory remove KEY' on "
	"the host" };

/* The properties of the memory that a save replaces. */
struct memories_old {
	uint64_t size; /* 0 if there is none */
	uint64_t version;
};

/* The columns that memories_tell() reads, in order. */
#define MEMORIES_COLUMNS "key, metadata, size, version, created, updated"

/*
 * Appends the description of a row, without its end. Metadata that would make
 * the list unreadable are left out, and a note is added.
 */
static void
memories_tell(sqlite3_stmt *row, struct buffer *json)
{
	size_t len;
	const char *metadata = database_bytes(row, 1, &len);
	struct err why, note;
	int good = storable_metadata(metadata, len, &why) == 0;

	buffer_add_text(json, "{\"key\":");
	database_add_string(row, 0, json);
	buffer_add_text(json, ",\"metadata\":");
	buffer_add(json, good ? metadata : "{}", good ? len : 2);
	buffer_printf(json, ",\"bytes\":%llu,\"version\":%llu",
	    (unsigned long long)database_number(row, 2),
	    (unsigned long long)database_number(row, 3));
	buffer_add_text(json, ",\"created_at\":");
	database_add_string(row, 4, json);
	buffer_add_text(json, ",\"updated_at\":");
	database_add_string(row, 5, json);
	if (good)
		return;
	err_set(&note, "the metadata of this memory cannot be listed: %s; "
	    "save_memory() replaces them", why.text);
	buffer_add_text(json, ",\"note\":");
	json_add_text(json, note.text);
}

/* A statement about one key: ?1 is the scope, ?2 the key. */
static sqlite3_stmt *
memories_about(struct database *database, const char *sql, const char *scope,
    struct ipc_bytes key, struct err *err)
{
	sqlite3_stmt *statement =
	    database_prepare_of(database, sql, scope, err);

	if (statement != NULL)
		database_bind_bytes(statement, 2, key.data, key.len);
	return statement;
}

int
memories_load(struct database *database, const char *scope,
    struct ipc_bytes key, int whole, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *row = memories_about(database,
	    "SELECT " MEMORIES_COLUMNS ", value FROM memories"
	    " WHERE scope = ?1 AND key = ?2", scope, key, err);
	int found = database_step(database, row, err);
	const char *value;
	struct err why;
	size_t len;

	if (found == -1)
		return -1;
	if (found == 0) {
		buffer_add_text(json, "null");
		return 0;
	}
	value = database_bytes(row, 6, &len);
	if (whole && storable_json(value, len, &why) == -1)
		return err_set(err, "the value of this memory is damaged: %s; "
		    "save_memory() replaces it, delete_memory() removes it",
		    why.text);
	memories_tell(row, json);
	if (whole) {
		buffer_add_text(json, ",\"value\":");
		buffer_add(json, value, len);
	}
	buffer_add_text(json, "}");
	return 0;
}

/* Saving: all of this in one transaction */

static int
memories_find_old(struct database *database, const char *scope,
    struct ipc_bytes key, struct memories_old *old, struct err *err)
{
	auto_statement sqlite3_stmt *row = memories_about(database,
	    "SELECT size, version FROM memories WHERE scope = ?1 AND key = ?2",
	    scope, key, err);
	int found = database_step(database, row, err);

	*old = (struct memories_old){ 0 };
	if (found == 1) {
		old->size = database_number(row, 0);
		old->version = database_number(row, 1);
	}
	return found == -1 ? -1 : 0;
}

/*
 * The name of the total that counts the versions of a scope, ?1. Each scope has
 * its own, so that versions do not show what other owners save; that of our
 * user has the name of the first release.
 */
#define MEMORIES_COUNTER                                                       \
	"CASE ?1 WHEN '' THEN 'version' ELSE 'version ' || ?1 END"

/* Executes a statement about the counter of a scope. */
static int
memories_run_counter(struct database *database, const char *sql,
    const char *scope, struct err *err)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare_of(database, sql, scope, err);

	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/*
 * Counts one more version of a scope. A counter that is missing begins at the
 * latest version that there is.
 */
static int
memories_count(struct database *database, const char *scope, struct err *err)
{
	if (memories_run_counter(database, "INSERT INTO totals"
	        " SELECT " MEMORIES_COUNTER ", coalesce((SELECT max(version)"
	        " FROM memories WHERE scope = ?1), 0) WHERE NOT EXISTS"
	        " (SELECT 1 FROM totals WHERE name = " MEMORIES_COUNTER ")",
	        scope, err) == -1)
		return -1;
	return memories_run_counter(database, "UPDATE totals SET"
	    " value = value + 1 WHERE name = " MEMORIES_COUNTER, scope, err);
}

/*
 * A version is never reused, so that a memory that was deleted and recreated is
 * not mistaken for the earlier one.
 */
static int
memories_put(struct database *database, const char *scope,
    const struct memory *memory, struct err *err)
{
	auto_statement sqlite3_stmt *statement = NULL;
	uint64_t size = memory->key.len + memory->value.len;

	if (memories_count(database, scope, err) == -1)
		return -1;
	statement = memories_about(database,
	    "INSERT INTO memories SELECT ?1, ?2, value, ?3,"
	    " strftime('%Y-%m-%dT%H:%M:%fZ'), strftime('%Y-%m-%dT%H:%M:%fZ'),"
	    " ?4, ?5 FROM totals WHERE name = " MEMORIES_COUNTER
	    " ON CONFLICT (scope, key) DO UPDATE SET"
	    " version = excluded.version,"
	    " updated = excluded.updated, value = excluded.value,"
	    " metadata = CASE WHEN ?6 THEN excluded.metadata"
	    "  ELSE metadata END,"
	    " size = excluded.size + CASE WHEN ?6 THEN 0"
	    "  ELSE length(metadata) - length(excluded.metadata) END",
	    scope, memory->key, err);
	if (statement == NULL)
		return -1;
	if (memory->metadata.len > 0)
		database_bind_bytes(statement, 4, memory->metadata.data,
		    memory->metadata.len);
	else
		database_bind_bytes(statement, 4, "{}", 2);
	size += memory->metadata.len > 0 ? memory->metadata.len : 2;
	database_bind_number(statement, 3, size);
	database_bind_bytes(
	    statement, 5, memory->value.data, memory->value.len);
	database_bind_number(statement, 6, memory->metadata.len > 0);
	return database_step(database, statement, err) == -1 ? -1 : 0;
}

/* The data of a change that saves a memory. */
struct memories_save {
	const char *scope;
	const struct memory *memory;
};

static int
memories_change(struct database *database, void *ctx, struct buffer *json,
    struct err *err)
{
	const struct memories_save *save = ctx;
	const struct memory *memory = save->memory;
	uint64_t size = memory->key.len + memory->value.len +
	    memory->metadata.len;
	struct memories_old old;

	if (memories_find_old(
	        database, save->scope, memory->key, &old, err) == -1)
		return -1;
	if (memory->compared && memory->version != old.version) {
		buffer_add_text(json, "null");
		return 0;
	}
	if (quota_check(database, &memories_quota, save->scope, old.size, size,
	        err) == -1 ||
	    memories_put(database, save->scope, memory, err) == -1)
		return -1;
	return memories_load(database, save->scope, memory->key, 0, json, err);
}

int
memories_save(struct database *database, const char *scope,
    const struct memory *memory, struct buffer *json, struct err *err)
{
	struct memories_save save = { scope, memory };

	return database_save(database, memories_change, &save, json, err);
}

/* Removing */

int
memories_remove(struct database *database, const char *scope,
    struct ipc_bytes key, struct buffer *json, struct err *err)
{
	auto_statement sqlite3_stmt *statement = memories_about(database,
	    key.len > 0 ?
	        "DELETE FROM memories WHERE scope = ?1 AND key = ?2" :
	        "DELETE FROM memories WHERE scope = ?1 AND key >= ?2",
	    scope, key, err);

	return database_remove(database, statement, key.len > 0, json, err);
}

/* Listing */

int
memories_list(struct database *database, const char *scope,
    struct ipc_bytes after, struct buffer *json, struct err *err)
{
	/* No key is empty, so all keys are after the empty one. */
	auto_statement sqlite3_stmt *row = memories_about(database,
	    "SELECT " MEMORIES_COLUMNS " FROM memories"
	    " WHERE scope = ?1 AND key > ?2 ORDER BY key", scope, after, err);

	return database_list(database, row, memories_tell, json, err);
}
