/*
 * Tests of worker/broker/tools/tools: pages of foreign JSON become one list, in
 * which every tool is the bytes it came in, and nothing is without a limit.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/tools/tools.h"

static struct rules rules;
static struct tools *tools;
static struct err err;
static char wrong[500]; /* what the last list has said of wrong tools */

static int
add_page(const char *json)
{
	struct json_span page;

	if (tools == NULL)
		tools = tools_new(&rules);
	ck_assert_msg(json_span_parse(json, strlen(json), &page, &err) == 0,
	    "%s", err.text);
	return tools_add_page(tools, page, &err);
}

static void
expect_list(const char *wanted, size_t left_out)
{
	auto_buffer struct buffer payload = { 0 };

	ck_assert_int_eq(tools_finish(tools, &payload, &err), 0);
	ck_assert_str_eq(payload.data, wanted);
	ck_assert_uint_eq(tools->left_out, left_out);
	snprintf(wrong, sizeof(wrong), "%.*s", (int)tools->wrong.len,
	    tools->wrong.len > 0 ? tools->wrong.data : "");
	tools_free(&tools);
	tools_free(&tools); /* NULL is accepted */
}

/* On one line, and otherwise as it came. */
UNIT_TEST(keeps_the_bytes)
{
	ck_assert_int_eq(add_page("{\"tools\" : [ {\"name\":\"\\u0061-b\",\n"
	    "\"x\":-0, \"x\":1E999}\r, {\"y\":[],\"name\":\"2\"} ] }"), 0);
	expect_list("{\"tools\":[{\"name\":\"\\u0061-b\", \"x\":-0, "
	    "\"x\":1E999},{\"y\":[],\"name\":\"2\"}],"
	    "\"aliases\":[\"a_b\",\"_2\"]}", 0);
}

UNIT_TEST(leaves_out_what_may_not_be_used)
{
	struct ipc_define define = {
		.deny = { (const uint8_t *)"a_b\0c*", 7 } };

	rules_set(&rules, &define);
	ck_assert_int_eq(add_page("{\"tools\":[{\"name\":\"a_b\"},"
	    "{\"name\":\"a-b\"},{\"name\":\"\\u0063\"},"
	    "{\"name\":\"b\\u0000\"},{\"name\":\"a_b\"}]}"), 0);
	expect_list("{\"tools\":[{\"name\":\"a-b\"}],"
	    "\"aliases\":[\"a_b_2\"]}", 0);
	rules_reset(&rules);
}

/*
 * What a name means does not depend on what is denied, or not allowed: each
 * tool has the alias that it would have if all could be used.
 */
static const struct {
	int narrowed;
	const char *allow, *deny, *wanted;
} denials[] = {
	{ 0, "", "", "{\"tools\":[{\"name\":\"SECRET_READ\"},{\"name\":"
	    "\"Secret_Read\"},{\"name\":\"secret_read\"}],\"aliases\":"
	    "[\"secret_read_2\",\"secret_read_3\",\"secret_read\"]}" },
	{ 0, "", "secret_read", "{\"tools\":[{\"name\":\"SECRET_READ\"},"
	    "{\"name\":\"Secret_Read\"}],\"aliases\":"
	    "[\"secret_read_2\",\"secret_read_3\"]}" },
	{ 0, "", "SECRET_READ", "{\"tools\":[{\"name\":\"Secret_Read\"},"
	    "{\"name\":\"secret_read\"}],\"aliases\":"
	    "[\"secret_read_3\",\"secret_read\"]}" },
	{ 1, "Secret_Read", "", "{\"tools\":[{\"name\":\"Secret_Read\"}],"
	    "\"aliases\":[\"secret_read_3\"]}" },
	{ 0, "", "*", "{\"tools\":[],\"aliases\":[]}" },
};

UNIT_TESTS(no_name_changes_its_meaning, UNIT_COUNT(denials))
{
	struct ipc_define define = {
		.narrowed = (unsigned int)denials[_i].narrowed,
		.allow = { (const uint8_t *)denials[_i].allow,
		    denials[_i].narrowed ? strlen(denials[_i].allow) + 1 : 0 },
		.deny = { (const uint8_t *)denials[_i].deny,
		    denials[_i].deny[0] != '\0' ?
		        strlen(denials[_i].deny) + 1 : 0 } };

	rules_set(&rules, &define);
	ck_assert_int_eq(add_page("{\"tools\":[{\"name\":\"SECRET_READ\"},"
	    "{\"name\":\"Secret_Read\"},{\"name\":\"secret_read\"}]}"), 0);
	expect_list(denials[_i].wanted, 0);
	rules_reset(&rules);
}

UNIT_TEST(leaves_out_what_is_no_tool)
{
	auto_buffer struct buffer page = { 0 };

	buffer_add_text(&page, "{\"tools\":[1,null,[],{},{\"name\":1},"
	    "{\"name\":\"a\"},{\"name\":\"\\u0061\",\"second\":1},"
	    "{\"name\":\"");
	memset(buffer_reserve(&page, TOOL_NAME_MAX - 1), 'x',
	    TOOL_NAME_MAX - 1);
	page.len += TOOL_NAME_MAX - 1;
	buffer_add_text(&page, "\"}]}");
	ck_assert_int_eq(add_page(page.data), 0);
	expect_list(
	    "{\"tools\":[{\"name\":\"a\"}],\"aliases\":[\"a\"]}", 7);
}

UNIT_TEST(follows_cursors)
{
	struct json_span cursor;

	ck_assert_int_eq(add_page(
	    "{\"tools\":[{\"name\":\"b\"}],\"nextCursor\":\"\\ud800\"}"), 1);
	cursor = pages_cursor(&tools->pages);
	ck_assert_uint_eq(cursor.len, 8);
	ck_assert_mem_eq(cursor.p, "\"\\ud800\"", 8);
	ck_assert_int_eq(
	    add_page("{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":null}"), 0);
	ck_assert(!tools->pages.is_cut);
	expect_list("{\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"}],"
	    "\"aliases\":[\"b\",\"a\"]}", 0);
}

/* What came before the last page that is wrong stays. */
UNIT_TESTS(a_list_is_cut_where_it_is_wrong, 4)
{
	static const char *const rows[][2] = {
		{ "{\"tools\":[],\"nextCursor\":1}",
		    "its \"nextCursor\" is not a string" },
		{ "{\"tools\":[],\"nextCursor\":\"\"}",
		    "its \"nextCursor\" is empty" },
		{ "{\"tools\":[],\"nextCursor\":\"x\"}", "it has no end: the "
		    "same \"nextCursor\" came twice" },
		{ "{\"tools\":1}", "a page has no array \"tools\"" },
	};

	ck_assert_int_eq(add_page("{\"tools\":[],\"nextCursor\":\"x\"}"), 1);
	ck_assert_int_eq(add_page(
	    "{\"tools\":[{\"name\":\"b\"}],\"nextCursor\":\"y\"}"), 1);
	ck_assert_int_eq(add_page(rows[_i][0]), 0);
	ck_assert_str_eq(tools->pages.cut.text, rows[_i][1]);
	expect_list("{\"tools\":[{\"name\":\"b\"}],\"aliases\":[\"b\"]}", 0);
}

/* The other tools, and the aliases that these have, stay. */
UNIT_TEST(a_wrong_schema_spoils_its_tool_alone)
{
	auto_buffer struct buffer page = { 0 };

	buffer_add_text(&page, "{\"tools\":[{\"name\":\"a\",\"inputSchema\":5},"
	    "{\"name\":\"A\"},{\"name\":\"b\",\"inputSchema\":null},"
	    "{\"name\":\"c\",\"outputSchema\":[]},{\"name\":\"d\",\"x\":\"");
	memset(buffer_reserve(&page, SERVER_TOOL_MAX), 'x', SERVER_TOOL_MAX);
	page.len += SERVER_TOOL_MAX;
	buffer_add_text(&page, "\"}]}");
	ck_assert_int_eq(add_page(page.data), 0);
	expect_list("{\"tools\":[{\"name\":\"A\"},{\"name\":\"b\","
	    "\"inputSchema\":null}],\"aliases\":[\"a_2\",\"b\"],\"unusable\":{"
	    "\"a\":\"its inputSchema is not an object, or nested too deeply\","
	    "\"c\":\"its outputSchema is not an object, or nested too deeply\","
	    "\"d\":\"it has more than a megabyte\"}}", 0);
	ck_assert_str_eq(wrong, "\"a\": its inputSchema is "
	    "not an object, or nested too deeply; \"c\": its outputSchema is "
	    "not an object, or nested too deeply; \"d\": it has more than a "
	    "megabyte");
}

/* What came before comes again, and is no second fault. */
UNIT_TEST(a_page_that_comes_twice_is_one_fault)
{
	static const char page[] = "{\"tools\":[{\"name\":\"a\"},"
	    "{\"name\":\"b\",\"inputSchema\":5}],\"nextCursor\":\"x\"}";

	ck_assert_int_eq(add_page(page), 1);
	ck_assert_int_eq(add_page(page), 0);
	ck_assert(tools->pages.is_cut);
	expect_list("{\"tools\":[{\"name\":\"a\"}],\"aliases\":[\"a\"],"
	    "\"unusable\":{\"b\":\"its inputSchema is not an object, or nested "
	    "too deeply\"}}", 0);
	ck_assert_str_eq(wrong, "\"b\": its inputSchema is not an object, or "
	    "nested too deeply");
}

UNIT_TESTS(refuses_what_is_no_page, 3)
{
	static const char *const rows[] = { "{}", "[]", "{\"tools\":1}" };

	ck_assert_int_eq(add_page(rows[_i]), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "no array \"tools\""));
	tools_free(&tools);
}

UNIT_TEST(tools_are_bounded)
{
	auto_buffer struct buffer page = { 0 };
	int n;

	buffer_add_text(&page, "{\"tools\":[{\"name\":\"a\"}");
	for (n = 1; n < SERVER_TOOLS_MAX; n++)
		buffer_printf(&page, ",{\"name\":\"a\",\"x\":%d}", n);
	buffer_add_text(&page, "],\"nextCursor\":\"a\"}");
	ck_assert_int_eq(add_page(page.data), 1);
	ck_assert_int_eq(add_page("{\"tools\":[{\"name\":\"b\"}]}"), 0);
	ck_assert_str_eq(
	    tools->pages.cut.text, "it lists more than 10000 tools");
	expect_list("{\"tools\":[{\"name\":\"a\"}],\"aliases\":[\"a\"],"
	    "\"cut\":\"only a part of its list was read, without this tool: it "
	    "lists more than 10000 tools\"}", SERVER_TOOLS_MAX - 1);
}

UNIT_TEST(bytes_are_bounded)
{
	auto_buffer struct buffer page = { 0 };
	size_t len = SERVER_TOOL_MAX - 100;
	size_t head;
	int n, more = 1;

	buffer_add_text(&page, "{\"tools\":[{\"name\":\"a\",\"x\":\"");
	head = page.len;
	memset(buffer_reserve(&page, len), 'x', len);
	for (n = 0; more; n++) {
		page.len = head + len;
		buffer_printf(&page, "\"}],\"nextCursor\":\"%d\"}", n);
		more = add_page(page.data);
	}
	ck_assert_int_eq(n, 16);
	ck_assert_str_eq(
	    tools->pages.cut.text, "it has more than 15728640 bytes");
	tools_free(&tools);
}

/* With the aliases a list can be longer than what came. */
UNIT_TEST(the_list_is_bounded)
{
	auto_buffer struct buffer page = { 0 };
	auto_buffer struct buffer payload = { 0 };
	int n;

	buffer_add_text(&page, "{\"tools\":[1");
	for (n = 0; n < SERVER_TOOLS_MAX; n++)
		buffer_printf(&page, ",{\"name\":\"%0*d\"}",
		    (int)TOOL_NAME_MAX - 2, n);
	buffer_add_text(&page, "]}");
	ck_assert_int_eq(add_page(page.data), 0);
	ck_assert_int_eq(tools_finish(tools, &payload, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text,
	    " bytes, above the limit of 16777216"));
	tools_free(&tools);
}

static void
expect_names(const char *list, size_t count, const char *names, size_t len)
{
	struct buffer payload = { (char *)list, strlen(list), 0 };
	auto_buffer struct buffer found = { 0 };

	ck_assert_uint_eq(tools_names(&payload, &found), count);
	ck_assert_uint_eq(found.len, len);
	if (len > 0)
		ck_assert_mem_eq(found.data, names, len);
}

UNIT_TEST(reports_the_names)
{
	expect_names("{\"tools\":[],\"aliases\":[]}", 0, "", 0);
	expect_names("{\"tools\":[{\"name\":\"\\u00e4\"},{\"name\":\"\\ud800\""
	    "},{\"name\":\"a\\u0000b\"},{\"name\":\"\"}]}", 4,
	    "\xc3\xa4\0?\0?\0", 8);
}

/* By their annotations, and only where these say so. */
UNIT_TEST(reports_which_destroy)
{
	auto_buffer struct buffer list = { 0 };
	auto_buffer struct buffer names = { 0 };
	static const char says[] = "\"annotations\":{\"destructiveHint\":";
	int n;

	buffer_printf(&list, "{\"tools\":[{\"name\":\"a\",%strue}},"
	    "{\"name\":\"b\",%sfalse}},{\"name\":\"c\",%s1}},"
	    "{\"name\":\"d\"},{\"name\":\"\\ud800\",%strue}}", says, says,
	    says, says);
	for (n = 0; n < 4; n++)
		buffer_printf(
		    &list, ",{\"name\":\"%01000d\",%strue}}", n, says);
	buffer_add_text(&list, "]}");
	ck_assert_uint_eq(tools_destructive(&list, &names), 2);
	ck_assert_uint_eq(names.len, 2 + 3 * 1001);
	ck_assert_str_eq(names.data, "a");
}

UNIT_TEST(recognises_items_of_a_list)
{
	static const char list[] = "{\"tools\":[{\"x\":1},{\"name\":"
	    "\"d\\u0065l\"},{\"name\":\"a\"}],\"aliases\":[]}";
	static const char *const names[] = { "\"del\"", "\"a\"", "\"DEL\"",
		"\"a \"", "\"\"", "\"\\ud800\"" };
	auto_free void *index = NULL, *none = NULL;
	struct json_span tool;
	size_t n;

	for (n = 0; n < UNIT_COUNT(names); n++) {
		struct json_span name = { names[n], strlen(names[n]) };

		ck_assert_int_eq(tools_find(list, strlen(list), &index, name,
		    &tool), n < 2);
		if (n < 2)
			ck_assert_mem_eq(tool.p, n == 0 ?
			    "{\"name\":\"d\\u0065l\"}" :
			    "{\"name\":\"a\"}", tool.len);
		ck_assert_int_eq(tools_find("", 0, &none, name, &tool), 0);
		ck_assert_uint_eq(tool.len, 0);
	}
}

/* Of a tool that cannot be used a list has the reason. */
UNIT_TEST(knows_what_cannot_be_used)
{
	static const char list[] = "{\"tools\":[{\"name\":\"a\"}],\"unusable\":"
	    "{\"b\":\"why\"},\"cut\":\"more\"}";
	static const struct json_span names[] = { { "\"a\"", 3 },
		{ "\"\\u0062\"", 8 }, { "\"c\"", 3 } };
	static const char *const said[] = { "{\"name\":\"a\"}", "\"why\"",
		"\"more\"" };
	auto_free void *index = NULL;
	struct json_span tool;
	size_t n;

	for (n = 0; n < UNIT_COUNT(names); n++) {
		ck_assert_int_eq(tools_find(list, strlen(list), &index,
		    names[n], &tool), n == 0);
		ck_assert_uint_eq(tool.len, strlen(said[n]));
		ck_assert_mem_eq(tool.p, said[n], tool.len);
	}
}
