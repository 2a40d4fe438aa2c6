/*
 * Tests of supervisor/box/shared/progress: what a relay may tell of how far the
 * code is. Linked with that file alone.
 */
#include <string.h>

#include "common/base/clock.h"
#include "supervisor/box/shared/runtime.h"
#include "tests/unit/unit.h"

static struct box_progress progress;
static struct err err;

static int
add(uint64_t done)
{
	struct ipc_progress message = { .done = done, .total = 5,
		.text = "half" };

	return progress_add(&progress, &message, &err);
}

UNIT_TEST(is_taken)
{
	progress_begin(&progress, 1);
	ck_assert_int_eq(progress.fresh, 0);
	ck_assert_int_eq(add(0), 0);
	ck_assert_int_eq(progress.fresh, 1);
	ck_assert_uint_eq(progress.done, 0);
	ck_assert_uint_eq(progress.total, 5);
	ck_assert_str_eq(progress.text, "half");
	ck_assert_int_eq(add(7), 0);
	ck_assert_uint_eq(progress.done, 7);
}

UNIT_TEST(is_asked_for)
{
	progress_begin(&progress, 0);
	ck_assert_int_eq(add(1), -1);
	ck_assert_str_eq(err.text, "progress that was not asked for");
}

UNIT_EACH(increases, 2)
{
	progress_begin(&progress, 1);
	ck_assert_int_eq(add(5), 0);
	ck_assert_int_eq(add(5 - (uint64_t)_i), -1);
	ck_assert_str_eq(err.text, "malformed progress");
}

/* As often as there was time for it since it was asked for. */
UNIT_TEST(comes_seldom)
{
	uint64_t n;

	progress_begin(&progress, 1);
	progress.since_ms -= 10 * PROGRESS_MS;
	for (n = 0; n < 12 + PROGRESS_SPARE; n++)
		ck_assert_int_eq(add(n), 0);
	progress.since_ms = clock_ms() - 10 * PROGRESS_MS;
	ck_assert_int_eq(add(n), -1);
	ck_assert_str_eq(err.text, "progress too often");
}

static int
add_output(const char *text)
{
	struct ipc_preview message = { .text = { (const uint8_t *)text,
		strlen(text) } };

	return progress_add_preview(&progress, &message, &err);
}

/* The output, until the code itself reports. */
UNIT_TEST(has_output_first)
{
	progress_begin(&progress, 1);
	ck_assert_int_eq(add_output("one"), 0);
	ck_assert_int_eq(progress.fresh, 1);
	ck_assert_uint_eq(progress.output_len, 3);
	ck_assert_mem_eq(progress.output, "one", 3);
	progress.since_ms -= PREVIEW_MS;
	ck_assert_int_eq(add_output("one two"), 0);
	ck_assert_mem_eq(progress.output, "one two", 7);
	ck_assert_int_eq(add(0), 0);
	ck_assert_ptr_null(progress.output);
	progress.since_ms -= PREVIEW_MS;
	ck_assert_int_eq(add_output("one two"), -1);
	progress_reset(&progress);
}

UNIT_EACH(refuses_output, 3)
{
	static const char *const whys[] = { "output that was not asked for",
		"output too often", "output that is not UTF-8" };

	progress_begin(&progress, _i > 0);
	if (_i == 1)
		progress.outputs = 1;
	ck_assert_int_eq(add_output(_i == 2 ? "\xff" : "x"), -1);
	ck_assert_str_eq(err.text, whys[_i]);
	progress_reset(&progress);
}
