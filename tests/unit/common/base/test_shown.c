/*
 * Tests of common/base/shown: foreign text comes out as text that moves no
 * cursor, forges no line and hides nothing, in any language.
 */
#include <string.h>

#include "common/base/shown.h"
#include "common/base/utf8.h"
#include "tests/unit/unit.h"

static const struct {
	const char *data;
	size_t len;
	size_t size; /* of what is shown first */
	const char *shown;
} first[] = {
	{ "ab", 2, 1, "a" },
	{ "\0b", 2, 1, "\\x00" },
	{ "\n", 1, 1, "\\x0a" },
	{ "\"", 1, 1, "\"" },
	{ "\\", 1, 1, "\\" },
	{ "\x7f", 1, 1, "\\x7f" },
	{ "\xff\xff", 2, 1, "\\xff" },
	{ "\xc3\xa9", 2, 2, "\xc3\xa9" },
	{ "\xc3\xa9", 1, 1, "\\xc3" },
	{ "\xc2\x9b", 2, 2, "\\u009b" },
	{ "\xe4\xbd\xa0x", 4, 3, "\xe4\xbd\xa0" },
	{ "\xe2\x80\xae", 3, 3, "\\u202e" },
	{ "\xf0\x9f\x8c\x8d", 4, 4, "\xf0\x9f\x8c\x8d" },
	{ "\xf3\xa0\x81\x81", 4, 4, "\\U000e0041" },
	/* A surrogate and an overlong form are no characters. */
	{ "\xed\xa0\x80", 3, 1, "\\xed" },
	{ "\xc0\x80", 2, 1, "\\xc0" },
};

UNIT_TESTS(shows_one, UNIT_COUNT(first))
{
	char out[UTF8_ESCAPE_SIZE];

	memset(out, 'x', sizeof(out));
	ck_assert_uint_eq(
	    utf8_shown(first[_i].data, first[_i].len, out), first[_i].size);
	ck_assert_str_eq(out, first[_i].shown);
}

static const struct {
	const char *text;
	size_t most;
	const char *shown;
} quoted[] = {
	{ "", 10, "" },
	{ "plain text", 10, "plain text" },
	{ "plain text", 9, "plain tex..." },
	{ "a\"b\\c", 10, "a\\\"b\\\\c" },
	{ "a\nb\033[2Jc\x7f", 20, "a\\x0ab\\x1b[2Jc\\x7f" },
	/* Any language; but no bytes that are none, and nothing unseen. */
	{ "\xc3\xa9\xff", 10, "\xc3\xa9\\xff" },
	{ "\xe4\xbd\xa0\xe5\xa5\xbd", 10, "\xe4\xbd\xa0\xe5\xa5\xbd" },
	{ "\xc2\x9b" "1m\xe2\x80\xae\xe2\x80", 10,
	    "\\u009b1m\\u202e\\xe2\\x80" },
	{ "\n\n\n", 2, "\\x0a\\x0a..." },
	{ "a\xe4\xbd\xa0\xe5\xa5\xbd", 5, "a\xe4\xbd\xa0..." },
};

UNIT_TESTS(shows_in_quotes, UNIT_COUNT(quoted))
{
	auto_buffer struct buffer text = { 0 };

	shown_add_quoted(&text, quoted[_i].text, quoted[_i].most);
	ck_assert_str_eq(text.data, quoted[_i].shown);
}

/* Quotes of its own stay as they are. */
UNIT_TEST(shows_a_sentence)
{
	static const char sentence[] = "\"\xc3\xa9\\\" is\n no\xff";
	auto_buffer struct buffer text = { 0 };

	shown_add(&text, sentence, strlen(sentence));
	ck_assert_str_eq(text.data, "\"\xc3\xa9\\\" is\\x0a no\\xff");
	buffer_reset(&text);
	shown_add(&text, "a\0b", 3);
	ck_assert_str_eq(text.data, "a\\x00b");
	buffer_reset(&text);
	shown_add(&text, "", 0);
	ck_assert_str_eq(text.data, "");
}
