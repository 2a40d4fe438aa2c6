/*
 * Tests of common/base/err: the text and the code of an error, and that nothing
 * runs over, however long it gets.
 */
#include <errno.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/utf8.h"
#include "tests/unit/unit.h"

UNIT_TEST(names_what_the_system_says)
{
	struct err err = { 0 };

	errno = ENOENT;
	ck_assert_int_eq(err_sys(&err, "open %s", "/a/b"), -1);
	ck_assert_str_eq(err.text, "open /a/b: No such file or directory");
	ck_assert_int_eq(err.code, ENOENT);
}

/* Errors end up in JSON and in messages: UTF-8, whatever was put in. */
UNIT_TEST(is_utf8_whatever_is_put_in)
{
	struct err err;
	char text[2 * ERR_TEXT_SIZE];
	size_t before;

	err_set(&err, "open %s", "/a/\xff\xfe/\xc3\xa4");
	ck_assert_str_eq(err.text, "open /a/?\?/?\?");
	err_set(&err, "open %s", "/\xc3\xa4");
	ck_assert_str_eq(err.text, "open /\xc3\xa4");
	/* Cut at every byte of a character of three bytes. */
	for (before = 0; before < 3; before++) {
		memset(text, 'x', sizeof(text));
		for (size_t i = before; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 3);
		text[sizeof(text) - 1] = '\0';
		err_set(&err, "%s", text);
		ck_assert_int_eq(utf8_valid(err.text, strlen(err.text)), 1);
		ck_assert_uint_ge(strlen(err.text), ERR_TEXT_SIZE - 3);
		err_wrap(&err, "where");
		ck_assert_int_eq(utf8_valid(err.text, strlen(err.text)), 1);
	}
}
