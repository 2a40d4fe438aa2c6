/*
 * Tests of common/json/json_span: strings decoded, and values spliced without a
 * change.
 */
#include "json_span_play.h"

/* Decoding */

UNIT_TEST(decodes)
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

UNIT_TEST(refuses_lone_surrogates)
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
UNIT_TEST(splices_unchanged)
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

/* Whatever it is in, an escape is decoded. */
UNIT_TEST(decodes_all_of_a_value)
{
	static const char json[] = "{\"a\\u0062\":[\"\\ud83d\\ude00\\/\","
	    "\"\\udead\\\"\"]}";
	static const char wanted[] = "{\"ab\":[\"\xf0\x9f\x98\x80/\","
	    "\"\\udead\"\"]}";
	char text[sizeof(json)];
	size_t len = json_span_decode(span(json), text);

	ck_assert_uint_eq(len, strlen(wanted));
	ck_assert_mem_eq(text, wanted, len);
}

UNIT_TEST(copies_on_one_line)
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
