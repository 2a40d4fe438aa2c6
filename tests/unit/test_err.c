/*
 * Tests of common/err: the text and the code of an error, and that nothing
 * runs over, however long it gets.
 */
#include <errno.h>
#include <string.h>

#include "common/err.h"
#include "common/utf8.h"
#include "unit.h"

START_TEST(sets)
{
	struct err err = { .code = 99 };

	ck_assert_int_eq(
	    err_set(&err, "%s is %d, not 1 to %u", "age", 0, 9U), -1);
	ck_assert_str_eq(err.text, "age is 0, not 1 to 9");
	ck_assert_int_eq(err.code, 0);
}
END_TEST

START_TEST(names_what_the_system_says)
{
	struct err err = { 0 };

	errno = ENOENT;
	ck_assert_int_eq(err_sys(&err, "open %s", "/a/b"), -1);
	ck_assert_str_eq(err.text, "open /a/b: No such file or directory");
	ck_assert_int_eq(err.code, ENOENT);
}
END_TEST

START_TEST(wraps)
{
	struct err err = { 0 };

	errno = EACCES;
	err_sys(&err, "open %s", "x");
	ck_assert_int_eq(err_wrap(&err, "server '%s'", "gh"), -1);
	ck_assert_str_eq(err.text, "server 'gh': open x: Permission denied");
	ck_assert_int_eq(err.code, EACCES);
	err_wrap(&err, "start");
	ck_assert_str_eq(
	    err.text, "start: server 'gh': open x: Permission denied");
}
END_TEST

START_TEST(err_may_be_null)
{
	errno = EIO;
	ck_assert_int_eq(err_set(NULL, "x %d", 1), -1);
	ck_assert_int_eq(err_sys(NULL, "x %d", 1), -1);
	ck_assert_int_eq(err_wrap(NULL, "x %d", 1), -1);
}
END_TEST

START_TEST(is_cut_where_it_is_full)
{
	struct {
		struct err err;
		char behind[8];
	} s = { .behind = "behind" };
	char text[2 * ERR_TEXT_SIZE];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&s.err, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), ERR_TEXT_SIZE - 1);
	errno = EIO;
	err_sys(&s.err, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), ERR_TEXT_SIZE - 1);
	ck_assert_int_eq(s.err.code, EIO);
	/* Of a full text the front is what says where. */
	err_wrap(&s.err, "front");
	ck_assert_uint_eq(strlen(s.err.text), ERR_TEXT_SIZE - 1);
	ck_assert_int_eq(strncmp(s.err.text, "front: xxx", 10), 0);
	err_wrap(&s.err, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), ERR_TEXT_SIZE - 1);
	ck_assert_str_eq(s.behind, "behind");
}
END_TEST

/* Errors end up in JSON and in messages: UTF-8, whatever was put in. */
START_TEST(is_utf8_whatever_is_put_in)
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
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, is_utf8_whatever_is_put_in);
	tcase_add_test(tc, sets);
	tcase_add_test(tc, names_what_the_system_says);
	tcase_add_test(tc, wraps);
	tcase_add_test(tc, err_may_be_null);
	tcase_add_test(tc, is_cut_where_it_is_full);
}

int
main(void)
{
	return unit_run("err", add);
}
