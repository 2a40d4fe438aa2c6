/*
 * Tests of worker/broker/tools/shape: types and keys of what tools return, no
 * values, and nothing without a bound.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/tools/tools.h"

#define TEXT(json) "{\"content\":[{\"type\":\"text\",\"text\":\"" json "\"}]}"
#define DATA(json) "{\"structuredContent\":" json "}"

static const struct {
	const char *result, *shape;
} cases[] = {
	{ DATA("{\"a\":1,\"b\":1.5,\"c\":\"x\",\"d\":true,\"e\":null,"
	       "\"f\":-1e9}"),
	    "{a: int, b: float, c: str, d: bool, e: None, f: float}" },
	{ DATA("{}"), "{}" },
	{ DATA("{\"items\":[{\"id\":1,\"user\":{\"login\":\"x\"}},{\"z\":1}],"
	       "\"n\":[]}"),
	    "{items: list of {id: int, user: {login}}, n: list of Any}" },
	{ DATA("{\"a\":[1,2.5,\"x\",null,3]}"),
	    "{a: list of int | float | str | None}" },
	{ DATA("{\"a\":{\"b\":{\"c\":{\"d\":1}}}}"), "{a: {b: {c}}}" },
	/* Keys that are data. */
	{ DATA("{\"a b\":1,\"c\":\"x\"}"), "{str: int | str}" },
	{ DATA("{\"a\\u0062\":1}"), "{str: int}" },
	{ DATA("{\"1a\":1}"), "{str: int}" },
	{ DATA("{\"\":{\"x\":1}}"), "{str: {x: int}}" },
	{ DATA("{\"\xc3\xa9\":[]}"), "{str: list of Any}" },
	{ TEXT("plain \\\"text\\\" \\ud83d\\ude00"), "str" },
	{ TEXT("\\ud800"), "str" },
	{ TEXT(""), "str" },
	/* Scalars are texts; an object or an array of JSON is not. */
	{ TEXT("5"), "str" },
	{ TEXT("null"), "str" },
	{ TEXT("[{\\\"a\\\":1}]"), "list of {a: int}" },
	{ TEXT("[1] 2"), "str" },
	{ "{\"content\":[{\"type\":\"text\",\"text\":\"[1]\"},"
	  "{\"type\":\"text\",\"text\":\"[2]\"}]}", "str" },
	{ "{\"content\":[{\"type\":\"image\",\"data\":\"\"}]}", "" },
	{ "{\"content\":[{\"type\":\"text\",\"text\":5},7]}", "" },
	{ "{\"content\":5}", "" }, { "{}", "" }, { "[]", "" }, { "5", "" },
	{ "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}",
	    "" },
	{ "{\"content\":[{\"type\":\"resource\",\"resource\":"
	  "{\"text\":\"[1]\"}}]}", "list of int" },
	{ "{\"content\":[{\"type\":\"resource\",\"resource\":"
	  "{\"blob\":\"\"}}]}", "" },
	{ "{\"structuredContent\":{\"content\":\"[1]\"},\"content\":"
	  "[{\"type\":\"text\",\"text\":\"[1]\"}]}", "{content: str}" },
	{ "{\"structuredContent\":{\"a\":\"x\",\"b\":1},\"content\":"
	  "[{\"type\":\"text\",\"text\":\"x\"}]}", "{a: str, b: int}" },
	{ "{\"structuredContent\":[1],\"content\":[]}", "" },
};

static void
expect(const char *result, size_t len, struct buffer *text)
{
	struct json_span value;
	struct err err;

	ck_assert_msg(json_span_parse(result, len, &value, &err) == 0, "%s: %s",
	    result, err.text);
	shape_add(text, value);
}

UNIT_TESTS(reports_types, UNIT_COUNT(cases))
{
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(&text, "<");
	expect(cases[_i].result, strlen(cases[_i].result), &text);
	ck_assert_str_eq(text.data + 1, cases[_i].shape);
}

/* An object of so many members, each an object of as many. */
static void
add_object(struct buffer *json, int members, const char *value)
{
	int n;

	for (n = 0; n < members; n++)
		buffer_printf(json, "%s\"member%d\":%s", n == 0 ? "{" : ",", n,
		    value);
	buffer_add_text(json, "}");
}

UNIT_TESTS(is_bounded, 4)
{
	static const struct {
		int members, inside;
		const char *begins, *ends;
	} all[] = {
		{ 5, 1, "{member0: {member0: int}, ", "int}}" },
		{ 7, 3, "{member0: {member0, member1, member2}, member1: ",
		    "member2}}" },
		{ 33, 2, "{str: {member0: int, member1: int}}", "int}}" },
		{ 20, 20, "{member0, member1, ", "member11, ...}" },
	};
	auto_buffer struct buffer inner = { 0 }, json = { 0 }, text = { 0 };
	size_t len;

	add_object(&inner, all[_i].inside, "1");
	buffer_add_text(&json, "{\"structuredContent\":");
	add_object(&json, all[_i].members, inner.data);
	buffer_add_text(&json, "}");
	expect(json.data, json.len, &text);
	len = strlen(all[_i].ends);
	ck_assert_msg(text.len <= SHAPE_TEXT_MAX &&
	        strncmp(text.data, all[_i].begins, strlen(all[_i].begins)) ==
	            0 &&
	        strcmp(text.data + text.len - len, all[_i].ends) == 0,
	    "%s", text.data);
}

UNIT_TEST(large_results_have_none)
{
	auto_buffer struct buffer json = { 0 }, text = { 0 };
	size_t n;

	buffer_add_text(&json, "{\"content\":[{\"type\":\"text\",\"text\":\"");
	for (n = 0; n < SHAPE_RESULT_MAX; n++)
		buffer_add_text(&json, "x");
	buffer_add_text(&json, "\"}]}");
	expect(json.data, json.len, &text);
	ck_assert_uint_eq(text.len, 0);
}
