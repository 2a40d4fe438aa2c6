/* Limits of the stored data: see quota.h. */
#include <string.h>

#include "quota.h"

static int
quota_total(struct database *database, const char *name, uint64_t *total,
    struct err *err)
{
	auto_statement sqlite3_stmt *statement = database_prepare_of(
	    database, "SELECT value FROM totals WHERE name = ?", name, err);

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

/* The usage of a scope. */
struct quota_share {
	uint64_t count; /* of one kind */
	uint64_t bytes;
};

/* These sums have no triggers: scopes other than the local user's are small. */
static int
quota_share(struct database *database, const struct quota *quota,
    const char *scope, struct quota_share *share, struct err *err)
{
	auto_statement sqlite3_stmt *statement = database_prepare_of(database,
	    "SELECT (SELECT count(*) FROM memories WHERE scope = ?1),"
	    " (SELECT count(*) FROM tools WHERE scope = ?1),"
	    " (SELECT coalesce(sum(size), 0) FROM memories WHERE scope = ?1)"
	    " + (SELECT coalesce(sum(size), 0) FROM tools WHERE scope = ?1)",
	    scope, err);

	if (database_step(database, statement, err) != 1)
		return -1;
	share->count = database_number(
	    statement, strcmp(quota->total, "memories") == 0 ? 0 : 1);
	share->bytes = database_number(statement, 2);
	return 0;
}

/*
 * Whether a scope other than the local user's may have more units: most is the
 * maximum, all are in use, own of them by this scope. It gets at most as many
 * as are free, so that no scope takes all the room.
 */
static int
quota_is_shared(uint64_t own, uint64_t more, uint64_t all, uint64_t most)
{
	return all <= most && own + more <= most - all;
}

static int
quota_check_share(struct database *database, const struct quota *quota,
    const char *scope, const struct quota_share *all, uint64_t old,
    uint64_t size, struct err *err)
{
	struct quota_share own;

	if (quota_share(database, quota, scope, &own, err) == -1)
		return -1;
	if (old == 0 && !quota_is_shared(own.count, 1, all->count, quota->most))
		return err_set(err, "this client keeps %llu %s, and the "
		    "remaining room is reserved for others: remove some (%s)",
		    (unsigned long long)own.count, quota->what, quota->remedy);
	if (own.bytes - old + size > database_own(database))
		return err_set(err, "the data of this client would take %llu "
		    "bytes, and its token allows %llu: remove some %s (%s), or "
		    "let the operator make another token with a larger "
		    "--memories-max",
		    (unsigned long long)(own.bytes - old + size),
		    (unsigned long long)database_own(database), quota->what,
		    quota->remedy);
	if (!quota_is_shared(own.bytes, size - old, all->bytes,
	        database_most(database)))
		return err_set(err, "the data of this client would take %llu "
		    "bytes, and the remaining room is reserved for others: "
		    "remove some %s (%s)",
		    (unsigned long long)(own.bytes - old + size), quota->what,
		    quota->remedy);
	return 0;
}

int
quota_check(struct database *database, const struct quota *quota,
    const char *scope, uint64_t old, uint64_t size, struct err *err)
{
	uint64_t count, bytes, most = database_most(database);

	if (old >= size && old > 0)
		return 0;
	if (quota_total(database, quota->total, &count, err) == -1 ||
	    quota_total(database, "bytes", &bytes, err) == -1)
		return -1;
	if (scope[0] != '\0')
		return quota_check_share(database, quota, scope,
		    &(struct quota_share){ count, bytes }, old, size, err);
	if (old == 0 && count >= quota->most)
		return err_set(err, "there are %llu %s, and the limit is %llu: "
		    "remove some (%s)", (unsigned long long)count, quota->what,
		    (unsigned long long)quota->most, quota->remedy);
	if (bytes - old + size > most)
		return err_set(err, "memories and saved tools would take %llu "
		    "bytes, and the limit is %llu: remove some %s (%s), or let "
		    "the user raise CAISSON_STATE_MAX",
		    (unsigned long long)(bytes - old + size),
		    (unsigned long long)most, quota->what, quota->remedy);
	return 0;
}
