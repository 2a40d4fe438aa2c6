/*
 * How much may be kept: see quota.h. Runs in the store.
 */
#include "quota.h"

static int
quota_total(struct database *database, const char *name, uint64_t *total,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement = database_prepare(
	    database, "SELECT value FROM totals WHERE name = ?", err);

	if (statement == NULL)
		return -1;
	database_bind_text(statement, 1, name);
	switch (database_step(database, statement, err)) {
	case 1:
		*total = database_number(statement, 0);
		return 0;
	case 0:
		return err_set(err, "%s: its total of %s is missing",
		    DATABASE_NAME, name);
	default:
		return -1;
	}
}

int
quota_check(struct database *database, const struct quota *quota, uint64_t old,
    uint64_t size, struct err *err)
{
	uint64_t count, bytes, most = database_most(database);

	if (old >= size && old > 0)
		return 0;
	if (quota_total(database, quota->total, &count, err) == -1 ||
	    quota_total(database, "bytes", &bytes, err) == -1)
		return -1;
	if (old == 0 && count >= quota->most)
		return err_set(err, "there are %llu %s, and no more than %llu "
		    "can be kept: remove some (%s)",
		    (unsigned long long)count, quota->what,
		    (unsigned long long)quota->most, quota->remedy);
	if (bytes - old + size > most)
		return err_set(err, "what is kept would take %llu bytes, and "
		    "no more than %llu are allowed: remove some %s (%s), or "
		    "let the user raise MCP_BRIDGE_STATE_MAX",
		    (unsigned long long)(bytes - old + size),
		    (unsigned long long)most, quota->what, quota->remedy);
	return 0;
}
