/*
 * Tests of common/mem: copies end in NUL, new memory is zero, hand-overs
 * leave nothing behind, and no memory ends the process with status 70.
 */
#include <stdint.h>
#include <string.h>

#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

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
	tcase_add_test(tc, hands_over);
	tcase_add_loop_exit_test(
	    tc, no_memory_is_fatal, FATAL_EXIT_STATUS, 0, 3);
}

int
main(void)
{
	return unit_run("mem", add);
}
