/*
 * Tests of common/json/json: what is written is one line of ASCII-safe JSON
 * that json_span reads back as the same bytes.
 */
#include <string.h>

#include "common/json/json.h"
#include "common/json/json_span.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

struct json_case {
	const char *in;
	size_t in_len;
	const char *out;
};

#define CASE(in, out)                                                          \
	{                                                                      \
		in, sizeof(in) - 1, "\"" out "\""                              \
	}

static const struct json_case json_cases[] = {
	CASE("", ""),
	CASE("plain", "plain"),
	CASE("\"", "\\\""),
	CASE("\\", "\\\\"),
	CASE("a\"b\\c", "a\\\"b\\\\c"),
	CASE("/", "/"),
	CASE("\b\f\n\r\t", "\\b\\f\\n\\r\\t"),
	CASE("\0", "\\u0000"),
	CASE("a\0b", "a\\u0000b"),
	CASE("\x01\x0b\x0e\x1b\x1f", "\\u0001\\u000b\\u000e\\u001b\\u001f"),
	CASE("\x7f", "\x7f"),
	CASE("\xc2\x85", "\xc2\x85"),
	CASE("h\xc3\xa9 \xf0\x9f\x98\x80", "h\xc3\xa9 \xf0\x9f\x98\x80"),
	CASE("\xe2\x80\xa8", "\\u2028"),
	CASE("\xe2\x80\xa9", "\\u2029"),
	CASE("a\xe2\x80\xa8"
	     "b\xe2\x80\xa9"
	     "c",
	    "a\\u2028b\\u2029c"),
	/* Neighbours of those two, and others that begin like them. */
	CASE("\xe2\x80\xa7\xe2\x80\xaa", "\xe2\x80\xa7\xe2\x80\xaa"),
	CASE("\xe2\x82\xac\xe2\x81\xa8", "\xe2\x82\xac\xe2\x81\xa8"),
	CASE("\"\n\"", "\\\"\\n\\\""),
	CASE("ends with a newline\n", "ends with a newline\\n"),
};

UNIT_TESTS(writes, UNIT_COUNT(json_cases))
{
	const struct json_case *c = &json_cases[_i];
	auto_free char *in = mem_resize(NULL, c->in_len);
	auto_buffer struct buffer buffer = { 0 };

	memcpy(in, c->in, c->in_len); /* exact, for ASan */
	buffer_add_text(&buffer, "x");
	json_add_string(&buffer, in, c->in_len);
	ck_assert_uint_eq(buffer.len, 1 + strlen(c->out));
	ck_assert_str_eq(buffer.data + 1, c->out);
	ck_assert_int_eq(buffer.data[0], 'x');
}

UNIT_TESTS(is_read_back, UNIT_COUNT(json_cases))
{
	const struct json_case *c = &json_cases[_i];
	auto_buffer struct buffer buffer = { 0 };
	auto_free char *text = NULL;
	struct json_span value;
	struct err err;
	size_t len;

	json_add_string(&buffer, c->in, c->in_len);
	ck_assert_int_eq(
	    json_span_parse(buffer.data, buffer.len, &value, &err), 0);
	text = json_span_string(value, &len, &err);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(len, c->in_len);
	ck_assert_mem_eq(text, c->in, len);
}

/* Every byte of ASCII, alone and between others: no control byte is left. */
UNIT_TEST(no_control_byte_is_left)
{
	auto_buffer struct buffer buffer = { 0 };
	char text[3] = "xxx";
	size_t n;
	int c;

	for (c = 0; c < 0x80; c++) {
		text[1] = (char)c;
		json_add_string(&buffer, text, sizeof(text));
	}
	for (n = 0; n < buffer.len; n++)
		if ((unsigned char)buffer.data[n] < 0x20)
			break;
	ck_assert_uint_eq(n, buffer.len);
}

UNIT_TEST(text_and_empty_buffer)
{
	auto_buffer struct buffer buffer = { 0 };

	json_add_text(&buffer, "a\tb");
	json_add_string(&buffer, NULL, 0);
	ck_assert_str_eq(buffer.data, "\"a\\tb\"\"\"");
}

/* A long text, where escapes make it six times as long. */
UNIT_TEST(long_texts)
{
	auto_buffer struct buffer buffer = { 0 };
	size_t len = MIB;
	auto_free char *text = mem_alloc(len);

	json_add_string(&buffer, text, len);
	ck_assert_uint_eq(buffer.len, 6 * len + 2);
	buffer_reset(&buffer);
	memset(text, 'x', len);
	json_add_string(&buffer, text, len);
	ck_assert_uint_eq(buffer.len, len + 2);
}

UNIT_EXITS(not_utf8_is_fatal, FATAL_EXIT_STATUS, 1)
{
	struct buffer buffer = { 0 };

	json_add_text(&buffer, "a\xff");
}
