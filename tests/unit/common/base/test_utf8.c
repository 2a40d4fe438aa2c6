/*
 * Tests of common/base/utf8: what is valid, what becomes U+FFFD, and where a
 * character is cut.
 */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "tests/unit/unit.h"

#define R "\xef\xbf\xbd" /* what a broken part becomes */

/* Text and what repair makes of it; the same where it is valid. */
struct utf8_case {
	const char *in;
	size_t in_len;
	const char *out;
	size_t out_len;
	size_t valid; /* bytes at the front that are */
	size_t cut;   /* bytes at the end that more could complete */
};

#define CASE(in, out, valid, cut)                                              \
	{                                                                      \
		in, sizeof(in) - 1, out, sizeof(out) - 1, valid, cut           \
	}
#define VALID(in) CASE(in, in, sizeof(in) - 1, 0)

static const struct utf8_case utf8_cases[] = {
	VALID(""),
	VALID("a"),
	VALID("plain ASCII text that is longer than eight bytes"),
	VALID("\0"),
	VALID("a\0b"),
	VALID("\x7f"),
	/* The first and the last of each length. */
	VALID("\xc2\x80"),
	VALID("\xdf\xbf"),
	VALID("\xe0\xa0\x80"),
	VALID("\xef\xbf\xbf"),
	VALID("\xf0\x90\x80\x80"),
	VALID("\xf4\x8f\xbf\xbf"),
	/* Both sides of the surrogates. */
	VALID("\xed\x9f\xbf"),
	VALID("\xee\x80\x80"),
	/* Noncharacters are characters here, and so is a byte order mark. */
	VALID("\xef\xbf\xbe"),
	VALID("\xef\xbb\xbf"),
	VALID("h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80!"),
	VALID("1234567\xc3\xa9"),
	VALID("12345678\xc3\xa9"
	      "12345678"),

	/* A byte that begins nothing. */
	CASE("\x80", R, 0, 0),
	CASE("\xbf", R, 0, 0),
	CASE("a\x80"
	     "b",
	    "a" R "b", 1, 0),
	CASE("\x80\x81\x82", R R R, 0, 0),
	CASE("\xfe", R, 0, 0),
	CASE("\xff", R, 0, 0),
	CASE("\xf5\x80\x80\x80", R R R R, 0, 0),
	CASE("\xf8\x88\x80\x80\x80", R R R R R, 0, 0),
	CASE("1234567\xff", "1234567" R, 7, 0),
	CASE("12345678\xff", "12345678" R, 8, 0),
	CASE("123456789\xff", "123456789" R, 9, 0),
	/* Overlong forms. */
	CASE("\xc0\x80", R R, 0, 0),
	CASE("\xc1\xbf", R R, 0, 0),
	CASE("\xc0\xaf", R R, 0, 0),
	CASE("\xe0\x80\x80", R R R, 0, 0),
	CASE("\xe0\x9f\xbf", R R R, 0, 0),
	CASE("\xf0\x80\x80\x80", R R R R, 0, 0),
	CASE("\xf0\x8f\xbf\xbf", R R R R, 0, 0),
	/* Surrogates. */
	CASE("\xed\xa0\x80", R R R, 0, 0),
	CASE("\xed\xbf\xbf", R R R, 0, 0),
	CASE("\xed\xa0\xbd\xed\xb8\x80", R R R R R R, 0, 0),
	/* Above U+10FFFF. */
	CASE("\xf4\x90\x80\x80", R R R R, 0, 0),
	CASE("\xf7\xbf\xbf\xbf", R R R R, 0, 0),
	/* Cut: one U+FFFD for all that could have become a character. */
	CASE("\xc2", R, 0, 1),
	CASE("\xe2\x82", R, 0, 2),
	CASE("\xf0\x9f\x98", R, 0, 3),
	CASE("ab\xf0\x9f", "ab" R, 2, 2),
	CASE("\xf4", R, 0, 1),
	CASE("\xed", R, 0, 1),
	CASE("\xed\x9f", R, 0, 2),
	CASE("\xc2"
	     "a",
	    R "a", 0, 0),
	CASE("\xe2\x82"
	     "a",
	    R "a", 0, 0),
	CASE("\xf0\x9f\x98"
	     "a",
	    R "a", 0, 0),
	CASE("\xe2\xe2\x82\xac", R "\xe2\x82\xac", 0, 0),
	CASE("\xc3\xa9\xc3", "\xc3\xa9" R, 2, 1),
	/* Nothing could complete these. */
	CASE("\xed\xa0", R R, 0, 0),
	CASE("\xe0\x80", R R, 0, 0),
	CASE("\xf4\x90", R R, 0, 0),
	CASE("\xf0\x9f\x98\x80\x80", "\xf0\x9f\x98\x80" R, 4, 0),
	/* The sample of the Unicode standard, section 3.9. */
	CASE("\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64",
	    "a" R R R "b" R "c" R R "d", 1, 0),
};

UNIT_TESTS(repair_and_valid, UNIT_COUNT(utf8_cases))
{
	const struct utf8_case *c = &utf8_cases[_i];
	auto_free char *in = mem_resize(NULL, c->in_len);
	auto_free char *out = mem_resize(NULL, UTF8_REPAIR_FACTOR * c->in_len);
	size_t len;

	/* Exact copies: a byte too far is seen by ASan and valgrind. */
	memcpy(in, c->in, c->in_len);
	len = utf8_repair(in, c->in_len, out);
	ck_assert_uint_eq(len, c->out_len);
	ck_assert_mem_eq(out, c->out, len);
	ck_assert_uint_eq(utf8_valid_prefix(in, c->in_len), c->valid);
	ck_assert_int_eq(utf8_valid(in, c->in_len), c->valid == c->in_len);
	ck_assert_uint_eq(utf8_incomplete_tail(in, c->in_len), c->cut);
}

UNIT_TEST(nothing_at_all)
{
	char out[1];

	ck_assert_int_eq(utf8_valid(NULL, 0), 1);
	ck_assert_uint_eq(utf8_repair(NULL, 0, out), 0);
	ck_assert_uint_eq(utf8_incomplete_tail(NULL, 0), 0);
}

static const struct {
	const char *data;
	size_t most, kept;
} cuts[] = {
	{ "", 0, 0 },
	{ "", 5, 0 },
	{ "abc", 3, 3 },
	{ "abc", 4, 3 },
	{ "abc", 2, 2 },
	{ "abc", 0, 0 },
	{ "a\xc3\xa4", 3, 3 },
	{ "a\xc3\xa4", 2, 1 },
	{ "\xf0\x9f\x98\x80", 4, 4 },
	{ "\xf0\x9f\x98\x80", 3, 0 },
	{ "\xf0\x9f\x98\x80", 1, 0 },
	/* One that the data themselves do not complete. */
	{ "a\xe2\x82", 9, 1 },
	/* What can become no character is not cut off. */
	{ "a\xff", 9, 2 },
	{ "a\x80\x80", 2, 2 },
};

UNIT_TESTS(cuts_between_characters, UNIT_COUNT(cuts))
{
	ck_assert_uint_eq(utf8_cut(cuts[_i].data, strlen(cuts[_i].data),
	                      cuts[_i].most), cuts[_i].kept);
}

/* Writes a code point in the form of so many bytes, however wrong that is. */
static void
encode(unsigned int code, size_t len, char *out)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n;

	for (n = len - 1; n > 0; n--) {
		out[n] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(lead[len] | code);
}

/* Whether RFC 3629 has this code point in this length. */
static int
is_form(unsigned int code, size_t len)
{
	static const unsigned int first[] = { 0, 0, 0x80, 0x800, 0x10000,
		0x110000 };

	return code >= first[len] && code < first[len + 1] &&
	    !(code >= 0xd800 && code <= 0xdfff);
}

/* Every code point in every length of two to four bytes that can hold it. */
UNIT_TESTS(every_code_point, 3)
{
	static const unsigned int ends[] = { 0, 0, 0x800, 0x10000, 0x200000 };
	unsigned int code, wrong = 0;
	size_t len = (size_t)_i + 2;
	char text[4];

	for (code = 0; code < ends[len]; code++) {
		encode(code, len, text);
		if (utf8_valid(text, len) != is_form(code, len) && wrong == 0)
			wrong = code + 1;
	}
	ck_assert_msg(wrong == 0, "U+%04X in %zu bytes", wrong - 1, len);
}

/* Characters that a terminal obeys or that are invisible; their neighbours. */
UNIT_TEST(what_is_not_seen)
{
	static const struct {
		const char *text, *shown; /* NULL: as it is */
	} rows[] = {
		{ "a", NULL }, { " ", NULL }, { "\x1f", "\\x1f" },
		{ "\n", "\\x0a" }, { "~", NULL }, { "\x7f", "\\x7f" },
		{ "\xc2\x80", "\\u0080" }, { "\xc2\x9f", "\\u009f" },
		{ "\xc2\xa0", NULL }, { "\xc2\xad", "\\u00ad" },
		{ "\xd8\x9c", "\\u061c" }, { "\xe2\x80\x8a", NULL },
		{ "\xe2\x80\x8b", "\\u200b" }, { "\xe2\x80\x8d", "\\u200d" },
		{ "\xe2\x80\x8f", "\\u200f" }, { "\xe2\x80\x90", NULL },
		{ "\xe2\x80\xa7", NULL }, { "\xe2\x80\xa8", "\\u2028" },
		{ "\xe2\x80\xae", "\\u202e" }, { "\xe2\x80\xaf", NULL },
		{ "\xe2\x81\xa0", "\\u2060" }, { "\xe2\x81\xa9", "\\u2069" },
		{ "\xe2\x81\xb0", NULL }, { "\xef\xb8\x8d", "\\ufe0d" },
		{ "\xef\xb8\x8f", NULL }, { "\xef\xbb\xbf", "\\ufeff" },
		{ "\xef\xbf\xbd", NULL }, { "\xf0\x9f\x98\x80", NULL },
		{ "\xf3\xa0\x80\x80", "\\U000e0000" },
		{ "\xf3\xa0\xbf\xbf", "\\U000e0fff" },
		{ "\xf3\xa1\x80\x80", NULL }, { "\xff", NULL },
		{ "\xe2\x80", NULL },
	};
	char shown[UTF8_ESCAPE_SIZE];
	size_t n, len, size;
	unsigned int code;

	for (n = 0; n < UNIT_COUNT(rows); n++) {
		len = strlen(rows[n].text);
		size = utf8_unseen(rows[n].text, len, &code);
		ck_assert_uint_eq(size, rows[n].shown == NULL ? 0 : len);
		if (size == 0)
			continue;
		utf8_escape(code, shown);
		ck_assert_str_eq(shown, rows[n].shown);
	}
	ck_assert_uint_eq(utf8_unseen("\0", 1, &code), 1);
	ck_assert_uint_eq(code, 0);
	ck_assert_uint_eq(utf8_unseen("\xe2\x80\xae" "a", 4, &code), 3);
	ck_assert_uint_eq(utf8_unseen("\xe2\x80\xae", 2, &code), 0);
}
