/*
 * Tests of common/json_span: what is JSON and what is not (with the byte that
 * is named), walking, finding, decoding, and splicing without a change.
 */
#include <string.h>

#include "common/buffer.h"
#include "common/json_span.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

/* Parses an exact copy, so that ASan and valgrind see a byte too far. */
struct parsed {
	char *text;
	struct json_span value;
	struct err err;
	int ok;
};

static struct parsed
parse(const char *text, size_t len)
{
	struct parsed p = { .text = mem_resize(NULL, len) };

	if (len > 0)
		memcpy(p.text, text, len);
	p.ok = json_span_parse(p.text, len, &p.value, &p.err) == 0;
	return p;
}

static void
parsed_free(struct parsed *p)
{
	free(p->text);
}

#define auto_parsed __attribute__((cleanup(parsed_free)))

/* A constant text that must be JSON, as a span. */
static struct json_span
span(const char *text)
{
	struct json_span value = { NULL, 0 };
	struct err err;

	ck_assert_msg(json_span_parse(text, strlen(text), &value, &err) == 0,
	    "%s: %s", text, err.text);
	return value;
}

static void
assert_span(struct json_span value, const char *text)
{
	ck_assert_msg(
	    value.len == strlen(text) && memcmp(value.p, text, value.len) == 0,
	    "'%.*s' instead of '%s'", (int)value.len, value.p, text);
}

/* What is JSON */

struct accept {
	const char *text;
	size_t len;
	enum json_span_kind kind;
};

#define ACCEPT(KIND, text)                                                     \
	{                                                                      \
		text, sizeof(text) - 1, JSON_SPAN_##KIND                       \
	}

static const struct accept accepts[] = {
	ACCEPT(NULL, "null"),
	ACCEPT(TRUE, "true"),
	ACCEPT(FALSE, "false"),
	ACCEPT(STRING, "\"\""),
	ACCEPT(STRING, "\" \""),
	ACCEPT(STRING, "\"a\""),
	ACCEPT(OBJECT, "{}"),
	ACCEPT(ARRAY, "[]"),

	/* White space: four bytes, everywhere between tokens. */
	ACCEPT(NULL, " null"),
	ACCEPT(NULL, "null "),
	ACCEPT(NULL, "\t\n\r null \t\n\r"),
	ACCEPT(ARRAY, "[ ]"),
	ACCEPT(ARRAY, " [\n1\t,\r2 ] "),
	ACCEPT(OBJECT, "{ }"),
	ACCEPT(OBJECT, " {\n\"a\"\t:\r1 , \"b\" : 2 } "),
	ACCEPT(ARRAY, "[\"\"]\n"),

	/* Numbers. */
	ACCEPT(NUMBER, "0"),
	ACCEPT(NUMBER, "-0"),
	ACCEPT(NUMBER, "1"),
	ACCEPT(NUMBER, "-1"),
	ACCEPT(NUMBER, "9"),
	ACCEPT(NUMBER, "10"),
	ACCEPT(NUMBER, "1234567890"),
	ACCEPT(NUMBER, "0.1"),
	ACCEPT(NUMBER, "0.0"),
	ACCEPT(NUMBER, "-0.0"),
	ACCEPT(NUMBER, "0.10"),
	ACCEPT(NUMBER, "3.141592653589793238462643383279"),
	ACCEPT(NUMBER, "0e0"),
	ACCEPT(NUMBER, "0e1"),
	ACCEPT(NUMBER, "0E+1"),
	ACCEPT(NUMBER, "0e-1"),
	ACCEPT(NUMBER, "1e1"),
	ACCEPT(NUMBER, "1E1"),
	ACCEPT(NUMBER, "1e+1"),
	ACCEPT(NUMBER, "1e-1"),
	ACCEPT(NUMBER, "1.5e10"),
	ACCEPT(NUMBER, "-1.5E-10"),
	ACCEPT(NUMBER, "1e00"),
	ACCEPT(NUMBER, "1e007"),
	ACCEPT(NUMBER, "1e400"),
	ACCEPT(NUMBER, "-1e400"),
	ACCEPT(NUMBER, "1e-400"),
	ACCEPT(NUMBER, "1e999999999999999999999999"),
	ACCEPT(NUMBER, "9007199254740993"),
	ACCEPT(NUMBER, "18446744073709551616"),
	ACCEPT(NUMBER, "-9223372036854775809"),
	ACCEPT(NUMBER, "100000000000000000000000000000000000000000000000000"),
	ACCEPT(NUMBER, " 7 "),
	ACCEPT(ARRAY, "[0]"),
	ACCEPT(ARRAY, "[-0,0.5,1e1]"),
	ACCEPT(ARRAY, "[1e1 ]"),
	ACCEPT(ARRAY, "[-1]"),
	ACCEPT(OBJECT, "{\"a\":-0}"),
	ACCEPT(OBJECT, "{\"a\":1e+2}"),

	/* Strings and their escapes. */
	ACCEPT(STRING, "\"\\\"\""),
	ACCEPT(STRING, "\"\\\\\""),
	ACCEPT(STRING, "\"\\/\""),
	ACCEPT(STRING, "\"\\b\\f\\n\\r\\t\""),
	ACCEPT(STRING, "\"\\\\\\\"\""),
	ACCEPT(STRING, "\"\\\\\\\\\""),
	ACCEPT(STRING, "\"\\u0000\""),
	ACCEPT(STRING, "\"\\u0022\""),
	ACCEPT(STRING, "\"\\u005c\""),
	ACCEPT(STRING, "\"\\u00e9\""),
	ACCEPT(STRING, "\"\\u00E9\""),
	ACCEPT(STRING, "\"\\uaBcD\""),
	ACCEPT(STRING, "\"\\uFFFF\""),
	ACCEPT(STRING, "\"\\uffff\""),
	ACCEPT(STRING, "\"\\ufdd0\""),
	ACCEPT(STRING, "\"\\u2028\\u2029\""),
	ACCEPT(STRING, "\"\\u0012345\""),
	ACCEPT(STRING, "\"\\ud83d\\ude00\""),
	ACCEPT(STRING, "\"\\uDBFF\\uDFFF\""),
	ACCEPT(STRING, "\"\\u0061\\u30af\\u30ea\\u30b9\""),
	ACCEPT(STRING, "\"a/*b*/c/*d//e\""),
	ACCEPT(STRING, "\"'\""),
	ACCEPT(STRING, "\"[{,:}]\""),
	ACCEPT(STRING, "\"// no comment\""),
	ACCEPT(STRING, "\"\x7f\""),

	/* A lone surrogate as an escape is JSON (it cannot be decoded). */
	ACCEPT(STRING, "\"\\ud800\""),
	ACCEPT(STRING, "\"\\udfff\""),
	ACCEPT(STRING, "\"\\ude00\\ud83d\""),
	ACCEPT(STRING, "\"\\ud83d\\ud83d\""),
	ACCEPT(STRING, "\"\\ud83d\\n\""),
	ACCEPT(STRING, "\"\\ud83dx\""),

	/* Raw UTF-8. */
	ACCEPT(STRING, "\"\xc2\x80\""),
	ACCEPT(STRING, "\"\xdf\xbf\""),
	ACCEPT(STRING, "\"\xe0\xa0\x80\""),
	ACCEPT(STRING, "\"\xed\x9f\xbf\xee\x80\x80\""),
	ACCEPT(STRING, "\"\xef\xbf\xbf\""),
	ACCEPT(STRING, "\"\xf0\x90\x80\x80\""),
	ACCEPT(STRING, "\"\xf4\x8f\xbf\xbf\""),
	ACCEPT(STRING, "\"\xe2\x80\xa8\xe2\x80\xa9\""),
	ACCEPT(STRING, "\"\xef\xbb\xbf\""),
	ACCEPT(STRING, "\"\xf0\x9f\x98\x80\xc3\xa9\xe2\x82\xac\""),
	ACCEPT(OBJECT, "{\"\xc3\xa9\":\"\xe6\xbc\xa2\"}"),

	/* Arrays. */
	ACCEPT(ARRAY, "[null]"),
	ACCEPT(ARRAY, "[true,false,null]"),
	ACCEPT(ARRAY, "[1,2,3]"),
	ACCEPT(ARRAY, "[[]]"),
	ACCEPT(ARRAY, "[[],[]]"),
	ACCEPT(ARRAY, "[[[]],[[],[]]]"),
	ACCEPT(ARRAY, "[{}]"),
	ACCEPT(ARRAY, "[{},{}]"),
	ACCEPT(ARRAY, "[\"a\",\"b\"]"),
	ACCEPT(ARRAY, "[1,null,null,null,2]"),
	ACCEPT(ARRAY, "[\"]\"]"),
	ACCEPT(ARRAY, "[\"\\\"]\"]"),

	/* Objects: any names, also twice, also none. */
	ACCEPT(OBJECT, "{\"a\":1}"),
	ACCEPT(OBJECT, "{\"a\":1,\"b\":2}"),
	ACCEPT(OBJECT, "{\"\":0}"),
	ACCEPT(OBJECT, "{\"a\":1,\"a\":1}"),
	ACCEPT(OBJECT, "{\"a\":1,\"a\":2}"),
	ACCEPT(OBJECT, "{\"a\":[]}"),
	ACCEPT(OBJECT, "{\"a\":{\"b\":{\"c\":[{}]}}}"),
	ACCEPT(OBJECT, "{\"\\u0000\":1}"),
	ACCEPT(OBJECT, "{\"\\ud800\":1}"),
	ACCEPT(OBJECT, "{\"a b\":\"\"}"),
	ACCEPT(OBJECT, "{\"}\":\"}\"}"),
	ACCEPT(OBJECT, "{\"a\":null,\"b\":true,\"c\":false,\"d\":\"\"}"),
};

START_TEST(accepted)
{
	const struct accept *a = &accepts[_i];
	auto_parsed struct parsed p = parse(a->text, a->len);

	ck_assert_msg(p.ok, "%s: %s", a->text, p.err.text);
	ck_assert_int_eq(json_span_kind(p.value), a->kind);
	/* The span has no white space around it and is accepted itself. */
	ck_assert_ptr_nonnull(strchr("{[\"-0123456789tfn", p.value.p[0]));
	ck_assert_ptr_null(strchr(" \t\r\n", p.value.p[p.value.len - 1]));
	ck_assert_int_eq(
	    json_span_parse(p.value.p, p.value.len, &p.value, &p.err), 0);
}
END_TEST

/* Any text that is JSON stays so among others, and with space around it. */
START_TEST(accepted_inside)
{
	const struct accept *a = &accepts[_i];
	auto_buffer struct buffer text = { 0 };
	struct json_span_walk walk;
	struct json_span value;
	struct err err;
	int count = 0;

	buffer_add_text(&text, "[[],");
	buffer_add(&text, a->text, a->len);
	buffer_add_text(&text, ",\n{\"x\":");
	buffer_add(&text, a->text, a->len);
	buffer_add_text(&text, "}]");
	ck_assert_msg(json_span_parse(text.data, text.len, &value, &err) == 0,
	    "%s: %s", text.data, err.text);
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &value))
		if (++count == 2)
			ck_assert_int_eq(json_span_kind(value), a->kind);
	ck_assert_int_eq(count, 3);
}
END_TEST

/* What is not JSON */

struct reject {
	const char *text;
	size_t len;
	size_t at; /* the byte that is named, from 1 */
};

#define REJECT(at, text)                                                       \
	{                                                                      \
		text, sizeof(text) - 1, at                                     \
	}

static const struct reject rejects[] = {
	/* Nothing, or only white space. */
	REJECT(1, ""),
	REJECT(2, " "),
	REJECT(5, "\t\n\r "),

	/* What other formats know as values. */
	REJECT(1, "NaN"),
	REJECT(1, "nan"),
	REJECT(1, "Infinity"),
	REJECT(1, "inf"),
	REJECT(2, "-Infinity"),
	REJECT(2, "-NaN"),
	REJECT(1, "True"),
	REJECT(1, "TRUE"),
	REJECT(1, "None"),
	REJECT(1, "undefined"),
	REJECT(1, "nul"),
	REJECT(1, "tru"),
	REJECT(1, "truE"),
	REJECT(1, "fals"),
	REJECT(5, "nulls"),
	REJECT(5, "truetrue"),
	REJECT(1, "a"),
	REJECT(1, "'a'"),
	REJECT(1, "`a`"),
	REJECT(1, "<html>"),
	REJECT(1, "*"),
	REJECT(1, "\\u0022"),
	REJECT(1, "\x00"),
	REJECT(1, "\x7f"),

	/* White space of other formats. */
	REJECT(1,
	    "\x0b"
	    "1"),
	REJECT(1,
	    "\x0c"
	    "1"),
	REJECT(2, "1\x0c"),
	REJECT(2, "[\x0c]"),
	REJECT(1,
	    "\xc2\xa0"
	    "1"),
	REJECT(2, "1\xe2\x80\xa8"),
	REJECT(2, "[\xe2\x81\xa0]"),
	REJECT(1, "\xef\xbb\xbf{}"),
	REJECT(2, " \xef\xbb\xbf{}"),
	REJECT(2, "1\x00"),
	REJECT(3, "{}\x00"),
	REJECT(2, "[\x00]"),

	/* Comments. */
	REJECT(1, "// c\n1"),
	REJECT(1, "/* c */1"),
	REJECT(3, "1 // c"),
	REJECT(2, "[/**/]"),
	REJECT(3, "1 # c"),

	/* More than one value. */
	REJECT(3, "1 2"),
	REJECT(2, "1,"),
	REJECT(3, "{}{}"),
	REJECT(3, "[][]"),
	REJECT(3, "[]]"),
	REJECT(3, "{}}"),
	REJECT(3, "\"\"x"),
	REJECT(3, "\"\"\"\""),
	REJECT(4, "{}\n{}"),
	REJECT(2, "2@"),

	/* Numbers. */
	REJECT(2, "-"),
	REJECT(1, "+"),
	REJECT(1, "+1"),
	REJECT(2, "--1"),
	REJECT(2, "-a"),
	REJECT(2, "- 1"),
	REJECT(2, "00"),
	REJECT(2, "01"),
	REJECT(3, "-01"),
	REJECT(3, "-00"),
	REJECT(2, "012.5"),
	REJECT(1, ".5"),
	REJECT(2, "-.5"),
	REJECT(3, "1."),
	REJECT(3, "0.e1"),
	REJECT(3, "1.e1"),
	REJECT(4, "1.5.5"),
	REJECT(3, "1e"),
	REJECT(3, "1E"),
	REJECT(4, "1e+"),
	REJECT(4, "1e-"),
	REJECT(5, "0.1e"),
	REJECT(4, "1e1.5"),
	REJECT(3, "1e\x00"),
	REJECT(3, "1ea"),
	REJECT(4, "1e+-1"),
	REJECT(2, "1a"),
	REJECT(2, "0x42"),
	REJECT(2, "0b1"),
	REJECT(2, "1_000"),
	REJECT(3, "1 000"),
	REJECT(2, "1/2"),
	REJECT(2, "5L"),
	REJECT(2, "\x2d\xd9\xa3"),
	REJECT(1, "\xef\xbc\x91"),
	REJECT(3, "[1+2]"),
	REJECT(3, "[-]"),
	REJECT(7, "{\"a\":01}"),

	/* Strings. */
	REJECT(2, "\""),
	REJECT(3, "\"a"),
	REJECT(4, "\"\\\""),
	REJECT(3, "\"\\"),
	REJECT(6, "\"\\\\\\\""),
	REJECT(3, "\"\\x41\""),
	REJECT(3, "\"\\a\""),
	REJECT(3, "\"\\v\""),
	REJECT(3, "\"\\0\""),
	REJECT(3, "\"\\'\""),
	REJECT(3, "\"\\ \""),
	REJECT(3, "\"\\\n\""),
	REJECT(3, "\"\\\x00\""),
	REJECT(3, "\"\\U0041\""),
	REJECT(3, "\"\\N\""),
	REJECT(3, "\"\\\xc3\xa9\""),
	REJECT(4, "\"\\u\""),
	REJECT(5, "\"\\u0\""),
	REJECT(6, "\"\\u00\""),
	REJECT(7, "\"\\u004\""),
	REJECT(7, "\"\\u004g\""),
	REJECT(4, "\"\\u+041\""),
	REJECT(4, "\"\\u 041\""),
	REJECT(4, "\"\\u-041\""),
	REJECT(5, "\"\\u0x41\""),
	REJECT(4, "\"\\u{41}\""),
	REJECT(7, "\"\\u004"),
	REJECT(13, "\"\\ud83d\\ude0\""),
	REJECT(10, "\"\\ud83d\\\x22"),
	REJECT(2, "\"\x00\""),
	REJECT(2, "\"\x01\""),
	REJECT(2, "\"\x1f\""),
	REJECT(2, "\"\n\""),
	REJECT(2, "\"\r\""),
	REJECT(2, "\"\t\""),
	REJECT(5, "\"abc\ndef\""),
	REJECT(10, "\"abcdefgh\x08\""),

	/* Bytes that are not UTF-8, in values and in names. */
	REJECT(2, "\"\x80\""),
	REJECT(2, "\"\xff\""),
	REJECT(2, "\"\xfe\""),
	REJECT(3, "\"a\xe9\""),
	REJECT(2, "\"\xc0\xaf\""),
	REJECT(2, "\"\xc1\xbf\""),
	REJECT(2, "\"\xe0\x80\xaf\""),
	REJECT(2, "\"\xf0\x80\x80\xaf\""),
	REJECT(2, "\"\xed\xa0\x80\""),
	REJECT(2, "\"\xed\xa0\xbd\xed\xb8\x80\""),
	REJECT(2, "\"\xed\xbf\xbf\""),
	REJECT(2, "\"\xf4\x90\x80\x80\""),
	REJECT(2, "\"\xf8\x88\x80\x80\x80\""),
	REJECT(2, "\"\xc3\""),
	REJECT(2, "\"\xe2\x82\""),
	REJECT(4, "\"\xc3\xa9\x80\""),
	REJECT(3, "{\"\xff\":1}"),
	REJECT(8, "{\"a\": \"\xff\"}"),
	REJECT(11, "[\"12345678\xff\"]"),
	/* The first fault is named, whichever kind it is. */
	REJECT(3, "[\"\xff\",]"),
	REJECT(6, "[\"a\",]\xff"),
	REJECT(2, "\"\xff"),
	REJECT(1, "\xff\xfe\""),

	/* Arrays. */
	REJECT(2, "["),
	REJECT(3, "[1"),
	REJECT(4, "[1,"),
	REJECT(2, "[,"),
	REJECT(2, "[,]"),
	REJECT(2, "[,1]"),
	REJECT(4, "[1,]"),
	REJECT(4, "[1,,2]"),
	REJECT(4, "[1,,]"),
	REJECT(4, "[1 2]"),
	REJECT(3, "[1;2]"),
	REJECT(3, "[1:2]"),
	REJECT(5, "[\"a\":1]"),
	REJECT(6, "[\"a\" \"b\"]"),
	REJECT(3, "[1}"),
	REJECT(2, "[}"),
	REJECT(4, "[[]"),
	REJECT(3, "[[}]"),
	REJECT(4, "[{}}"),
	REJECT(1, "]"),
	REJECT(2, "[(1)]"),
	REJECT(2, "[...]"),
	REJECT(4, "[1\n"),
	REJECT(2, "[a]"),
	REJECT(2, "[tru]"),
	REJECT(6, "[true"),
	REJECT(6, "[nulll]"),

	/* Objects. */
	REJECT(2, "{"),
	REJECT(1, "}"),
	REJECT(3, "{ "),
	REJECT(2, "{,}"),
	REJECT(2, "{1:1}"),
	REJECT(2, "{a:1}"),
	REJECT(2, "{'a':1}"),
	REJECT(2, "{null:1}"),
	REJECT(2, "{[]:1}"),
	REJECT(2, "{:1}"),
	REJECT(2, "{]"),
	REJECT(5, "{\"a\""),
	REJECT(5, "{\"a\"}"),
	REJECT(6, "{\"a\":"),
	REJECT(6, "{\"a\":}"),
	REJECT(6, "{\"a\"::1}"),
	REJECT(5, "{\"a\",1}"),
	REJECT(6, "{\"a\" 1}"),
	REJECT(5, "{\"a\"=1}"),
	REJECT(7, "{\"a\":1"),
	REJECT(7, "{\"a\":1]"),
	REJECT(8, "{\"a\":1,"),
	REJECT(8, "{\"a\":1,}"),
	REJECT(8, "{\"a\":1,,\"b\":2}"),
	REJECT(8, "{\"a\":1,2}"),
	REJECT(8, "{\"a\":1 \"b\":2}"),
	REJECT(8, "{\"a\":1 "),
	REJECT(7, "{\"a\":1;\"b\":2}"),
	REJECT(7, "{\"a\":1:2}"),
	REJECT(5, "{\"a\"\"b\"}"),
	REJECT(10, "{\"a\":[1,2}"),
	REJECT(9, "{\"a\":{}}}"),
	REJECT(8, "{\"a\":1,b:2}"),
	REJECT(4, "{\"a"),
	REJECT(3, "{\"\n\":1}"),
	REJECT(4, "{\"\\x\":1}"),
};

START_TEST(rejected)
{
	const struct reject *r = &rejects[_i];
	auto_parsed struct parsed p = parse(r->text, r->len);
	char where[32];

	snprintf(where, sizeof(where), " at byte %zu", r->at);
	ck_assert_msg(!p.ok, "%s was accepted", r->text);
	ck_assert_msg(strlen(p.err.text) > strlen(where) &&
		strcmp(p.err.text + strlen(p.err.text) - strlen(where),
		    where) == 0,
	    "'%s': '%s', not%s", r->text, p.err.text, where);
}
END_TEST

/* The sentence is ours: no byte of the text gets into it unescaped. */
START_TEST(sentences_are_plain)
{
	const struct reject *r = &rejects[_i];
	auto_parsed struct parsed p = parse(r->text, r->len);
	const char *c;

	for (c = p.err.text; *c >= 0x20 && *c < 0x7f; c++)
		;
	ck_assert_int_eq(*c, '\0');
	ck_assert_int_eq(p.err.code, 0);
}
END_TEST

/* Sentences that a user meets most. */
START_TEST(sentences)
{
	static const struct {
		const char *text;
		const char *sentence;
	} cases[] = {
		{ "", "the text is empty where a value should be, at byte 1" },
		{ "{\"a\":1,}",
		    "'}' where a name in quotes should be, at byte 8" },
		{ "[1",
		    "the text ends where a comma or ] should be, "
		    "at byte 3" },
		{ "{\"a\" 1}", "'1' where a colon should be, at byte 6" },
		{ "[1,\x07]", "0x07 where a value should be, at byte 4" },
		{ "{} x", "'x' where the end should be, at byte 4" },
		{ "01", "a digit behind a leading zero at byte 2" },
		{ "\"a\n\"",
		    "a control character that is not escaped at "
		    "byte 3" },
		{ "\"\xff\"", "bytes that are not UTF-8 at byte 2" },
		{ "\xef\xbb\xbf{}", "a byte order mark at byte 1" },
	};
	size_t n;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		auto_parsed struct parsed p =
		    parse(cases[n].text, strlen(cases[n].text));

		ck_assert_str_eq(p.err.text, cases[n].sentence);
	}
}
END_TEST

/* Single bytes, by rule: as a text, in a string, behind a backslash. */
START_TEST(every_byte)
{
	char string[] = "\"xx\"", escape[] = "\"\\x\"";
	int c, ok;

	for (c = 0; c < 256; c++) {
		char text = (char)c;
		auto_parsed struct parsed alone = parse(&text, 1);

		ck_assert_msg(alone.ok == (c >= '0' && c <= '9'), "0x%02x", c);
		string[1] = (char)c;
		/* A quote ends it too early, a backslash escapes an x. */
		ok = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
		{
			auto_parsed struct parsed p = parse(string, 4);

			ck_assert_msg(p.ok == ok, "0x%02x in a string", c);
		}
		escape[2] = (char)c;
		ok = c != 0 && strchr("\"\\/bfnrt", c) != NULL;
		{
			auto_parsed struct parsed p = parse(escape, 4);

			ck_assert_msg(p.ok == ok, "0x%02x escaped", c);
		}
	}
}
END_TEST

/* One byte put in front of, behind and into an empty array. */
START_TEST(every_byte_around)
{
	int c, space;

	for (c = 0; c < 256; c++) {
		const char front[] = { (char)c, '[', ']' };
		const char inside[] = { '[', (char)c, ']' };
		const char behind[] = { '[', ']', (char)c };
		auto_parsed struct parsed a = parse(front, 3);
		auto_parsed struct parsed b = parse(inside, 3);
		auto_parsed struct parsed d = parse(behind, 3);

		space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
		ck_assert_msg(a.ok == space, "0x%02x in front", c);
		ck_assert_msg(b.ok == (space || (c >= '0' && c <= '9')),
		    "0x%02x inside", c);
		ck_assert_msg(d.ok == space, "0x%02x behind", c);
	}
}
END_TEST

static const char rich[] =
    "{\"id\":18446744073709551616,\"a\\u0062\":[1,-0.5e+10,{\"x\":null}],"
    "\"t\":true,\"f\":[false],\"s\":\"\\ud83d\\ude00 \xf0\x9f\x98\x80 "
    "\\\"\\\\\",\"o\":{}, \"e\":[ ]}";

START_TEST(every_truncation)
{
	size_t len;

	for (len = 0; len < sizeof(rich) - 1; len++) {
		auto_parsed struct parsed p = parse(rich, len);

		ck_assert_msg(!p.ok, "the first %zu bytes", len);
	}
}
END_TEST

START_TEST(every_missing_beginning)
{
	size_t from;

	for (from = 1; from < sizeof(rich) - 1; from++) {
		auto_parsed struct parsed p =
		    parse(rich + from, sizeof(rich) - 1 - from);

		ck_assert_msg(!p.ok, "without %zu bytes", from);
	}
}
END_TEST

/* Depth */

/* Nests so deep, in arrays, in objects, or in both by turns; closed. */
static void
nest(struct buffer *text, size_t depth, const char *kinds)
{
	size_t n, period = strlen(kinds);

	for (n = 0; n < depth; n++)
		buffer_add_text(
		    text, kinds[n % period] == '{' ? "{\"a\":" : "[");
	buffer_add_text(text, "1");
	while (n-- > 0)
		buffer_add_text(text, kinds[n % period] == '{' ? "}" : "]");
}

static const char *const nestings[] = { "[", "{", "[{", "{[", "[[{",
	"{{[[[{[" };

START_TEST(depth)
{
	auto_buffer struct buffer most = { 0 }, more = { 0 };
	struct json_span value;
	struct err err;

	nest(&most, JSON_DEPTH_MAX, nestings[_i]);
	nest(&more, JSON_DEPTH_MAX + 1, nestings[_i]);
	ck_assert_int_eq(json_span_parse(most.data, most.len, &value, &err), 0);
	ck_assert_uint_eq(value.len, most.len);
	ck_assert_int_eq(
	    json_span_parse(more.data, more.len, &value, &err), -1);
	ck_assert_msg(
	    strncmp(err.text, "nested more than 256 deep at byte ", 34) == 0,
	    "%s", err.text);
}
END_TEST

/* At every level the bracket that closes must be the one that opened. */
START_TEST(depth_brackets_match)
{
	size_t level;

	for (level = 0; level < JSON_DEPTH_MAX; level++) {
		auto_buffer struct buffer text = { 0 };
		struct json_span value;
		struct err err;
		char *closing;

		nest(&text, JSON_DEPTH_MAX, nestings[_i]);
		closing = &text.data[text.len - 1 - level];
		*closing = *closing == ']' ? '}' : ']';
		ck_assert_int_eq(
		    json_span_parse(text.data, text.len, &value, &err), -1);
	}
}
END_TEST

/* Breadth is not depth. */
START_TEST(breadth)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span value;
	struct err err;
	int n;

	for (n = 0; n < 100000; n++)
		buffer_add_text(&text, n == 0 ? "[[{\"a\":[]}]" : ",[{}]");
	buffer_add_text(&text, "]");
	ck_assert_int_eq(json_span_parse(text.data, text.len, &value, &err), 0);
}
END_TEST

/* A bomb of brackets is refused at once, wherever its end is. */
START_TEST(bracket_bomb)
{
	size_t len = 16 * MIB;
	auto_free char *text = mem_resize(NULL, len);
	struct json_span value;
	struct err err;

	memset(text, '[', len);
	ck_assert_int_eq(json_span_parse(text, len, &value, &err), -1);
	ck_assert_str_eq(err.text, "nested more than 256 deep at byte 257");
}
END_TEST

/* Walking */

START_TEST(walks_members)
{
	static const char *const want[][2] = {
		{ "\"id\"", "18446744073709551616" },
		{ "\"a\\u0062\"", "[1,-0.5e+10,{\"x\":null}]" },
		{ "\"t\"", "true" },
		{ "\"f\"", "[false]" },
		{ "\"s\"", "\"\\ud83d\\ude00 \xf0\x9f\x98\x80 \\\"\\\\\"" },
		{ "\"o\"", "{}" },
		{ "\"e\"", "[ ]" },
	};
	struct json_span_walk walk = json_span_walk(span(rich));
	struct json_span name, value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(want); n++) {
		ck_assert_int_eq(
		    json_span_next_member(&walk, &name, &value), 1);
		assert_span(name, want[n][0]);
		assert_span(value, want[n][1]);
	}
	ck_assert_int_eq(json_span_next_member(&walk, &name, &value), 0);
	ck_assert_int_eq(json_span_next_member(&walk, &name, &value), 0);
}
END_TEST

START_TEST(walks_elements)
{
	static const char *const want[] = { "1", "\"a,]\"", "[2,[3]]",
		"{\"b\":[4]}", "null", "\"\\\"\"", "[]", "{}", "-1e5" };
	struct json_span_walk walk = json_span_walk(
	    span(" [ 1 ,\"a,]\",[2,[3]],{\"b\":[4]}\n,\tnull,\"\\\"\",[],{}"
		 ",-1e5 ] "));
	struct json_span value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(want); n++) {
		ck_assert_int_eq(json_span_next_element(&walk, &value), 1);
		assert_span(value, want[n]);
	}
	ck_assert_int_eq(json_span_next_element(&walk, &value), 0);
	ck_assert_int_eq(json_span_next_element(&walk, &value), 0);
}
END_TEST

/* A walk over what has no members ends at once. */
START_TEST(walks_nothing)
{
	static const char *const texts[] = { "[]", "[ ]", "{}", "{\n}", "1",
		"\"\"", "\"a\"", "null", "true", "-0" };
	struct json_span name, value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(texts); n++) {
		struct json_span_walk walk = json_span_walk(span(texts[n]));
		struct json_span_walk again = walk;

		ck_assert_int_eq(
		    json_span_next_member(&walk, &name, &value), 0);
		ck_assert_int_eq(json_span_next_element(&again, &value), 0);
	}
}
END_TEST

/* An array is no object, even where it looks like one. */
START_TEST(walks_array_as_object)
{
	static const char *const texts[] = { "[1]", "[\"a\"]", "[[]]",
		"[{\"a\":1}]" };
	struct json_span name, value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(texts); n++) {
		struct json_span_walk walk = json_span_walk(span(texts[n]));

		ck_assert_int_eq(
		    json_span_next_member(&walk, &name, &value), 0);
	}
}
END_TEST

/* Finding */

START_TEST(gets)
{
	static const struct {
		const char *object;
		const char *name;
		int count;
		const char *value; /* of the last one */
	} cases[] = {
		{ "{\"a\":1}", "a", 1, "1" },
		{ "{\"a\":1}", "b", 0, NULL },
		{ "{\"a\":1}", "", 0, NULL },
		{ "{\"a\":1}", "ab", 0, NULL },
		{ "{\"ab\":1}", "a", 0, NULL },
		{ "{}", "a", 0, NULL },
		{ "{\"\":[]}", "", 1, "[]" },
		{ "{\"a\":1,\"a\":2,\"b\":3,\"a\": 4 }", "a", 3, "4" },
		{ "{\"a\":1,\"\\u0061\":2}", "a", 2, "2" },
		{ "{\"\\u0061\\u0062c\":1}", "abc", 1, "1" },
		{ "{\"a\\u0062\":1}", "ab", 1, "1" },
		{ "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\":1}", "\"\\/\b\f\n\r\t", 1,
		    "1" },
		{ "{\"\\u00e9\":1,\"\xc3\xa9\":2}", "\xc3\xa9", 2, "2" },
		{ "{\"\\ud83d\\ude00\":1}", "\xf0\x9f\x98\x80", 1, "1" },
		{ "{\"\\u20ac\":1}", "\xe2\x82\xac", 1, "1" },
		/* A NUL does not end a name. */
		{ "{\"a\\u0000\":1}", "a", 0, NULL },
		{ "{\"\\u0000\":1}", "", 0, NULL },
		{ "{\"a\\u0000b\":1}", "a", 0, NULL },
		/* What cannot be decoded equals nothing. */
		{ "{\"\\ud800\":1}", "\xed\xa0\x80", 0, NULL },
		{ "{\"a\\udc00\":1}", "a", 0, NULL },
		/* Only the members of this object. */
		{ "{\"b\":{\"a\":1}}", "a", 0, NULL },
		{ "{\"b\":{\"a\":1},\"a\":2}", "a", 1, "2" },
		{ "{\"b\":\"\\\"a\\\":1\"}", "a", 0, NULL },
		{ "{\"A\":1}", "a", 0, NULL },
		{ "{\"a\":\"}\",\"b\":{\"c\":[]}}", "b", 1, "{\"c\":[]}" },
		/* What is no object has no members. */
		{ "[\"a\",1]", "a", 0, NULL },
		{ "\"a\"", "a", 0, NULL },
		{ "1", "a", 0, NULL },
		{ "null", "a", 0, NULL },
	};
	struct json_span value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		value = (struct json_span){ "untouched", 9 };
		ck_assert_msg(json_span_get(span(cases[n].object),
				  cases[n].name, &value) == cases[n].count,
		    "%s in %s", cases[n].name, cases[n].object);
		assert_span(
		    value, cases[n].count > 0 ? cases[n].value : "untouched");
	}
}
END_TEST

START_TEST(compares)
{
	ck_assert(json_span_is(span("\"\""), ""));
	ck_assert(json_span_is(span("\"abc\""), "abc"));
	ck_assert(json_span_is(span("\"\\u0061bc\""), "abc"));
	ck_assert(json_span_is(span("\"a\\nb\""), "a\nb"));
	ck_assert(!json_span_is(span("\"abc\""), "ab"));
	ck_assert(!json_span_is(span("\"ab\""), "abc"));
	ck_assert(!json_span_is(span("\"ab\\u0063\""), "ab"));
	ck_assert(!json_span_is(span("\"\""), "a"));
	ck_assert(!json_span_is(span("\"a\\u0000\""), "a"));
	ck_assert(!json_span_is(span("\"\\u0000\""), ""));
	ck_assert(!json_span_is(span("\"\\ud800\""), ""));
	ck_assert(!json_span_is(span("1"), "1"));
	ck_assert(!json_span_is(span("null"), "null"));
	ck_assert(!json_span_is(span("[]"), ""));
}
END_TEST

/* Decoding */

START_TEST(decodes)
{
	static const struct {
		const char *json;
		const char *text;
		size_t len;
	} cases[] = {
#define DECODE(json, text) { json, text, sizeof(text) - 1 }
		DECODE("\"\"", ""),
		DECODE("\"a\"", "a"),
		DECODE("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"),
		DECODE("\"\\u0000\"", "\0"),
		DECODE("\"a\\u0000b\"", "a\0b"),
		DECODE("\"\\u0041\\u007f\\u0080\"", "A\x7f\xc2\x80"),
		DECODE("\"\\u07ff\\u0800\"", "\xdf\xbf\xe0\xa0\x80"),
		DECODE("\"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80"),
		DECODE("\"\\uFFFF\\uffff\"", "\xef\xbf\xbf\xef\xbf\xbf"),
		DECODE("\"\\uAbCd\"", "\xea\xaf\x8d"),
		DECODE("\"\\u09aF\"", "\xe0\xa6\xaf"),
		DECODE("\"\\ud800\\udc00\"", "\xf0\x90\x80\x80"),
		DECODE("\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf"),
		DECODE("\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!"),
		DECODE("\"\xf0\x9f\x98\x80\\n\xc3\xa9\"",
		    "\xf0\x9f\x98\x80\n\xc3\xa9"),
		DECODE("\"x\\u0031\\u0032y\"", "x12y"),
		DECODE("\"\\u00611\"", "a1"),
	};
	struct err err;
	size_t n, len;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		auto_free char *text =
		    json_span_string(span(cases[n].json), &len, &err);

		ck_assert_msg(text != NULL, "%s: %s", cases[n].json, err.text);
		ck_assert_uint_eq(len, cases[n].len);
		ck_assert_mem_eq(text, cases[n].text, len + 1);
	}
}
END_TEST

START_TEST(refuses_lone_surrogates)
{
	static const struct {
		const char *json;
		const char *code;
	} cases[] = {
		{ "\"\\ud800\"", "U+D800" },
		{ "\"\\uDBFF\"", "U+DBFF" },
		{ "\"\\udc00\"", "U+DC00" },
		{ "\"\\udfff\"", "U+DFFF" },
		{ "\"\\ud83d\"", "U+D83D" },
		{ "\"\\ud83dx\"", "U+D83D" },
		{ "\"\\ud83d\\n\"", "U+D83D" },
		{ "\"\\ud83d\\u0041\"", "U+D83D" },
		{ "\"\\ud83d\\ud83d\\ude00\"", "U+D83D" },
		{ "\"\\ude00\\ud83d\"", "U+DE00" },
		{ "\"\\u0041\\ude00\"", "U+DE00" },
		{ "\"\\udc00\\ude00\"", "U+DC00" },
		/* Almost the second half. */
		{ "\"\\ud83d\\\\de00\"", "U+D83D" },
		{ "\"\\ud83dxude00\"", "U+D83D" },
		{ "\"ok \\ud83d\\ude00 \\udead\"", "U+DEAD" },
	};
	struct err err;
	size_t n, len;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		char *text = json_span_string(span(cases[n].json), &len, &err);

		ck_assert_msg(text == NULL, "%s", cases[n].json);
		ck_assert_msg(strstr(err.text, cases[n].code) != NULL, "%s: %s",
		    cases[n].json, err.text);
	}
}
END_TEST

START_TEST(decodes_only_strings)
{
	static const char *const texts[] = { "1", "null", "true", "[]", "{}",
		"[\"a\"]" };
	struct err err;
	size_t n, len;

	for (n = 0; n < UNIT_COUNT(texts); n++) {
		ck_assert_ptr_null(
		    json_span_string(span(texts[n]), &len, &err));
		ck_assert_str_eq(err.text, "a string is expected");
	}
}
END_TEST

/* Splicing */

/* Values that no JSON library keeps as they are. */
static const char *const awkward[] = {
	"18446744073709551616",
	"-18446744073709551617",
	"0.1",
	"0.10",
	"1e400",
	"-1e-400",
	"1e2",
	"1E+02",
	"-0",
	"-0.0",
	"9007199254740993",
	"3.141592653589793238462643383279",
	"\"\\u0000\"",
	"\"\\ud800\"",
	"\"\\u00e9 \xc3\xa9\"",
	"\"\\/ / \\u002f\"",
	"{\"z\":1,\"a\":2,\"m\":3}",
	"{\"a\":1,\"a\":2}",
	"{\"\\u0061\":1,\"a\":2}",
	"[ 1 , 2 ]",
};

/* Members are copied from one object to another as bytes. */
START_TEST(splices_unchanged)
{
	auto_buffer struct buffer in = { 0 }, out = { 0 };
	struct json_span name, value;
	struct json_span_walk walk;
	struct err err;
	size_t n;

	for (n = 0; n < UNIT_COUNT(awkward); n++)
		buffer_printf(&in, "%s\"%c\\u006%zu\":%s", n == 0 ? "{" : ",",
		    (int)('z' - n), n % 10, awkward[n]);
	buffer_add_text(&in, "}");
	ck_assert_int_eq(json_span_parse(in.data, in.len, &value, &err), 0);
	walk = json_span_walk(value);
	while (json_span_next_member(&walk, &name, &value)) {
		buffer_add_text(&out, out.len == 0 ? "{" : ",");
		buffer_add(&out, name.p, name.len);
		buffer_add_text(&out, ":");
		buffer_add(&out, value.p, value.len);
	}
	buffer_add_text(&out, "}");
	ck_assert_str_eq(out.data, in.data);
}
END_TEST

START_TEST(copies_on_one_line)
{
	static const char *const cases[][2] = {
		{ "1", "1" },
		{ "[1,2]", "[1,2]" },
		{ "[1,\n2]", "[1, 2]" },
		{ "{\r\n\t\"a\"\r:\n1\n}", "{  \t\"a\" : 1 }" },
		{ "\"\\n\\r\"", "\"\\n\\r\"" },
		{ "[\"a\\nb\",\n\n\"\\u000a\"]", "[\"a\\nb\",  \"\\u000a\"]" },
		{ "[\t1]", "[\t1]" },
		{ "\"\xe2\x80\xa8\"", "\"\xe2\x80\xa8\"" },
	};
	size_t n;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		struct json_span value = span(cases[n][0]);
		auto_free char *line = mem_resize(NULL, value.len);

		json_span_copy_line(value, line);
		assert_span((struct json_span){ line, value.len }, cases[n][1]);
	}
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(tc, accepted, 0, UNIT_COUNT(accepts));
	tcase_add_loop_test(tc, accepted_inside, 0, UNIT_COUNT(accepts));
	tcase_add_loop_test(tc, rejected, 0, UNIT_COUNT(rejects));
	tcase_add_loop_test(tc, sentences_are_plain, 0, UNIT_COUNT(rejects));
	tcase_add_test(tc, sentences);
	tcase_add_test(tc, every_byte);
	tcase_add_test(tc, every_byte_around);
	tcase_add_test(tc, every_truncation);
	tcase_add_test(tc, every_missing_beginning);
	tcase_add_loop_test(tc, depth, 0, UNIT_COUNT(nestings));
	tcase_add_loop_test(tc, depth_brackets_match, 0, UNIT_COUNT(nestings));
	tcase_add_test(tc, breadth);
	tcase_add_test(tc, bracket_bomb);
	tcase_add_test(tc, walks_members);
	tcase_add_test(tc, walks_elements);
	tcase_add_test(tc, walks_nothing);
	tcase_add_test(tc, walks_array_as_object);
	tcase_add_test(tc, gets);
	tcase_add_test(tc, compares);
	tcase_add_test(tc, decodes);
	tcase_add_test(tc, refuses_lone_surrogates);
	tcase_add_test(tc, decodes_only_strings);
	tcase_add_test(tc, splices_unchanged);
	tcase_add_test(tc, copies_on_one_line);
}

int
main(void)
{
	return unit_run("json_span", add);
}
