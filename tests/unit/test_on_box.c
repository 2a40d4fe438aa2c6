/*
 * Tests of supervisor/on_box: what a box says while it is being built is
 * passed on, and a step that failed is told with its way out. The box is a
 * stand-in.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/box_step.h"
#include "common/fd.h"
#include "common/mem.h"
#include "supervisor/box/language.h"
#include "supervisor/box/native.h"
#include "common/buffer.h"
#include "supervisor/handlers.h"
#include "unit.h"

/* The box: records the messages that it gets. */
static struct options options;
static struct boxes boxes = { .options = &options };
static struct box box = { .boxes = &boxes };

static struct buffer told;

void
box_fail(struct box *failed, const char *fmt, ...)
{
	char text[ERR_TEXT_SIZE * 2];
	va_list ap;

	ck_assert_ptr_eq(failed, &box);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buffer_printf(&told, "fail: %s\n", text);
}

void
native_on_started(struct box *stands, struct ipc_started *started)
{
	ck_assert_ptr_eq(stands, &box);
	buffer_printf(&told, "started %d %d\n", fd_take(&started->init),
	    fd_take(&started->code));
}

void
native_on_guarded(
    struct box *guarded, int *guard, unsigned int landlock, char *weak)
{
	ck_assert_ptr_eq(guarded, &box);
	buffer_printf(
	    &told, "guarded %d %u %s\n", fd_take(guard), landlock, weak);
	free(weak);
}

START_TEST(passes_on_that_a_box_stands)
{
	struct ipc_started started = { .init = 40, .code = 41 };

	supervisor_on_started(&box, &started);
	ck_assert_str_eq(told.data, "started 40 41\n");
	ck_assert_int_eq(started.init, -1);
	ck_assert_int_eq(started.code, -1);
	buffer_reset(&told);
}
END_TEST

/* With the cause, which the answer names if less was allowed. */
START_TEST(passes_on_that_a_weaker_box_stands)
{
	static const struct {
		enum box_step step;
		const char *what;
		const char *fix;
	} steps[] = {
		{ BOX_STEP_USER_MAP, "map the user of the box", NULL },
		{ BOX_STEPS, "build the full one", "no fix is known" },
	};
	struct ipc_guarded guarded = { .landlock = 3,
		.step = steps[_i].step,
		.reason = "open: no",
		.guard = 40 };
	auto_free char *expected = mem_printf(
	    "guarded 40 3 could not %s (open: no); %s\n", steps[_i].what,
	    _i == 1 ? steps[1].fix : namespace_fix(steps[_i].step, "/proc"));

	supervisor_on_guarded(&box, &guarded);
	ck_assert_str_eq(told.data, expected);
	ck_assert_int_eq(guarded.guard, -1);
	buffer_reset(&told);
}
END_TEST

/* The setting for reduced isolation is named where it is off. */
START_TEST(reports_what_a_box_cannot_do)
{
	struct ipc_failed failed = { .step = BOX_STEP_USER_NAMESPACE,
		.reason = "unshare: Operation not permitted" };
	auto_free char *expected = mem_printf("fail: the box cannot be built: "
	    "could not create a user namespace (unshare: Operation not "
	    "permitted); %s%s\n", namespace_fix(failed.step, "/proc"),
	    _i == 1 ? "" : "; or allow reduced isolation: "
	        "CAISSON_ALLOW_WEAK_ISOLATION=on (see caisson-box(7))");

	options.allow_weak_isolation = (unsigned int)_i;
	supervisor_on_failed(&box, &failed);
	ck_assert_str_eq(told.data, expected);
	buffer_reset(&told);
}
END_TEST

/* Every step has room for the longest reason and a way out. */
START_TEST(reports_all_of_it)
{
	char reason[401];
	struct ipc_failed failed = { .step = (uint64_t)_i, .reason = reason };
	const char *fix = namespace_fix(failed.step, "/proc");

	box.language = language_default();
	if (_i == BOX_STEP_INTERPRETER)
		fix = box.language->fix;
	memset(reason, 'x', 400);
	reason[400] = '\0';
	supervisor_on_failed(&box, &failed);
	ck_assert_ptr_nonnull(strstr(told.data, reason));
	ck_assert_ptr_nonnull(strstr(told.data, fix));
	buffer_reset(&told);
}
END_TEST

/* A shell that is missing has nothing to do with Python. */
START_TEST(reports_which_interpreter_is_missing)
{
	struct ipc_failed failed = { .step = BOX_STEP_INTERPRETER,
		.reason = "none" };
	auto_free char *expected = NULL;

	box.language = language_at((size_t)_i);
	expected = mem_printf("fail: the box cannot be built: could not start "
	    "%s (none); %s\n", box.language->kind, box.language->fix);
	box.unrunnable = 0;
	supervisor_on_failed(&box, &failed);
	ck_assert_str_eq(told.data, expected);
	ck_assert_int_eq(box.unrunnable, 1);
	buffer_reset(&told);
}
END_TEST

START_TEST(reports_a_step_without_a_name)
{
	struct ipc_failed failed = { .step = BOX_STEPS, .reason = "why" };

	supervisor_on_failed(&box, &failed);
	ck_assert_str_eq(told.data, "fail: the box cannot be built: why\n");
	buffer_reset(&told);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, passes_on_that_a_box_stands);
	tcase_add_loop_test(tc, passes_on_that_a_weaker_box_stands, 0, 2);
	tcase_add_loop_test(tc, reports_what_a_box_cannot_do, 0, 2);
	tcase_add_loop_test(tc, reports_all_of_it, 0, BOX_STEPS);
	tcase_add_loop_test(tc, reports_which_interpreter_is_missing, 0, 2);
	tcase_add_test(tc, reports_a_step_without_a_name);
}

int
main(void)
{
	return unit_run("on_box", add_tests);
}
