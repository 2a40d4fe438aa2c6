/*
 * Tests of common/storable: which names a saved tool may have, and which
 * metadata a memory.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/storable.h"
#include "tests/unit/unit.h"

static const char *const good_names[] = { "f", "_x", "total_2", "X", "match",
	"mcp", "servers", "sum", "\xc3\xa9t\xc3\xa9", "_1", "classes", "none" };

static const char *const bad_names[] = { "", "a b", "1a", "a-b", "a.b", "a\n",
	"\033[2J", "__all__", "__x", "class", "None", "True", "False", "async",
	"mcp_", "mcp_files", "runtime", "LOADED_MCP_SERVERS", "save_tool",
	"save_memory", "load_memory", "update_memory", "delete_memory",
	"list_memories", "memory_exists", "get_memory_info", "mcp_servers",
	"a\xff", "a\xc2", "a\xe2\x80\xae", "a\xc2\x9b", "\xef\xbb\xbf_" };

UNIT_TESTS(a_name_is_accepted, UNIT_COUNT(good_names))
{
	struct err err = { 0 };

	ck_assert_msg(storable_name(good_names[_i], &err) == 0, "%s: %s",
	    good_names[_i], err.text);
}

UNIT_TESTS(a_name_is_refused, UNIT_COUNT(bad_names))
{
	struct err err = { 0 };

	ck_assert_int_eq(storable_name(bad_names[_i], &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "must be a Python identifier"));
}

UNIT_TEST(a_name_has_a_length)
{
	char name[SAVED_TOOL_NAME_MAX + 2];

	memset(name, 'x', sizeof(name));
	name[SAVED_TOOL_NAME_MAX] = '\0';
	ck_assert_int_eq(storable_name(name, NULL), 0);
	name[SAVED_TOOL_NAME_MAX] = 'x';
	name[SAVED_TOOL_NAME_MAX + 1] = '\0';
	ck_assert_int_eq(storable_name(name, NULL), -1);
}

static const struct {
	const char *metadata;
	const char *refused; /* NULL: it is not */
} metadata_cases[] = {
	{ "{}", NULL },
	{ "{\"a\":[1,-2.5e300,true,false,null,\"]}\\\"{[\"]}", NULL },
	{ "[]", "metadata must be an object" },
	{ "1", "metadata must be an object" },
	{ "{", "at byte" },
	{ "", "at byte" },
	{ "{\"a\":NaN}", "at byte" },
	{ "{\n}", "not on one line" },
	{ "{\r}", "not on one line" },
};

UNIT_TESTS(metadata_are_judged, UNIT_COUNT(metadata_cases))
{
	const char *metadata = metadata_cases[_i].metadata;
	const char *refused = metadata_cases[_i].refused;
	struct err err = { 0 };
	int done = storable_metadata(metadata, strlen(metadata), &err);

	ck_assert_int_eq(done, refused == NULL ? 0 : -1);
	if (refused != NULL)
		ck_assert_msg(strstr(err.text, refused) != NULL, "%s",
		    err.text);
}

/* {"a": and the text so many times, and the end. */
static int
judge_many(const char *begin, const char *text, size_t times, const char *end,
    size_t ends, struct err *err)
{
	auto_buffer struct buffer json = { 0 };

	buffer_add_text(&json, begin);
	while (times-- > 0)
		buffer_add_text(&json, text);
	while (ends-- > 0)
		buffer_add_text(&json, end);
	buffer_add_text(&json, "}");
	return storable_metadata(json.data, json.len, err);
}

UNIT_TEST(numbers_are_bounded)
{
	struct err err = { 0 };

	ck_assert_int_eq(judge_many("{\"a\":", "7", 4300, "", 0, &err), 0);
	ck_assert_int_eq(judge_many("{\"a\":", "7", 4301, "", 0, &err), -1);
	ck_assert_str_eq(err.text, "metadata contain a number of more than "
	    "4300 digits, which Python cannot print: store it as text, or in "
	    "the value");
	ck_assert_int_eq(judge_many("{\"a\":-", "7", 4300, "", 0, &err), -1);
	ck_assert_int_eq(judge_many("{\"a\":\"", "7", 9000, "\"", 1, &err), 0);
	ck_assert_int_eq(
	    judge_many("{\"a\":\"\\\"", "7", 9000, "\"", 1, &err), 0);
	ck_assert_int_eq(judge_many("{\"a\":[7", ",7", 9000, "]", 1, &err), 0);
}

UNIT_TEST(depth_is_bounded)
{
	struct err err = { 0 };

	ck_assert_int_eq(judge_many("{\"a\":", "[", 249, "]", 249, &err), 0);
	ck_assert_int_eq(judge_many("{\"a\":", "[", 250, "]", 250, &err), -1);
	ck_assert_str_eq(err.text, "metadata are nested more than 250 levels "
	    "deep");
	ck_assert_int_eq(judge_many("{\"a\":[1", ",[]", 900, "]", 1, &err), 0);
}

UNIT_TEST(a_value_is_on_one_line)
{
	ck_assert_int_eq(storable_json("[1, 2]", 6, NULL), 0);
	ck_assert_int_eq(storable_json("[1,\n2]", 7, NULL), -1);
	ck_assert_int_eq(storable_json("[1,\r2]", 7, NULL), -1);
	ck_assert_int_eq(storable_json("1 2", 3, NULL), -1);
}
