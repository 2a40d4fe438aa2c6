/*
 * Tests of common/box_step: every step of building a box has its sentences,
 * and a number that comes from a box is checked.
 */
#include <limits.h>
#include <string.h>

#include "common/box_step.h"
#include "common/ipc/ipc.h"
#include "tests/unit/unit.h"

UNIT_TESTS(rows_are_complete, BOX_STEPS)
{
	const struct box_step_info *info = box_step_info((unsigned long)_i);

	ck_assert_ptr_nonnull(info);
	ck_assert_str_ne(info->what, "");
	ck_assert_str_ne(info->fix, "");
	/* They stand inside of sentences. */
	ck_assert_int_ne(info->what[strlen(info->what) - 1], '.');
	ck_assert_int_ne(info->fix[strlen(info->fix) - 1], '.');
}

UNIT_TESTS(rows_differ, BOX_STEPS)
{
	int n;

	for (n = 0; n < _i; n++)
		ck_assert_str_ne(box_step_info((unsigned long)n)->what,
		    box_step_info((unsigned long)_i)->what);
}

UNIT_TEST(other_numbers_are_none)
{
	ck_assert_ptr_null(box_step_info(BOX_STEPS));
	ck_assert_ptr_null(box_step_info(BOX_STEPS + 1));
	ck_assert_ptr_null(box_step_info(ULONG_MAX));
}

/* The message that names a step can carry every one of them. */
UNIT_TEST(fits_its_message)
{
	const struct ipc_field *field = ipc_fields(ipc_message(IPC_FAILED));

	while (field->name[0] != '\0' && strcmp(field->name, "step") != 0)
		field++;
	ck_assert_ptr_nonnull(field->name);
	ck_assert_uint_le(field->least, 0);
	ck_assert_uint_ge(field->most, BOX_STEPS - 1);
}
