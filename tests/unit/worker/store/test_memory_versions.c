/*
 * Tests of the versions of memories (worker/store/memories): each scope counts
 * its own, so that no owner learns how often another one saves, and no version
 * is used twice.
 */
#include "store_folder.h"
#include "worker/store/memories.h"

static void
expect_version(const char *scope, const char *key, const char *version)
{
	auto_free char *member = mem_printf("\"version\":%s,", version);
	struct memory memory = {
		.key = { (const uint8_t *)key, strlen(key) },
		.value = { (const uint8_t *)"1", 1 },
	};

	buffer_reset(&json);
	expect_told(
	    memories_save(database, scope, &memory, &json, &err), member);
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(no_version_is_used_twice)
{
	expect_version("one", "k", "1");
	expect_version("one", "other", "2");
	buffer_reset(&json);
	expect_all(memories_remove(database, "one",
	    (struct ipc_bytes){ 0 }, &json, &err), "2");
	expect_version("one", "k", "3");
}

/* Earlier programs counted all scopes together. */
UNIT_TEST(older_versions_are_not_used_again)
{
	expect_version("one", "k", "1");
	ck_assert_int_eq(database_run(database, "UPDATE memories SET version ="
	    " 40; UPDATE totals SET value = 50 WHERE name = 'version';"
	    " DELETE FROM totals WHERE name = 'version one'", &err), 0);
	expect_version("one", "other", "41");
	expect_version("one", "k", "42");
	expect_version("", "k", "51");
}
