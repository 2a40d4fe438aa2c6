/*
 * Tests of worker/reader/yaml: what a file becomes, and what is refused,
 * where, with which sentence.
 */
#include "translated.h"
#include "worker/reader/yaml.h"

static const struct {
	const char *text;
	const char *json;
} files[] = {
	{ "", "null" },
	{ "# nothing\n", "null" },
	{ "\xef\xbb\xbf" "a: b\r\n", "{\"a\":\"b\"}" },
	{ "---\na: b\n...\n", "{\"a\":\"b\"}" },
	{ "a:\n  - x\n  - y: z\nb: {c: [1, 'd']}",
	    "{\"a\":[\"x\",{\"y\":\"z\"}],\"b\":{\"c\":[0,\"d\"]}}" },
	{ "a: true\nb: False\nc: null\nd: ~\ne:\nf: ''",
	    "{\"a\":true,\"b\":false,\"c\":null,\"d\":null,\"e\":null,"
	    "\"f\":\"\"}" },
	{ "a: 'true'\nb: yes\nc: \"null\"",
	    "{\"a\":\"true\",\"b\":\"yes\",\"c\":\"null\"}" },
	{ "a: 5\nb: -1.5e3\nc: 1.2.3\nd: -y\ne: .\nf: e5\ng: '5'",
	    "{\"a\":0,\"b\":0,\"c\":0,\"d\":\"-y\",\"e\":\".\",\"f\":\"e5\","
	    "\"g\":\"5\"}" },
	{ "true: 1\n5: x", "{\"true\":0,\"5\":\"x\"}" },
	{ "a: |\n  x\n  y\nb: >-\n  x\n  y",
	    "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}" },
	{ "a: \"\\u00e9\\n\\0\"", "{\"a\":\"\xc3\xa9\\n\\u0000\"}" },
	{ "just text", "\"just text\"" },
};

UNIT_TESTS(becomes_json, UNIT_COUNT(files))
{
	auto_free char *json = translated(
	    yaml_translate, files[_i].text, strlen(files[_i].text));

	ck_assert_str_eq(json, files[_i].json);
}

static const struct {
	const char *text;
	const char *why;
} bad[] = {
	{ "a: &x b\n", "1:4 anchors (&name) are not read: write out what they "
	    "stand for" },
	{ "a: &x {}\n", "1:4 anchors (&name) are not read: write out what they "
	    "stand for" },
	{ "a: b\nc: *x\n", "2:4 aliases (*name) are not read: write out what "
	    "they stand for" },
	{ "a: !!str 5\n", "1:4 tags (!name) are not read: write the value "
	    "without one" },
	{ "a: !x [1]\n", "1:4 tags (!name) are not read: write the value "
	    "without one" },
	{ "? [a]\n: b\n", "1:3 a name must be a text" },
	{ "{a: b}: c\n", "1:1 a name must be a text" },
	{ "a: b\n---\nc: d\n", "2:1 a second document: only one can be read" },
	{ "a: b\n c: d\n", "2:3 mapping values are not allowed in this "
	    "context" },
	{ "a: [1\n", "2:1 did not find expected ',' or ']'" },
	{ "a: 'x\n", "2:1 found unexpected end of stream" },
	{ "a: \xff\n", "1:4 bytes that are not UTF-8, or a control "
	    "character" },
	{ "a: \x01\n", "1:4 bytes that are not UTF-8, or a control "
	    "character" },
	{ "a: \"\\ud800\"\n", "1:7 found invalid Unicode character escape "
	    "code" },
};

UNIT_TESTS(refuses, UNIT_COUNT(bad))
{
	auto_free char *why =
	    translated(yaml_translate, bad[_i].text, strlen(bad[_i].text));

	ck_assert_str_eq(why, bad[_i].why);
}

/* Text that is repeated behind another. */
static char *
repeated(const char *first, const char *text, int times)
{
	auto_buffer struct buffer all = { 0 };
	int i;

	buffer_add_text(&all, first);
	for (i = 0; i < times; i++)
		buffer_add_text(&all, text);
	return translated(yaml_translate, all.data, all.len);
}

UNIT_TEST(is_bounded)
{
	auto_free char *deep = repeated("a: ", "[", 100000);
	auto_free char *braces = repeated("a: ", "{a: ", 100000);
	auto_free char *many = repeated("a:\n", "- x\n", 30000);

	ck_assert_ptr_nonnull(strstr(deep, "too deep: at most 64 levels"));
	ck_assert_ptr_nonnull(strstr(braces, "too deep: at most 64 levels"));
	ck_assert_ptr_nonnull(strstr(many, "too many values: at most 20000"));
}
