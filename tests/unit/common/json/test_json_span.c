/*
 * Tests of common/json/json_span: what is JSON and what is not, with the byte
 * that is named.
 */
#include "json_span_play.h"

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
	ACCEPT(NULL, "null"), ACCEPT(TRUE, "true"), ACCEPT(FALSE, "false"),
	ACCEPT(STRING, "\"\""), ACCEPT(STRING, "\" \""),
	ACCEPT(STRING, "\"a\""), ACCEPT(OBJECT, "{}"), ACCEPT(ARRAY, "[]"),

	/* White space: four bytes, everywhere between tokens. */
	ACCEPT(NULL, " null"), ACCEPT(NULL, "null "),
	ACCEPT(NULL, "\t\n\r null \t\n\r"), ACCEPT(ARRAY, "[ ]"),
	ACCEPT(ARRAY, " [\n1\t,\r2 ] "), ACCEPT(OBJECT, "{ }"),
	ACCEPT(OBJECT, " {\n\"a\"\t:\r1 , \"b\" : 2 } "),
	ACCEPT(ARRAY, "[\"\"]\n"),

	/* Numbers. */
	ACCEPT(NUMBER, "0"), ACCEPT(NUMBER, "-0"), ACCEPT(NUMBER, "1"),
	ACCEPT(NUMBER, "-1"), ACCEPT(NUMBER, "9"), ACCEPT(NUMBER, "10"),
	ACCEPT(NUMBER, "1234567890"), ACCEPT(NUMBER, "0.1"),
	ACCEPT(NUMBER, "0.0"), ACCEPT(NUMBER, "-0.0"), ACCEPT(NUMBER, "0.10"),
	ACCEPT(NUMBER, "3.141592653589793238462643383279"),
	ACCEPT(NUMBER, "0e0"), ACCEPT(NUMBER, "0e1"), ACCEPT(NUMBER, "0E+1"),
	ACCEPT(NUMBER, "0e-1"), ACCEPT(NUMBER, "1e1"), ACCEPT(NUMBER, "1E1"),
	ACCEPT(NUMBER, "1e+1"), ACCEPT(NUMBER, "1e-1"),
	ACCEPT(NUMBER, "1.5e10"), ACCEPT(NUMBER, "-1.5E-10"),
	ACCEPT(NUMBER, "1e00"), ACCEPT(NUMBER, "1e007"),
	ACCEPT(NUMBER, "1e400"), ACCEPT(NUMBER, "-1e400"),
	ACCEPT(NUMBER, "1e-400"), ACCEPT(NUMBER, "1e999999999999999999999999"),
	ACCEPT(NUMBER, "9007199254740993"),
	ACCEPT(NUMBER, "18446744073709551616"),
	ACCEPT(NUMBER, "-9223372036854775809"),
	ACCEPT(NUMBER, "100000000000000000000000000000000000000000000000000"),
	ACCEPT(NUMBER, " 7 "), ACCEPT(ARRAY, "[0]"),
	ACCEPT(ARRAY, "[-0,0.5,1e1]"), ACCEPT(ARRAY, "[1e1 ]"),
	ACCEPT(ARRAY, "[-1]"), ACCEPT(OBJECT, "{\"a\":-0}"),
	ACCEPT(OBJECT, "{\"a\":1e+2}"),

	/* Strings and their escapes. */
	ACCEPT(STRING, "\"\\\"\""), ACCEPT(STRING, "\"\\\\\""),
	ACCEPT(STRING, "\"\\/\""), ACCEPT(STRING, "\"\\b\\f\\n\\r\\t\""),
	ACCEPT(STRING, "\"\\\\\\\"\""), ACCEPT(STRING, "\"\\\\\\\\\""),
	ACCEPT(STRING, "\"\\u0000\""), ACCEPT(STRING, "\"\\u0022\""),
	ACCEPT(STRING, "\"\\u005c\""), ACCEPT(STRING, "\"\\u00e9\""),
	ACCEPT(STRING, "\"\\u00E9\""), ACCEPT(STRING, "\"\\uaBcD\""),
	ACCEPT(STRING, "\"\\uFFFF\""), ACCEPT(STRING, "\"\\uffff\""),
	ACCEPT(STRING, "\"\\ufdd0\""), ACCEPT(STRING, "\"\\u2028\\u2029\""),
	ACCEPT(STRING, "\"\\u0012345\""), ACCEPT(STRING, "\"\\ud83d\\ude00\""),
	ACCEPT(STRING, "\"\\uDBFF\\uDFFF\""),
	ACCEPT(STRING, "\"\\u0061\\u30af\\u30ea\\u30b9\""),
	ACCEPT(STRING, "\"a/*b*/c/*d//e\""), ACCEPT(STRING, "\"'\""),
	ACCEPT(STRING, "\"[{,:}]\""), ACCEPT(STRING, "\"// no comment\""),
	ACCEPT(STRING, "\"\x7f\""),

	/* A lone surrogate as an escape is JSON (it cannot be decoded). */
	ACCEPT(STRING, "\"\\ud800\""), ACCEPT(STRING, "\"\\udfff\""),
	ACCEPT(STRING, "\"\\ude00\\ud83d\""),
	ACCEPT(STRING, "\"\\ud83d\\ud83d\""), ACCEPT(STRING, "\"\\ud83d\\n\""),
	ACCEPT(STRING, "\"\\ud83dx\""),

	/* Raw UTF-8. */
	ACCEPT(STRING, "\"\xc2\x80\""), ACCEPT(STRING, "\"\xdf\xbf\""),
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
	ACCEPT(ARRAY, "[null]"), ACCEPT(ARRAY, "[true,false,null]"),
	ACCEPT(ARRAY, "[1,2,3]"), ACCEPT(ARRAY, "[[]]"),
	ACCEPT(ARRAY, "[[],[]]"), ACCEPT(ARRAY, "[[[]],[[],[]]]"),
	ACCEPT(ARRAY, "[{}]"), ACCEPT(ARRAY, "[{},{}]"),
	ACCEPT(ARRAY, "[\"a\",\"b\"]"), ACCEPT(ARRAY, "[1,null,null,null,2]"),
	ACCEPT(ARRAY, "[\"]\"]"), ACCEPT(ARRAY, "[\"\\\"]\"]"),

	/* Objects: any names, also twice, also none. */
	ACCEPT(OBJECT, "{\"a\":1}"), ACCEPT(OBJECT, "{\"a\":1,\"b\":2}"),
	ACCEPT(OBJECT, "{\"\":0}"), ACCEPT(OBJECT, "{\"a\":1,\"a\":1}"),
	ACCEPT(OBJECT, "{\"a\":1,\"a\":2}"), ACCEPT(OBJECT, "{\"a\":[]}"),
	ACCEPT(OBJECT, "{\"a\":{\"b\":{\"c\":[{}]}}}"),
	ACCEPT(OBJECT, "{\"\\u0000\":1}"), ACCEPT(OBJECT, "{\"\\ud800\":1}"),
	ACCEPT(OBJECT, "{\"a b\":\"\"}"), ACCEPT(OBJECT, "{\"}\":\"}\"}"),
	ACCEPT(OBJECT, "{\"a\":null,\"b\":true,\"c\":false,\"d\":\"\"}"),
};

/*
 * One byte of a string, of any value and at any place: eight of them are
 * looked at together.
 */
UNIT_TEST(any_byte_anywhere)
{
	char text[75], want[32];
	size_t len, at;
	struct json_span value;
	struct err err;
	unsigned int c;
	int plain;

	for (len = 1; len <= sizeof(text) - 2; len += len < 34 ? 1 : 13)
		for (at = 0; at < len; at++)
			for (c = 0; c < 256; c++) {
				memset(text, 'x', len + 2);
				text[0] = text[len + 1] = '"';
				text[at + 1] = (char)c;
				plain = c >= 0x20 && c < 0x80 && c != '"' &&
				    c != '\\';
				ck_assert_int_eq(json_span_parse(text, len + 2,
				    &value, &err), plain ? 0 : -1);
				if (plain || c == '"' || c == '\\')
					continue;
				snprintf(want, sizeof(want), " at byte %zu",
				    at + 2);
				ck_assert_ptr_nonnull(strstr(err.text, want));
			}
}

UNIT_EACH(accepted, UNIT_COUNT(accepts))
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
	REJECT(1, ""), REJECT(2, " "), REJECT(5, "\t\n\r "),

	/* What other formats know as values. */
	REJECT(1, "NaN"), REJECT(1, "nan"), REJECT(1, "Infinity"),
	REJECT(1, "inf"), REJECT(2, "-Infinity"), REJECT(2, "-NaN"),
	REJECT(1, "True"), REJECT(1, "TRUE"), REJECT(1, "None"),
	REJECT(1, "undefined"), REJECT(1, "nul"), REJECT(1, "tru"),
	REJECT(1, "truE"), REJECT(1, "fals"), REJECT(5, "nulls"),
	REJECT(5, "truetrue"), REJECT(1, "a"), REJECT(1, "'a'"),
	REJECT(1, "`a`"), REJECT(1, "<html>"), REJECT(1, "*"),
	REJECT(1, "\\u0022"), REJECT(1, "\x00"), REJECT(1, "\x7f"),

	/* White space of other formats. */
	REJECT(1, "\x0b" "1"), REJECT(1, "\x0c" "1"), REJECT(2, "1\x0c"),
	REJECT(2, "[\x0c]"), REJECT(1, "\xc2\xa0" "1"),
	REJECT(2, "1\xe2\x80\xa8"), REJECT(2, "[\xe2\x81\xa0]"),
	REJECT(1, "\xef\xbb\xbf{}"), REJECT(2, " \xef\xbb\xbf{}"),
	REJECT(2, "1\x00"), REJECT(3, "{}\x00"), REJECT(2, "[\x00]"),

	/* Comments. */
	REJECT(1, "// c\n1"), REJECT(1, "/* c */1"), REJECT(3, "1 // c"),
	REJECT(2, "[/**/]"), REJECT(3, "1 # c"),

	/* More than one value. */
	REJECT(3, "1 2"), REJECT(2, "1,"), REJECT(3, "{}{}"), REJECT(3, "[][]"),
	REJECT(3, "[]]"), REJECT(3, "{}}"), REJECT(3, "\"\"x"),
	REJECT(3, "\"\"\"\""), REJECT(4, "{}\n{}"), REJECT(2, "2@"),

	/* Numbers. */
	REJECT(2, "-"), REJECT(1, "+"), REJECT(1, "+1"), REJECT(2, "--1"),
	REJECT(2, "-a"), REJECT(2, "- 1"), REJECT(2, "00"), REJECT(2, "01"),
	REJECT(3, "-01"), REJECT(3, "-00"), REJECT(2, "012.5"), REJECT(1, ".5"),
	REJECT(2, "-.5"), REJECT(3, "1."), REJECT(3, "0.e1"), REJECT(3, "1.e1"),
	REJECT(4, "1.5.5"), REJECT(3, "1e"), REJECT(3, "1E"), REJECT(4, "1e+"),
	REJECT(4, "1e-"), REJECT(5, "0.1e"), REJECT(4, "1e1.5"),
	REJECT(3, "1e\x00"), REJECT(3, "1ea"), REJECT(4, "1e+-1"),
	REJECT(2, "1a"), REJECT(2, "0x42"), REJECT(2, "0b1"),
	REJECT(2, "1_000"), REJECT(3, "1 000"), REJECT(2, "1/2"),
	REJECT(2, "5L"), REJECT(2, "\x2d\xd9\xa3"), REJECT(1, "\xef\xbc\x91"),
	REJECT(3, "[1+2]"), REJECT(3, "[-]"), REJECT(7, "{\"a\":01}"),

	/* Strings. */
	REJECT(2, "\""), REJECT(3, "\"a"), REJECT(4, "\"\\\""),
	REJECT(3, "\"\\"), REJECT(6, "\"\\\\\\\""), REJECT(3, "\"\\x41\""),
	REJECT(3, "\"\\a\""), REJECT(3, "\"\\v\""), REJECT(3, "\"\\0\""),
	REJECT(3, "\"\\'\""), REJECT(3, "\"\\ \""), REJECT(3, "\"\\\n\""),
	REJECT(3, "\"\\\x00\""), REJECT(3, "\"\\U0041\""), REJECT(3, "\"\\N\""),
	REJECT(3, "\"\\\xc3\xa9\""), REJECT(4, "\"\\u\""),
	REJECT(5, "\"\\u0\""), REJECT(6, "\"\\u00\""), REJECT(7, "\"\\u004\""),
	REJECT(7, "\"\\u004g\""), REJECT(4, "\"\\u+041\""),
	REJECT(4, "\"\\u 041\""), REJECT(4, "\"\\u-041\""),
	REJECT(5, "\"\\u0x41\""), REJECT(4, "\"\\u{41}\""),
	REJECT(7, "\"\\u004"), REJECT(13, "\"\\ud83d\\ude0\""),
	REJECT(10, "\"\\ud83d\\\x22"), REJECT(2, "\"\x00\""),
	REJECT(2, "\"\x01\""), REJECT(2, "\"\x1f\""), REJECT(2, "\"\n\""),
	REJECT(2, "\"\r\""), REJECT(2, "\"\t\""), REJECT(5, "\"abc\ndef\""),
	REJECT(10, "\"abcdefgh\x08\""),

	/* Bytes that are not UTF-8, in values and in names. */
	REJECT(2, "\"\x80\""), REJECT(2, "\"\xff\""), REJECT(2, "\"\xfe\""),
	REJECT(3, "\"a\xe9\""), REJECT(2, "\"\xc0\xaf\""),
	REJECT(2, "\"\xc1\xbf\""), REJECT(2, "\"\xe0\x80\xaf\""),
	REJECT(2, "\"\xf0\x80\x80\xaf\""), REJECT(2, "\"\xed\xa0\x80\""),
	REJECT(2, "\"\xed\xa0\xbd\xed\xb8\x80\""),
	REJECT(2, "\"\xed\xbf\xbf\""), REJECT(2, "\"\xf4\x90\x80\x80\""),
	REJECT(2, "\"\xf8\x88\x80\x80\x80\""), REJECT(2, "\"\xc3\""),
	REJECT(2, "\"\xe2\x82\""), REJECT(4, "\"\xc3\xa9\x80\""),
	REJECT(3, "{\"\xff\":1}"), REJECT(8, "{\"a\": \"\xff\"}"),
	REJECT(11, "[\"12345678\xff\"]"),
	/* The first fault is named, whichever kind it is. */
	REJECT(3, "[\"\xff\",]"), REJECT(6, "[\"a\",]\xff"),
	REJECT(2, "\"\xff"), REJECT(1, "\xff\xfe\""),

	/* Arrays. */
	REJECT(2, "["), REJECT(3, "[1"), REJECT(4, "[1,"), REJECT(2, "[,"),
	REJECT(2, "[,]"), REJECT(2, "[,1]"), REJECT(4, "[1,]"),
	REJECT(4, "[1,,2]"), REJECT(4, "[1,,]"), REJECT(4, "[1 2]"),
	REJECT(3, "[1;2]"), REJECT(3, "[1:2]"), REJECT(5, "[\"a\":1]"),
	REJECT(6, "[\"a\" \"b\"]"), REJECT(3, "[1}"), REJECT(2, "[}"),
	REJECT(4, "[[]"), REJECT(3, "[[}]"), REJECT(4, "[{}}"), REJECT(1, "]"),
	REJECT(2, "[(1)]"), REJECT(2, "[...]"), REJECT(4, "[1\n"),
	REJECT(2, "[a]"), REJECT(2, "[tru]"), REJECT(6, "[true"),
	REJECT(6, "[nulll]"),

	/* Objects. */
	REJECT(2, "{"), REJECT(1, "}"), REJECT(3, "{ "), REJECT(2, "{,}"),
	REJECT(2, "{1:1}"), REJECT(2, "{a:1}"), REJECT(2, "{'a':1}"),
	REJECT(2, "{null:1}"), REJECT(2, "{[]:1}"), REJECT(2, "{:1}"),
	REJECT(2, "{]"), REJECT(5, "{\"a\""), REJECT(5, "{\"a\"}"),
	REJECT(6, "{\"a\":"), REJECT(6, "{\"a\":}"), REJECT(6, "{\"a\"::1}"),
	REJECT(5, "{\"a\",1}"), REJECT(6, "{\"a\" 1}"), REJECT(5, "{\"a\"=1}"),
	REJECT(7, "{\"a\":1"), REJECT(7, "{\"a\":1]"), REJECT(8, "{\"a\":1,"),
	REJECT(8, "{\"a\":1,}"), REJECT(8, "{\"a\":1,,\"b\":2}"),
	REJECT(8, "{\"a\":1,2}"), REJECT(8, "{\"a\":1 \"b\":2}"),
	REJECT(8, "{\"a\":1 "), REJECT(7, "{\"a\":1;\"b\":2}"),
	REJECT(7, "{\"a\":1:2}"), REJECT(5, "{\"a\"\"b\"}"),
	REJECT(10, "{\"a\":[1,2}"), REJECT(9, "{\"a\":{}}}"),
	REJECT(8, "{\"a\":1,b:2}"), REJECT(4, "{\"a"), REJECT(3, "{\"\n\":1}"),
	REJECT(4, "{\"\\x\":1}"),
};

UNIT_EACH(rejected, UNIT_COUNT(rejects))
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

UNIT_TEST(every_truncation)
{
	size_t len;

	for (len = 0; len < sizeof(rich) - 1; len++) {
		auto_parsed struct parsed p = parse(rich, len);

		ck_assert_msg(!p.ok, "the first %zu bytes", len);
	}
}
