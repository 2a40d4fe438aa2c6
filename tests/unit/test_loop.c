/*
 * Tests of common/loop: a loop waits for pipes, and, when asked to, also for
 * regular files, as in "caisson < file".
 */
#include <stdio.h>
#include <unistd.h>

#include "common/loop.h"
#include "unit.h"

static void
count(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	++*(int *)ctx;
}

/* Waits for what is readable at once. Returns the number of events. */
static int
wait_for(struct event_base *base, int fd)
{
	int told = 0;
	struct event *readable = event_new(base, fd, EV_READ, count, &told);

	ck_assert_ptr_nonnull(readable);
	ck_assert_int_eq(event_add(readable, NULL), 0);
	event_base_dispatch(base); /* returns when nothing is waited for */
	loop_event_free(&readable);
	ck_assert_ptr_null(readable);
	loop_event_free(&readable);
	return told;
}

START_TEST(waits_for_a_pipe)
{
	struct event_base *base = loop_new(_i);
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(wait_for(base, fds[0]), 1);
	close(fds[1]);
	ck_assert_int_eq(wait_for(base, fds[0]), 1);
	close(fds[0]);
	event_base_free(base);
}
END_TEST

START_TEST(waits_for_a_file)
{
	struct event_base *base = loop_new(1);
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(wait_for(base, fileno(file)), 1);
	fclose(file);
	event_base_free(base);
}
END_TEST

START_TEST(leaves_nothing_open)
{
	struct event_base *base;
	int before = unit_open_fds();

	base = loop_new(_i);
	event_base_free(base);
	ck_assert_int_eq(unit_open_fds(), before);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, waits_for_a_pipe, 0, 2);
	tcase_add_test(tc, waits_for_a_file);
	tcase_add_loop_test(tc, leaves_nothing_open, 0, 2);
}

int
main(void)
{
	return unit_run("loop", add_tests);
}
