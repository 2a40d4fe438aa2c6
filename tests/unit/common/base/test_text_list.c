/*
 * Tests of common/base/text_list: each text of a list is found once, and none
 * behind its end.
 */

#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "tests/unit/unit.h"

static const struct {
	const char *data;
	size_t len;
	size_t count;
	const char *joined; /* each with a comma behind it */
} lists[] = {
	{ NULL, 0, 0, "" },
	{ "behind the end", 0, 0, "" },
	{ "", 1, 1, "," },
	{ "a", 2, 1, "a," },
	{ "a\0bc\0d", 7, 3, "a,bc,d," },
	{ "\0\0a\0", 5, 4, ",,a,," },
	{ "one\0two", 4, 1, "one," },
};

UNIT_TESTS(goes_through_a_list, UNIT_COUNT(lists))
{
	auto_buffer struct buffer joined = { 0 };
	const char *text;

	buffer_add_text(&joined, "");
	TEXT_LIST_EACH (text, lists[_i].data, lists[_i].len)
		buffer_printf(&joined, "%s,", text);
	ck_assert_ptr_null(text);
	ck_assert_str_eq(joined.data, lists[_i].joined);
	ck_assert_uint_eq(text_list_count(lists[_i].data, lists[_i].len),
	    lists[_i].count);
}

static const struct {
	const char *data;
	size_t len;
	const char *joined;
} pairs[] = {
	{ NULL, 0, "" },
	{ "a\0b", 4, "a=b," },
	{ "a\0\0\0d", 6, "a=,=d," },
	{ "a\0b\0c", 6, "a=b," }, /* the last one has no value */
	{ "a", 2, "" },
};

UNIT_TESTS(goes_through_pairs, UNIT_COUNT(pairs))
{
	auto_buffer struct buffer joined = { 0 };
	const char *name, *value;

	buffer_add_text(&joined, "");
	TEXT_LIST_PAIRS (name, value, pairs[_i].data, pairs[_i].len)
		buffer_printf(&joined, "%s=%s,", name, value);
	ck_assert_str_eq(joined.data, pairs[_i].joined);
}

UNIT_TEST(recognises_complete_lists)
{
	ck_assert(text_list_complete(NULL, 0));
	ck_assert(text_list_complete("", 1));
	ck_assert(text_list_complete("a\0b", 4));
	ck_assert(!text_list_complete("a\0b", 3));
	ck_assert(!text_list_complete("a", 1));
}

UNIT_TEST(finds_the_value_of_a_name)
{
	static const char list[] = "a\0b\0c\0d";

	ck_assert_str_eq(text_list_value(list, sizeof(list), "c"), "d");
	ck_assert_ptr_null(text_list_value(list, sizeof(list), "b"));
}
