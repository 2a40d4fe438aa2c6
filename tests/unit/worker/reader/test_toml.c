/*
 * Tests of worker/reader/toml, with its strings: what a file
 * becomes, and what is refused, where, with which sentence.
 */
#include "common/limits.h"
#include "translated.h"
#include "worker/reader/toml.h"

static const struct {
	const char *text;
	const char *json;
} files[] = {
	{ "", "{}" },
	{ "# only a comment", "{}" },
	{ "\xef\xbb\xbf" "a = 'x'\r\n\r\n", "{\"a\":\"x\"}" },
	{ "a=1\nb=2020-01-01 10:00:00 # c\nc=true\nd=false",
	    "{\"a\":0,\"b\":0,\"c\":true,\"d\":false}" },
	{ "a = [-1_0, 0xff, 1.5e+3, +inf, nan, 07:32:00.5, 2020-01-01T00:00Z]",
	    "{\"a\":[0,0,0,0,0,0,0]}" },
	/* Strings */
	{ "a = \"\\\"\\\\\\t\\u00e9\\U0001F600\"",
	    "{\"a\":\"\\\"\\\\\\t\xc3\xa9\xf0\x9f\x98\x80\"}" },
	{ "a = '\\n \"'", "{\"a\":\"\\\\n \\\"\"}" },
	{ "a = \"\"\"\nx\r\ny \\\n   z\"\"\"\"\"",
	    "{\"a\":\"x\\ny z\\\"\\\"\"}" },
	{ "a = '''\n'x''y\n'''''", "{\"a\":\"'x''y\\n''\"}" },
	{ "a = \"\"\nb = ''\nc = \"\"\"\"\"\"\nd = ''''''",
	    "{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\"}" },
	{ "a = \"\\u0000\"", "{\"a\":\"\\u0000\"}" },
	/* Keys */
	{ "\"a b\" = 1\n'c.d' = 2\n1-_ = 3\n\"\" = 4",
	    "{\"a b\":0,\"c.d\":0,\"1-_\":0,\"\":0}" },
	{ "a . b.\"c\" = 'x'\na.d = 'y'",
	    "{\"a\":{\"b\":{\"c\":\"x\"},\"d\":\"y\"}}" },
	/* Arrays and inline tables */
	{ "a = [ 'x', # c\n 1, [],\n ]", "{\"a\":[\"x\",0,[]]}" },
	{ "a = { b = 'x', c.d = [1], e = {} }",
	    "{\"a\":{\"b\":\"x\",\"c\":{\"d\":[0]},\"e\":{}}}" },
	/* Tables */
	{ "[a]\nb = 'x'\n[ c . d ]\n[c]\n[a.e]",
	    "{\"a\":{\"b\":\"x\",\"e\":{}},\"c\":{\"d\":{}}}" },
	{ "[[a]]\nb = 'x'\n[a.c]\n[[a]]\n[[a.d]]",
	    "{\"a\":[{\"b\":\"x\",\"c\":{}},{\"d\":[{}]}]}" },
	{ "a.b.c = 1\n[a.b.d]", "{\"a\":{\"b\":{\"c\":0,\"d\":{}}}}" },
};

UNIT_TESTS(becomes_json, UNIT_COUNT(files))
{
	auto_free char *json = translated(
	    toml_translate, files[_i].text, strlen(files[_i].text));

	ck_assert_str_eq(json, files[_i].json);
}

#define NO_ESCAPE "this is not a TOML escape: a backslash is written \\\\"
#define NO_VALUE "this is not a TOML value: strings need quotes"
#define WHOLE "is a complete table: nothing can be added to it here"
#define TWICE "is defined here more than once"

static const struct {
	const char *text;
	const char *why;
} bad[] = {
	{ "a", "1:2 the text ends where = should be" },
	{ "\n a b", "2:4 'b' where = should be" },
	{ "= 1", "1:1 '=' where a name should be" },
	{ "a =", "1:4 the text ends where a value should be" },
	{ "a = \n", "1:5 the line ends where a value should be" },
	{ "a = npx", "1:5 " NO_VALUE },
	{ "a = -", "1:5 " NO_VALUE },
	{ "a = 1=", "1:5 " NO_VALUE },
	{ "a = info", "1:5 " NO_VALUE },
	{ "a = 1 b", "1:7 'b' where the end of the line should be" },
	{ "a = 1 \x01", "1:7 an invalid character where the end of the line "
	    "should be" },
	{ "\xc3\xa9 = 1", "1:1 an invalid character where a name should be" },
	{ "a.= 1", "1:3 '=' where a name should be" },
	{ "a = 1\rb = 2", "1:6 the line ends where the end of the line should "
	    "be" },
	{ "# \x7f", "1:3 a control character in a comment" },
	{ "a = '\xff'", "1:6 bytes that are not UTF-8" },
	/* Strings */
	{ "a = \"x\n\"", "1:7 a string that is not closed on its line" },
	{ "a = 'x", "1:7 a string that is not closed on its line" },
	{ "a = '''x\n", "2:1 a string that is not closed" },
	{ "a = \"\"\"x\"\"", "1:11 a string that is not closed" },
	{ "a = \"\\x41\"", "1:7 " NO_ESCAPE },
	{ "a = \"D:\\Uxyz\"", "1:9 \\U needs 8 hexadecimal digits" },
	{ "a = \"\\ud800\"", "1:7 \\u is not a valid character" },
	{ "a = \"\\U00110000\"", "1:7 \\U is not a valid character" },
	{ "a = \"\"\"\\ x\"\"\"", "1:9 " NO_ESCAPE },
	{ "a = \"\x01\"", "1:6 a control character in a string" },
	{ "'''a''' = 1", "1:3 ''' where = should be" },
	/* Arrays and inline tables */
	{ "a = [1 2]", "1:8 '2' where a comma or ] should be" },
	{ "a = [1,,2]", "1:8 ',' where a value should be" },
	{ "a = [", "1:6 the text ends where a value should be" },
	{ "a = {b = 1,}", "1:12 '}' where a name should be" },
	{ "a = {b = 1\n}", "1:11 the line ends where a comma or } should be" },
	{ "a = {b = 1, b = 2}", "1:17 \"b\" " TWICE },
	/* What is defined twice */
	{ "a = 1\na = 2", "2:5 \"a\" " TWICE },
	{ "[a]\n[a]", "2:2 \"a\" " TWICE },
	{ "[a]\nb = 1\n[a.b]", "3:2 \"b\" " TWICE },
	{ "a.b = 1\n[a]", "2:2 \"a\" " TWICE },
	{ "a = {}\na.b = 1", "2:1 \"a\" " WHOLE },
	{ "a = {}\n[a.b]", "2:2 \"a\" " WHOLE },
	{ "[a.b]\n[a]\nb.c = 1", "3:1 \"b\" " WHOLE },
	{ "a = 1\na.b = 2",
	    "2:1 \"a\" is already defined, and is not a table" },
	{ "a = [{}]\n[a.b]",
	    "2:2 \"a\" is already defined, and is not a table" },
	{ "a = []\n[[a]]", "2:3 \"a\" is already defined, and is not an array "
	    "of tables" },
	{ "[[a]]\n[a]", "2:2 \"a\" " TWICE },
	/* Headers */
	{ "[]", "1:2 ']' where a name should be" },
	{ "[a", "1:3 the text ends where ] should be" },
	{ "[[a]", "1:4 ']' where ]] should be" },
	{ "[a] b = 1", "1:5 'b' where the end of the line should be" },
};

UNIT_TESTS(refuses, UNIT_COUNT(bad))
{
	auto_free char *why =
	    translated(toml_translate, bad[_i].text, strlen(bad[_i].text));

	ck_assert_str_eq(why, bad[_i].why);
}

UNIT_TEST(nul_is_no_end)
{
	auto_free char *inside = translated(toml_translate, "a = 1\0b", 7);
	auto_free char *quoted = translated(toml_translate, "a = '\0'", 7);

	ck_assert_str_eq(inside, "1:6 an invalid character where the end "
	    "of the line should be");
	ck_assert_str_eq(quoted, "1:6 a control character in a string");
}

#define TOO_MANY "too many values: at most 20000 are allowed in a file, "      \
	"nested at most 64 deep"

/* Text that is repeated between two others. */
static char *
repeated(const char *first, const char *text, int times, const char *last)
{
	auto_buffer struct buffer all = { 0 };
	int i;

	buffer_add_text(&all, first);
	for (i = 0; i < times; i++)
		buffer_add_text(&all, text);
	buffer_add_text(&all, last);
	return translated(toml_translate, all.data, all.len);
}

/* So many lines, each with a name of its own. */
static char *
lines(int count)
{
	auto_buffer struct buffer all = { 0 };
	int i;

	for (i = 0; i < count; i++)
		buffer_printf(&all, "a%d = 1\n", i);
	return translated(toml_translate, all.data, all.len);
}

UNIT_TEST(is_bounded)
{
	auto_free char *deep = repeated("a = ", "[", 100000, "");
	auto_free char *braces = repeated("a = ", "{a=", 100000, "");
	auto_free char *dots = repeated("a", ".a", 100000, " = 1");
	auto_free char *header = repeated("[a", ".a", 100000, "]");
	auto_free char *many = lines(30000);
	auto_free char *array = repeated("a = [", "0,", 30000, "]");
	auto_free char *fine = lines(CONFIG_NODES_MAX);

	ck_assert_ptr_nonnull(strstr(deep, TOO_MANY));
	ck_assert_ptr_nonnull(strstr(braces, TOO_MANY));
	ck_assert_ptr_nonnull(strstr(dots, TOO_MANY));
	ck_assert_ptr_nonnull(strstr(header, TOO_MANY));
	ck_assert_ptr_nonnull(strstr(many, TOO_MANY));
	ck_assert_ptr_nonnull(strstr(array, TOO_MANY));
	ck_assert_int_eq(fine[0], '{');
}
