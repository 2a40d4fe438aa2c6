/*
 * Tests of common/mem: copies end in NUL, new memory is zero, hand-overs
 * leave nothing behind, and no memory ends the process with status 70.
 */
#include <stdint.h>
#include <string.h>

#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

START_TEST(allocates_zeroes)
{
	auto_free unsigned char *p = mem_alloc(1000);
	auto_free char *none = mem_alloc(0);
	size_t n;

	for (n = 0; n < 1000 && p[n] == 0; n++)
		;
	ck_assert_uint_eq(n, 1000);
	ck_assert_ptr_nonnull(none);
	none[0] = 'x'; /* at least one byte: ASan would see */
}
END_TEST

START_TEST(resizes)
{
	auto_free char *p = mem_resize(NULL, 4);

	memcpy(p, "abc", 4);
	p = mem_resize(p, 100000);
	ck_assert_str_eq(p, "abc");
	p = mem_resize(p, 2);
	ck_assert_int_eq(p[1], 'b');
	p = mem_resize(p, 0);
	ck_assert_ptr_nonnull(p);
}
END_TEST

START_TEST(copies)
{
	auto_free char *p = mem_dup("a\0b", 3);
	auto_free char *none = mem_dup(NULL, 0);
	auto_free char *s = mem_strdup("text");

	ck_assert_mem_eq(p, "a\0b\0", 4);
	ck_assert_str_eq(none, "");
	ck_assert_str_eq(s, "text");
	ck_assert_ptr_null(mem_strdup(NULL));
}
END_TEST

START_TEST(formats)
{
	auto_free char *p = mem_printf("%d %s", 7, "eight");
	auto_free char *wide = mem_printf("%5000d", 1);

	ck_assert_str_eq(p, "7 eight");
	ck_assert_uint_eq(strlen(wide), 5000);
}
END_TEST

/* What is not handed over is freed: LeakSanitizer and valgrind would tell. */
START_TEST(hands_over)
{
	char *kept = NULL;

	{
		auto_free char *p = mem_strdup("kept");
		auto_free char *freed = mem_strdup("freed");

		kept = mem_take(&p);
		ck_assert_ptr_null(p);
		ck_assert_ptr_nonnull(freed);
		ck_assert_ptr_null(mem_take(&p));
	}
	ck_assert_str_eq(kept, "kept");
	mem_auto_free(&kept);
}
END_TEST

/* Not a constant, or the compiler would refuse to build this. */
static volatile size_t too_much = SIZE_MAX / 2;

START_TEST(no_memory_is_fatal)
{
	/* The exit status is the test; ASan would abort instead. */
	if (UNIT_ASAN) {
		unit_skip("ASan aborts where malloc fails");
		exit(FATAL_EXIT_STATUS);
	}
	if (_i == 0)
		mem_alloc(too_much);
	if (_i == 1)
		mem_resize(NULL, too_much);
	if (_i == 2)
		mem_dup("", too_much);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, allocates_zeroes);
	tcase_add_test(tc, resizes);
	tcase_add_test(tc, copies);
	tcase_add_test(tc, formats);
	tcase_add_test(tc, hands_over);
	tcase_add_loop_exit_test(
	    tc, no_memory_is_fatal, FATAL_EXIT_STATUS, 0, 3);
}

int
main(void)
{
	return unit_run("mem", add);
}
