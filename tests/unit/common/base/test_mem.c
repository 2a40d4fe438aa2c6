/*
 * Tests of common/base/mem: copies end in NUL, new memory is zero, hand-overs
 * leave nothing behind, and no memory ends the process with status 70.
 */
#include <stdint.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

/* What is not handed over is freed: LeakSanitizer and valgrind would tell. */
UNIT_TEST(hands_over)
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

/* Not a constant, or the compiler would refuse to build this. */
static volatile size_t too_much = SIZE_MAX / 2;

UNIT_EXITS(no_memory_is_fatal, FATAL_EXIT_STATUS, 3)
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
