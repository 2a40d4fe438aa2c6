/*
 * Tests of supervisor/front/answer/toon: what has quotes and what has not, and
 * how members are laid out. The tables are made from the rules of the
 * specification.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "supervisor/front/answer/answer.h"
#include "tests/unit/unit.h"

/* What has a NUL inside needs its length; the rest is C strings. */
struct value {
	const char *data;
	const char *written;
};

/* A value that stands as it is. */
#define PLAIN(text) { text, text }
/* One that only needs quotes. */
#define QUOTED(text) { text, "\"" text "\"" }

static const struct value values[] = {
	/* Words, with spaces inside, in any script. */
	PLAIN("a"),
	PLAIN("two words  and more"),
	PLAIN("caf\xc3\xa9 \xe4\xbd\xa0 \xf0\x9f\x98\x80"),
	PLAIN("\xef\xbf\xbd"),
	PLAIN("()"),
	PLAIN("a-b#c+d=e;f/g|h'i`j!k?l@m%n^o&p*q~r<s>t_u"),
	PLAIN("```"),
	/* Empty; spaces at either end. */
	QUOTED(""),
	QUOTED(" "),
	QUOTED(" a"),
	QUOTED("a "),
	QUOTED("    return x"),
	/* No-break and other spaces are characters like any other. */
	PLAIN("\xc2\xa0" "a"),
	PLAIN("a\xe3\x80\x80"),
	/* Literals, but only as they are written in JSON. */
	QUOTED("true"),
	QUOTED("false"),
	QUOTED("null"),
	PLAIN("True"),
	PLAIN("NULL"),
	PLAIN("None"),
	PLAIN("nul"),
	PLAIN("nulls"),
	PLAIN("true false"),
	PLAIN("NaN"),
	PLAIN("Infinity"),
	/* What looks like a number, leading zeros and signs included. */
	QUOTED("0"),
	QUOTED("42"),
	QUOTED("-42"),
	QUOTED("+42"),
	QUOTED("007"),
	QUOTED("3.14"),
	QUOTED("+3.140"),
	QUOTED("1e5"),
	QUOTED("1E5"),
	QUOTED("1e-5"),
	QUOTED("1.5e+05"),
	QUOTED("+1E+9"),
	QUOTED("123456789012345678901234567890"),
	/* What does not. */
	PLAIN("4 2"),
	PLAIN("42a"),
	PLAIN("a42"),
	PLAIN("1."),
	PLAIN(".5"),
	PLAIN("1.5.2"),
	PLAIN("1.e5"),
	PLAIN("1e"),
	PLAIN("1e+"),
	PLAIN("1e5.0"),
	PLAIN("1e5e5"),
	PLAIN("e5"),
	PLAIN("0x10"),
	PLAIN("1_000"),
	PLAIN("+"),
	PLAIN("++1"),
	PLAIN("+-1"),
	PLAIN("+a"),
	PLAIN("."),
	PLAIN("\xd9\xa1\xd9\xa2"), /* digits, but of another script */
	/* The marks of lists and of comments, at the front only. */
	QUOTED("-"),
	QUOTED("- a"),
	QUOTED("-a"),
	QUOTED("--flag"),
	QUOTED("#"),
	QUOTED("# a"),
	QUOTED("#!/bin/sh"),
	PLAIN("a - b # c"),
	PLAIN("\xe2\x88\x92" "1"), /* a minus sign, but no hyphen */
	/* Characters of the format, wherever they are. */
	QUOTED(":"),
	QUOTED("a:"),
	QUOTED("a: b"),
	QUOTED("http://x"),
	QUOTED(","),
	QUOTED("a,b"),
	QUOTED("["),
	QUOTED("]"),
	QUOTED("x[0]"),
	QUOTED("{"),
	QUOTED("}"),
	QUOTED("{}"),
	PLAIN("a|b"),
	{ "\"", "\"\\\"\"" },
	{ "say \"hi\"", "\"say \\\"hi\\\"\"" },
	{ "\\", "\"\\\\\"" },
	{ "C:\\new", "\"C:\\\\new\"" },
	{ "\\n", "\"\\\\n\"" },
	{ "\\u0000", "\"\\\\u0000\"" },
	/* Control characters: three have letters. */
	{ "a\nb", "\"a\\nb\"" },
	{ "a\rb", "\"a\\rb\"" },
	{ "a\tb", "\"a\\tb\"" },
	{ "\n", "\"\\n\"" },
	{ "\t", "\"\\t\"" },
	{ "\x01", "\"\\u0001\"" },
	{ "a\bb", "\"a\\u0008b\"" },
	{ "\v\f", "\"\\u000b\\u000c\"" },
	{ "\x1b[31mred\x1b[0m", "\"\\u001b[31mred\\u001b[0m\"" },
	{ "\x1f", "\"\\u001f\"" },
	{ "caf\xc3\xa9\n", "\"caf\xc3\xa9\\n\"" },
	/* Those above U+001F are written as they are. */
	PLAIN("\x7f"),
	PLAIN("\xc2\x85"),
	PLAIN("\xe2\x80\xa8"),
	PLAIN("\xef\xbb\xbf" "a"),
};

/* What is in the buffer; it is emptied. */
static void
is_written(struct buffer *buffer, const char *wanted)
{
	ck_assert_str_eq(buffer->data, wanted);
	ck_assert_uint_eq(buffer->len, strlen(wanted));
	buffer_reset(buffer);
}

UNIT_EACH(quotes_what_could_be_misread, UNIT_COUNT(values))
{
	const struct value *value = &values[_i];
	size_t len = strlen(value->data);
	struct buffer found = { 0 }, wanted = { 0 };

	toon_add_text(&found, 0, "k", value->data, len);
	buffer_printf(&wanted, "k: %s", value->written);
	is_written(&found, wanted.data);
	buffer_reset(&wanted);
	/* The same in an array, whose delimiter is the document's. */
	toon_add_array(&found, 0, "k", 3);
	toon_add_item(&found, value->data, len);
	toon_add_item(&found, "x", 1);
	toon_add_item(&found, value->data, len);
	buffer_printf(&wanted, "k[3]: %s,x,%s", value->written, value->written);
	is_written(&found, wanted.data);
	buffer_reset(&wanted);
}

UNIT_TEST(writes_the_length_that_it_was_given)
{
	struct buffer found = { 0 };

	toon_add_text(&found, 0, "k", "a\0b", 3);
	is_written(&found, "k: \"a\\u0000b\"");
	toon_add_text(&found, 0, "k", "\0", 1);
	is_written(&found, "k: \"\\u0000\"");
	toon_add_text(&found, 0, "k", "true\0", 5);
	is_written(&found, "k: \"true\\u0000\"");
	toon_add_text(&found, 0, "k", "trueish", 4);
	is_written(&found, "k: \"true\"");
	toon_add_text(&found, 0, "k", "12a", 2);
	is_written(&found, "k: \"12\"");
	toon_add_text(&found, 0, "k", "a:", 1);
	is_written(&found, "k: a");
}

static const struct value keys[] = {
	PLAIN("a"),
	PLAIN("exitCode"),
	PLAIN("_"),
	PLAIN("_a1"),
	PLAIN("a.b.c"),
	PLAIN("a."),
	PLAIN("true"),
	PLAIN("Z9"),
	QUOTED(""),
	QUOTED("1"),
	QUOTED("1a"),
	QUOTED(".a"),
	QUOTED("-a"),
	QUOTED("#a"),
	QUOTED("a-b"),
	QUOTED("a b"),
	QUOTED(" a"),
	QUOTED("a/b"),
	QUOTED("a:b"),
	QUOTED("a,b"),
	QUOTED("a[1]"),
	QUOTED("{a}"),
	QUOTED("caf\xc3\xa9"),
	{ "a\"b", "\"a\\\"b\"" },
	{ "a\\b", "\"a\\\\b\"" },
	{ "a\nb\x01", "\"a\\nb\\u0001\"" },
};

UNIT_EACH(quotes_keys, UNIT_COUNT(keys))
{
	const struct value *key = &keys[_i];
	struct buffer found = { 0 }, wanted = { 0 };

	toon_add_text(&found, 0, key->data, "v", 1);
	toon_add_number(&found, 0, key->data, 7);
	toon_add_array(&found, 0, key->data, 0);
	toon_add_array(&found, 0, key->data, 1);
	toon_add_item(&found, "v", 1);
	toon_add_object(&found, 0, key->data);
	buffer_printf(&wanted, "%s: v\n%s: 7\n%s: []\n%s[1]: v\n%s:",
	    key->written, key->written, key->written, key->written,
	    key->written);
	is_written(&found, wanted.data);
	buffer_reset(&wanted);
}

static const struct {
	long long value;
	const char *written;
} numbers[] = {
	{ 0, "n: 0" },
	{ 1, "n: 1" },
	{ -1, "n: -1" },
	{ 1000000, "n: 1000000" },
	{ INT64_MAX, "n: 9223372036854775807" },
	{ INT64_MIN, "n: -9223372036854775808" },
};

UNIT_EACH(writes_numbers, UNIT_COUNT(numbers))
{
	struct buffer found = { 0 };

	toon_add_number(&found, 0, "n", numbers[_i].value);
	is_written(&found, numbers[_i].written);
}

UNIT_TEST(writes_arrays)
{
	struct buffer found = { 0 };
	size_t i;

	toon_add_array(&found, 0, "none", 0);
	is_written(&found, "none: []");
	toon_add_array(&found, 0, "one", 1);
	toon_add_item(&found, "", 0);
	is_written(&found, "one[1]: \"\"");
	/* Values that end as the head of an array does. */
	toon_add_array(&found, 1, "colons", 3);
	for (i = 0; i < 3; i++)
		toon_add_item(&found, "a:", 2);
	is_written(&found, "  colons[3]: \"a:\",\"a:\",\"a:\"");
	toon_add_array(&found, 0, "many", 12);
	for (i = 0; i < 12; i++)
		toon_add_item(&found, "x y", 3);
	is_written(&found, "many[12]: x y,x y,x y,x y,x y,x y,x y,x y,x y,"
	    "x y,x y,x y");
}

/* Lines with nothing at their ends, and none behind the last. */
UNIT_TEST(lays_out_a_document)
{
	struct buffer found = { 0 };

	toon_add_text(&found, 0, "status", "error", 5);
	toon_add_object(&found, 0, "empty");
	toon_add_object(&found, 0, "outer");
	toon_add_number(&found, 1, "n", 1);
	toon_add_object(&found, 1, "inner");
	toon_add_text(&found, 2, "text", "a, b", 4);
	toon_add_array(&found, 2, "list", 2);
	toon_add_item(&found, "a", 1);
	toon_add_item(&found, "-", 1);
	toon_add_number(&found, 1, "m", 2);
	toon_add_text(&found, 0, "last", "", 0);
	is_written(&found, "status: error\nempty:\nouter:\n  n: 1\n  inner:\n"
	    "    text: \"a, b\"\n    list[2]: a,\"-\"\n  m: 2\nlast: \"\"");
}
