/*
 * Tests of worker/reader/jsonc: what becomes blank, what stays, and that every
 * byte keeps its place.
 */
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/reader/jsonc.h"

static const struct {
	const char *text;
	const char *blanked;
} good[] = {
	{ "", "" },
	{ "{}", "{}" },
	{ "\xef\xbb\xbf{}", "\r\r\r{}" },
	/* What took no column takes none afterwards. */
	{ "1/* \xc3\xa9\xff */2", "1    \r    2" },
	{ "{} \xef\xbb\xbf", "{} \xef\xbb\xbf" },
	{ "1 // x\n2", "1     \n2" },
	{ "1 // x\r\n2", "1     \r\n2" },
	{ "1 // x", "1     " },
	{ "//", "  " },
	{ "1/* x */2", "1       2" },
	{ "1/**/2", "1    2" },
	{ "1/***/2", "1     2" },
	{ "1/* x\ny */2", "1    \n    2" },
	{ "1/* // */2", "1        2" },
	{ "1// /*\n2", "1     \n2" },
	{ "1 / 2", "1 / 2" },
	{ "/", "/" },
	{ "\"// x\"", "\"// x\"" },
	{ "\"/* x */\"", "\"/* x */\"" },
	{ "\"\\\"// x\"", "\"\\\"// x\"" },
	{ "\"\\\\\"// x", "\"\\\\\"    " },
	{ "\"open // x", "\"open // x" },
	{ "\"open\\", "\"open\\" },
	{ "[1,]", "[1 ]" },
	{ "{\"a\":1,}", "{\"a\":1 }" },
	{ "[1 , ]", "[1   ]" },
	{ "[1,// x\n]", "[1     \n]" },
	{ "[1,/* x */]", "[1        ]" },
	{ "[[1,],]", "[[1 ] ]" },
	{ "[\"a,]\",]", "[\"a,]\" ]" },
	/* What no client accepts stays, for the scanner to refuse. */
	{ "[,]", "[,]" },
	{ "{,}", "{,}" },
	{ "[1,,]", "[1,,]" },
	{ "{\"a\":,}", "{\"a\":,}" },
	{ ",]", ",]" },
	{ "[1,2]", "[1,2]" },
};

UNIT_TESTS(blanks, UNIT_COUNT(good))
{
	auto_free char *text = mem_strdup(good[_i].text);
	struct err err;
	size_t at;

	ck_assert_int_eq(jsonc_blank(text, strlen(text), &at, &err), 0);
	ck_assert_str_eq(text, good[_i].blanked);
}

static const struct {
	const char *text;
	size_t at;
} endless[] = {
	{ "/*", 0 },
	{ "/*/", 0 },
	{ "1 /* x", 2 },
	{ "/* x */ /* y", 8 },
	{ "\"/*\" /* *", 5 },
};

UNIT_TESTS(comments_have_an_end, UNIT_COUNT(endless))
{
	auto_free char *text = mem_strdup(endless[_i].text);
	struct err err;
	size_t at;

	ck_assert_int_eq(jsonc_blank(text, strlen(text), &at, &err), -1);
	ck_assert_uint_eq(at, endless[_i].at);
	ck_assert_str_eq(err.text,
	    "a comment that begins with /* does not end: close it with */");
}

UNIT_TEST(nul_is_a_byte_like_others)
{
	char text[] = "\0 // x\0\n[1,\0]";
	struct err err;
	size_t at;

	ck_assert_int_eq(jsonc_blank(text, sizeof(text) - 1, &at, &err), 0);
	ck_assert_mem_eq(text, "\0      \n[1,\0]", sizeof(text));
}
