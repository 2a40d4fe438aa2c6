/*
 * Tests of worker/store/memories and quota: what was saved is there byte for
 * byte, keys that differ stay apart, nothing is lost where many write, and what
 * is too much is refused and changes nothing.
 */
#include <sys/wait.h>

#include "store_folder.h"
#include "worker/store/memories.h"

static struct ipc_bytes
bytes_of(const char *text)
{
	return (struct ipc_bytes){ (const uint8_t *)text, strlen(text) };
}

static int
save_as(const char *scope, struct ipc_bytes key, const char *value,
    const char *metadata)
{
	struct memory memory = { .key = key, .value = bytes_of(value),
		.metadata = bytes_of(metadata) };

	buffer_reset(&json);
	return memories_save(database, scope, &memory, &json, &err);
}

static int
save(const char *key, const char *value)
{
	return save_as("", bytes_of(key), value, "{}");
}

static int
save_compared(const char *key, const char *value, uint64_t version)
{
	struct memory memory = { .key = bytes_of(key), .value = bytes_of(value),
		.compared = true, .version = version };

	buffer_reset(&json);
	return memories_save(database, "", &memory, &json, &err);
}

static int
load_as(const char *scope, struct ipc_bytes key)
{
	buffer_reset(&json);
	return memories_load(database, scope, key, 1, &json, &err);
}

static int
load(const char *key)
{
	return load_as("", bytes_of(key));
}

static int
forget(const char *key)
{
	buffer_reset(&json);
	return memories_remove(database, "", bytes_of(key), &json, &err);
}

static int
list(const char *scope, struct ipc_bytes after)
{
	buffer_reset(&json);
	return memories_list(database, scope, after, &json, &err);
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(scopes_stay_apart)
{
	expect_told(save("k", "1"), "\"version\":1");
	expect_all(load_as("other", bytes_of("k")), "null");
	expect_told(save_as("other", bytes_of("k"), "2", "{}"), "\"version\"");
	expect_told(load("k"), "\"value\":1}");
	expect_all(list("third", bytes_of("")), "{\"entries\":[],"
	    "\"more\":false}");
	buffer_reset(&json);
	expect_all(memories_remove(database, "",
	    (struct ipc_bytes){ 0 }, &json, &err), "1");
	expect_told(load_as("other", bytes_of("k")), "\"value\":2}");
}

UNIT_TEST(versions_are_compared)
{
	expect_all(save_compared("k", "1", 1), "null");
	expect_all(load("k"), "null");
	expect_told(save_compared("k", "1", 0), "\"version\":1");
	expect_all(save_compared("k", "2", 0), "null");
	expect_all(save_compared("k", "2", 2), "null");
	expect_told(load("k"), "\"value\":1}");
	expect_told(save_compared("k", "2", 1), "\"version\":2");
	expect_told(load("k"), "\"value\":2}");
}

/* A page ends, and the next one begins where it did. */
UNIT_TEST(lists_come_in_pages)
{
	char metadata[10000] = "", key[8], last[8] = "";
	size_t n, pages = 0, found = 0;

	memset(metadata, ' ', sizeof(metadata) - 1);
	memcpy(metadata, "{}", 2);
	for (n = 0; n < 60; n++) {
		snprintf(key, sizeof(key), "k%02zu", n);
		expect_told(
		    save_as("", bytes_of(key), "1", metadata), "\"key\"");
	}
	do {
		expect_told(list("", bytes_of(last)), "\"entries\":[{");
		for (n = 0; n < 60; n++) {
			snprintf(key, sizeof(key), "\"k%02zu\"", n);
			if (strstr(json.data, key) == NULL)
				continue;
			ck_assert_uint_eq(n, found++);
			snprintf(last, sizeof(last), "k%02zu", n);
		}
		pages++;
	} while (strstr(json.data, "\"more\":true") != NULL);
	ck_assert_uint_eq(found, 60);
	ck_assert_uint_gt(pages, 1);
}

UNIT_TEST(bytes_are_bounded)
{
	enter_with(20);
	expect_told(save("a", "\"123456789\""), "\"bytes\":14");
	expect_err(save("b", "\"12\""), "memories and saved tools would take "
	    "21 bytes, and the limit is 20: remove some memories "
	    "(delete_memory("
	    "key), or 'caisson memory remove KEY' on the host), or let the "
	    "user raise CAISSON_STATE_MAX");
	expect_all(load("b"), "null");
	/* It may fill what there is, and shrink, whatever is allowed. */
	expect_told(save("b", "\"1\""), "\"bytes\":6");
	enter_with(3);
	expect_told(save("a", "\"12345678\""), "\"bytes\":13");
	expect_err(save("a", "\"123456789\""), "would take 20 bytes");
	expect_told(load("a"), "\"12345678\"");
	expect_all(forget("a"), "true");
}

UNIT_TEST(their_number_is_bounded)
{
	expect_told(save("a", "1"), "\"key\"");
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value ="
	    " 10000 WHERE name = 'memories'", &err), 0);
	expect_err(save("b", "1"), "there are 10000 memories, and the limit is "
	    "10000: remove some (delete_memory(key), or 'caisson "
	    "memory remove KEY' on the host)");
	expect_told(save("a", "[2]"), "\"key\"");
}

/* A scope that is not our user's cannot take all the room. */
UNIT_TEST(scopes_share_the_room)
{
	enter_with(49);
	expect_told(save("a", "\"12345678\""), "\"bytes\":13");
	expect_told(save_as("guest", bytes_of("b"), "\"1234567\"", "{}"),
	    "\"bytes\":12");
	expect_err(save_as("guest", bytes_of("c"), "\"12345678\"", "{}"),
	    "the data of this client would take 25 bytes, and the remaining "
	    "room is reserved for others: remove some memories "
	    "(delete_memory(key)");
	/* Our user may have it. */
	expect_told(save("d", "\"12345678\""), "\"bytes\":13");
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value ="
	    " 9999 WHERE name = 'memories'", &err), 0);
	expect_err(save_as("guest", bytes_of("f"), "1", "{}"), "this client "
	    "keeps 1 memories, and the remaining room is reserved for others: "
	    "remove "
	    "some (delete_memory(key)");
}

/* What an earlier version has accepted, and what another program may write. */
static const char *const unlisted[] = {
	"'[]'", "'5'", "'{'", "''", "NULL", "x'ff'",
	"'{\"a\":' || char(10) || '1}'",
	"'{\"k\":1' || replace(hex(zeroblob(2500)), '0', '7') || '}'",
	("'{\"a\":' || replace(hex(zeroblob(126)), '0', '[') ||"
	 " replace(hex(zeroblob(126)), '0', ']') || '}'"),
};

UNIT_TESTS(bad_metadata_cost_only_themselves, UNIT_COUNT(unlisted))
{
	auto_free char *sql = mem_printf("UPDATE memories SET metadata ="
	    " CAST(ifnull(%s, 5) AS BLOB) WHERE key = x'62'", unlisted[_i]);

	expect_told(save("a", "1"), "\"key\"");
	expect_told(save("b", "2"), "\"key\"");
	expect_told(save("c", "3"), "\"key\"");
	ck_assert_msg(database_run(database, sql, &err) == 0, "%s", err.text);
	expect_told(list("", bytes_of("")), "{\"key\":\"b\",\"metadata\":{},");
	ck_assert_uint_eq(count_told("\"key\""), 3);
	ck_assert_uint_eq(count_told("\"note\":\"the metadata of this memory "
	    "cannot be listed: "), 1);
	expect_told(load("b"), "\"value\":2}");
	expect_told(save("b", "2"), "\"metadata\":{}");
	ck_assert_uint_eq(count_told("\"note\""), 0);
}
