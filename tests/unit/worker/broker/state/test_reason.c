/*
 * Tests of worker/broker/state/reason: whatever servers and code wrote, a
 * sentence is UTF-8 without control characters that could do something, and
 * fits.
 */
#include <string.h>

#include "common/limits.h"
#include "common/mask.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "tests/unit/unit.h"
#include "worker/broker/state/state.h"

UNIT_TESTS(text_is_tame, 10)
{
	static const struct {
		const char *data;
		size_t len;
		const char *wanted;
	} rows[] = {
		{ "", 0, "" },
		{ "a\n\tb", 4, "a\n\tb" },
		{ "a\r\nb\r", 5, "a\nb" },
		{ "\x1b[1m\x7f\0\x01", 7, "\\x1b[1m\\x7f\\x00\\x01" },
		{ "\xc2\x9b" "1m", 4, "\\u009b1m" },
		{ "a\xe2\x80\xae" "b\xe2\x80\xa8", 8, "a\\u202eb\\u2028" },
		{ "\xf3\xa0\x81\x81", 4, "\\U000e0041" },
		{ "\xe2\x9d\xa4\xef\xb8\x8f", 6,
		    "\xe2\x9d\xa4\xef\xb8\x8f" },
		{ "\xc2\xa0\xc3\x9b", 4, "\xc2\xa0\xc3\x9b" },
		{ "a\xff\xc3", 3, "a\xef\xbf\xbd\xef\xbf\xbd" },
	};
	auto_buffer struct buffer reason = { 0 };

	buffer_add_text(&reason, "");
	reason_add_text(&reason, rows[_i].data, rows[_i].len);
	ck_assert_str_eq(reason.data, rows[_i].wanted);
}

static struct json_span
parse(const char *json)
{
	struct json_span span;

	ck_assert_int_eq(json_span_parse(json, strlen(json), &span, NULL), 0);
	return span;
}

UNIT_TESTS(errors_are_reported, 5)
{
	static const char *const rows[][2] = {
		{ "{\"message\":\"a\\nb\",\"code\":-32602}",
		  "a\nb (code -32602)" },
		{ "{\"message\":\"a\"}", "a" },
		{ "{\"message\":\"\\ud800\\u0061\",\"code\":1}",
		  "\"\\ud800a\" (code 1)" },
		{ "{\"message\":[],\"code\":\"1\"}",
		  "an error without a message" },
		{ "{\"message\":\"a\",\"code\":123456789012345678901}", "a" },
	};
	auto_buffer struct buffer reason = { 0 };

	reason_add_error(&reason, parse(rows[_i][0]), NULL);
	ck_assert_str_eq(reason.data, rows[_i][1]);
}

/* In whole characters. */
UNIT_TEST(long_strings_are_cut)
{
	auto_buffer struct buffer json = { 0 };
	auto_buffer struct buffer reason = { 0 };
	size_t n;

	buffer_add_text(&json, "\"x");
	for (n = 0; n < REFUSED_FOREIGN_MAX; n++)
		buffer_add_text(&json, "\xc3\xa4");
	buffer_add_text(&json, "\"");
	reason_add_string(&reason, parse(json.data), NULL);
	ck_assert_uint_eq(
	    reason.len, REFUSED_FOREIGN_MAX - 1 + strlen(" [...]"));
	ck_assert(utf8_valid(reason.data, reason.len));
	ck_assert_str_eq(reason.data + reason.len - strlen(" [...]"), " [...]");
}

/* The cut is behind the mask; what is escaped is masked as well. */
UNIT_TEST(no_part_of_a_secret_is_left_by_a_cut)
{
	auto_buffer struct buffer set = { 0 };
	auto_buffer struct buffer reason = { 0 };
	auto_free char *json =
	    mem_printf("\"%0*ds3c\\u0072et12, and more\"",
	        (int)REFUSED_FOREIGN_MAX - 4, 0);

	mask_begin(&set, (const uint8_t *)"0123456789abcdef");
	mask_add(&set, "s3cret12");
	reason_add_string(&reason, parse(json), &set);
	ck_assert_str_eq(reason.data + REFUSED_FOREIGN_MAX - 4, "***, [...]");
}

UNIT_TEST(a_sentence_fits)
{
	auto_buffer struct buffer reason = { 0 };
	size_t n;

	buffer_add_text(&reason, "x");
	reason_fit(&reason);
	ck_assert_str_eq(reason.data, "x");
	for (n = 0; n < REFUSED_REASON_MAX; n++)
		buffer_add_text(&reason, "\xc3\xa4");
	reason_fit(&reason);
	ck_assert_uint_eq(reason.len, REFUSED_REASON_MAX - 1);
	ck_assert_uint_eq(strlen(reason.data), reason.len);
	ck_assert(utf8_valid(reason.data, reason.len));
}
