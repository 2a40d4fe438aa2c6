/*
 * Tests of worker/store/saved_tools: a source comes back as it was, a tool
 * replaces one of its name, and what is too much is refused.
 */
#include "store_folder.h"
#include "worker/store/memories.h"
#include "worker/store/saved_tools.h"

static int
save(const char *name, const char *about, const char *source)
{
	struct ipc_bytes bytes = { (const uint8_t *)source, strlen(source) };

	buffer_reset(&json);
	return saved_tools_save(
	    database, "", name, about, bytes, &json, &err);
}

static int
load_as(const char *scope, const char *name)
{
	buffer_reset(&json);
	return saved_tools_load(database, scope, name, 1, &json, &err);
}

static int
forget(const char *name)
{
	buffer_reset(&json);
	return saved_tools_delete(database, "", name, &json, &err);
}

static int
list(const char *after)
{
	buffer_reset(&json);
	return saved_tools_list(database, "", after, &json, &err);
}

START_TEST(a_source_comes_back)
{
	expect_told(save("f", "Does it.", "def f():\n\t\"\\n\xc3\xa9\"\n"),
	    "{\"name\":\"f\",\"description\":\"Does it.\",\"bytes\":");
	ck_assert_ptr_nonnull(strstr(json.data, "\"saved_at\":\"20"));
	ck_assert_ptr_null(strstr(json.data, "\"source\""));
	expect_told(load_as("", "f"),
	    "\"source\":\"def f():\\n\\t\\\"\\\\n\xc3\xa9\\\"\\n\"}");
	expect_all(load_as("", "g"), "null");
	expect_all(load_as("other", "f"), "null");
}
END_TEST

START_TEST(a_tool_replaces_another)
{
	expect_told(save("f", "one", "def f(): 1"), "one");
	expect_told(save("f", "two", "def f(): 2"), "two");
	expect_told(load_as("", "f"), "def f(): 2");
	ck_assert_uint_eq(ask("SELECT count(*) FROM tools"), 1);
	expect_told(save("F", "", "def F(): 3"), "\"F\"");
	expect_told(load_as("", "f"), "def f(): 2");
}
END_TEST

START_TEST(it_may_be_forgotten)
{
	expect_told(save("f", "", "def f(): 1"), "\"f\"");
	expect_all(forget("f"), "true");
	expect_all(forget("f"), "false");
	expect_all(load_as("", "f"), "null");
	ck_assert_uint_eq(ask("SELECT sum(value) FROM totals"), 0);
}
END_TEST

START_TEST(lists_come_in_pages)
{
	auto_buffer struct buffer about = { 0 };
	char name[SAVED_TOOL_NAME_MAX + 1];
	char last[SAVED_TOOL_NAME_MAX + 1] = "";
	size_t n, pages = 0, found = 0;

	expect_all(list(""), "{\"entries\":[],\"more\":false}");
	for (n = 0; n < SAVED_TOOL_ABOUT_MAX; n++)
		buffer_add_text(&about, "\"");
	for (n = 0; n < 400; n++) {
		snprintf(name, sizeof(name), "f%03zu", n);
		expect_told(save(name, about.data, "x"), name);
	}
	do {
		expect_told(list(last), "\"entries\":[{");
		ck_assert_ptr_null(strstr(json.data, "\"source\""));
		while (snprintf(name, sizeof(name), "\"f%03zu\"", found) > 0 &&
		    strstr(json.data, name) != NULL)
			found++;
		snprintf(last, sizeof(last), "f%03zu", found - 1);
		pages++;
	} while (strstr(json.data, "\"more\":true") != NULL);
	ck_assert_uint_eq(found, 400);
	ck_assert_uint_gt(pages, 1);
}
END_TEST

/* Memories and tools share what there is. */
START_TEST(bytes_are_bounded)
{
	struct memory memory = {
		.key = { (const uint8_t *)"key", 3 },
		.value = { (const uint8_t *)"12345", 5 },
	};

	enter_with(20);
	buffer_reset(&json);
	expect_told(memories_save(database, "", &memory, &json, &err),
	    "\"bytes\":10");
	expect_err(save("f", "", "0123456789"), "would take 21 bytes, and no "
	    "more than 20 are allowed: remove some saved tools ('caisson tools "
	    "remove NAME' on the host), or let the user raise "
	    "MCP_BRIDGE_STATE_MAX");
	expect_told(save("f", "", "012345678"), "\"bytes\":10");
}
END_TEST

START_TEST(their_number_is_bounded)
{
	expect_told(save("f", "", "x"), "\"f\"");
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value ="
	    " 1000 WHERE name = 'tools'", &err), 0);
	expect_err(save("g", "", "x"), "there are 1000 saved tools, and no "
	    "more than 1000 can be kept");
	expect_told(save("f", "", "xyz"), "\"f\"");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_test(tc, a_source_comes_back);
	tcase_add_test(tc, a_tool_replaces_another);
	tcase_add_test(tc, it_may_be_forgotten);
	tcase_add_test(tc, lists_come_in_pages);
	tcase_add_test(tc, bytes_are_bounded);
	tcase_add_test(tc, their_number_is_bounded);
}

int
main(void)
{
	return unit_run("saved_tools", add_tests);
}
