/*
 * Tests of worker/store/saved_tools: a source comes back as it was, a tool
 * replaces one of its name, and what is too much is refused.
 */
#include "store_folder.h"
#include "worker/store/memories.h"
#include "worker/store/saved_tools.h"

static unsigned int places = SAVED_TOOLS_MAX; /* for new ones */

static int
save(const char *name, const char *about, const char *source)
{
	const struct saved_tool tool = { .name = name, .about = about,
		.source = { (const uint8_t *)source, strlen(source) } };

	buffer_reset(&json);
	return saved_tools_save(database, "", &tool, &places, &json, &err);
}

static int
load_as(const char *scope, const char *name)
{
	buffer_reset(&json);
	return saved_tools_load(database, scope, name, 1, &json, &err);
}

static int
list(const char *after)
{
	buffer_reset(&json);
	return saved_tools_list(database, "", after, 0, &json, &err);
}

UNIT_FIXTURE(enter, leave)

/* Memories and tools share what there is. */
UNIT_TEST(bytes_are_bounded)
{
	struct memory memory = {
		.key = { (const uint8_t *)"key", 3 },
		.value = { (const uint8_t *)"12345", 5 },
	};

	enter_with(20);
	buffer_reset(&json);
	expect_told(memories_save(database, "", &memory, &json, &err),
	    "\"bytes\":10");
	expect_err(save("f", "", "0123456789"), "would take 21 bytes, and the "
	    "limit is 20: remove some saved tools ('caisson "
	    "saved-tools remove NAME' or 'caisson saved-tools clear' on the "
	    "host), or let the user raise CAISSON_STATE_MAX");
	expect_told(save("f", "", "012345678"), "\"bytes\":10");
}

UNIT_TEST(their_number_is_bounded)
{
	expect_told(save("f", "", "x"), "\"f\"");
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value ="
	    " 1000 WHERE name = 'tools'", &err), 0);
	expect_err(save("g", "", "x"), "there are 1000 saved tools, and "
	    "the limit is 1000");
	expect_told(save("f", "", "xyz"), "\"f\"");
}

/* What an earlier version, or a forged frame at its time, may have kept. */
static void
keep_ignored(void)
{
	static const char *const sql[] = {
		"INSERT INTO tools VALUES ('', 'a b', 3, 'then', '', x'78')",
		"INSERT INTO tools VALUES ('', '__all__', 7, 'then', '',"
		" x'78')",
		"INSERT INTO tools VALUES ('', 'mcp_fs', 6, 'then', '',"
		" x'78')",
		"INSERT INTO tools VALUES ('', 'f' || char(0) || 'g', 3,"
		" 'then', '', x'78')",
		"INSERT INTO tools VALUES ('', char(27) || '[2J', 4, 'then',"
		" '', x'78')",
	};
	size_t n;

	for (n = 0; n < UNIT_COUNT(sql); n++)
		ck_assert_msg(database_run(database, sql[n], &err) == 0, "%s",
		    err.text);
}

UNIT_TEST(bad_names_are_refused_and_ignored)
{
	expect_err(save("a b", "", "x"), "must be a Python identifier");
	expect_err(save("__all__", "", "x"), "must be a Python identifier");
	expect_told(save("good", "", "x"), "\"good\"");
	keep_ignored();
	expect_told(list(""), "{\"entries\":[{\"name\":\"good\",");
	ck_assert_uint_eq(count_told("\"name\""), 1);
	buffer_reset(&json);
	expect_told(saved_tools_list(database, "", "", 1, &json, &err),
	    "{\"name\":\"a b\",\"description\":\"\",\"bytes\":3,\"saved_at\":"
	    "\"then\",\"ignored\":true}");
	ck_assert_uint_eq(count_told("\"name\""), 6);
	ck_assert_uint_eq(count_told("\"ignored\""), 5);
	buffer_reset(&json);
	expect_all(saved_tools_remove(database, "", "", 1, &json, &err), "5");
	expect_told(load_as("", "good"), "\"source\":\"x\"");
}

UNIT_TEST(new_ones_are_bounded)
{
	places = 2;
	expect_told(save("f", "", "x"), "\"f\"");
	expect_told(save("f", "", "y"), "\"f\"");
	expect_told(save("g", "", "x"), "\"g\"");
	expect_err(save("h", "", "x"),
	    "one execution can add at most 50 saved tools");
	expect_told(save("g", "", "z"), "\"g\"");
	ck_assert_uint_eq(places, 0);
}
