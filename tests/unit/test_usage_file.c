/*
 * Tests of supervisor/box/native/usage_file: a usage file is used for another
 * box only when no process can write to it any more, and counts of that box are
 * not those of the next.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/box_usage.h"
#include "common/base/loop.h"
#include "supervisor/box/native/native.h"
#include "supervisor/process/process.h"
#include "unit.h"

static struct event_base *base;
static int fds;

static void
enter(void)
{
	base = loop_new(0);
	reaper_init(base);
	fds = unit_open_fds();
}

static void
leave(void)
{
	usage_file_finish();
	ck_assert_int_eq(unit_open_fds(), fds);
	reaper_finish(1);
	event_base_free(base);
}

static struct usage_file *
take(unsigned long box)
{
	struct err err;
	struct usage_file *file = usage_file_take(base, box, &err);

	ck_assert_msg(file != NULL, "%s", err.text);
	return file;
}

/* A process of a box, which has the file until it is killed. */
static struct child *
begin_process(struct usage_file *file)
{
	struct child *child;
	pid_t pid = fork();
	int pidfd;

	if (pid == 0)
		for (;;)
			pause();
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	ck_assert_int_ge(pidfd, 0);
	child = reaper_watch(base, &pidfd, NULL, NULL);
	usage_file_share(file, child);
	return child;
}

static void
end_process(struct child **child)
{
	siginfo_t si;

	reaper_forget(child);
	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    si.si_pid == 0)
		;
	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    si.si_pid != 0)
		event_base_loop(base, EVLOOP_ONCE);
}

static void
say(const struct usage_file *file, uint64_t box, uint64_t cpu_us)
{
	const struct box_usage usage = { .box = box, .cpu_us = cpu_us };

	ck_assert_int_eq(
	    pwrite(usage_file_fd(file), &usage, sizeof(usage), 0),
	    (ssize_t)sizeof(usage));
}

UNIT_TEST(counts_of_another_box_are_not_read)
{
	struct usage_file *other = take(6), *file = take(7);
	struct box_usage usage;
	int fd = usage_file_fd(file);

	ck_assert_int_eq(usage_file_read(file, &usage), -1);
	say(file, 7, 1234);
	ck_assert_int_eq(usage_file_read(file, &usage), 0);
	ck_assert_uint_eq(usage.cpu_us, 1234);
	usage_file_complete(file);
	usage_file_release(&file);
	ck_assert_ptr_null(file);
	usage_file_release(&file); /* NULL is accepted */
	file = take(8);
	ck_assert_int_eq(usage_file_fd(file), fd);
	ck_assert_int_eq(usage_file_read(file, &usage), -1);
	say(file, 8, 1);
	ck_assert_int_eq(usage_file_read(file, &usage), 0);
	ck_assert_uint_eq(usage.cpu_us, 1);
	usage_file_release(&file);
	usage_file_release(&other);
}

UNIT_TEST(a_file_is_not_spare_while_a_process_has_it)
{
	struct usage_file *first = take(1), *other;
	struct child *one = begin_process(first);
	int fd = usage_file_fd(first);

	usage_file_complete(first);
	usage_file_release(&first);
	other = take(2);
	ck_assert_int_ne(usage_file_fd(other), fd);
	end_process(&one);
	first = take(3);
	ck_assert_int_eq(usage_file_fd(first), fd);
	usage_file_release(&first);
	usage_file_release(&other);
}

/* The launcher of a box that was not built may have left other processes. */
UNIT_TEST(a_file_that_others_may_have_is_closed)
{
	struct usage_file *file = take(1);
	struct child *one = begin_process(file);

	usage_file_release(&file);
	ck_assert_int_gt(unit_open_fds(), fds);
	end_process(&one);
	ck_assert_int_eq(unit_open_fds(), fds);
}

UNIT_TEST(only_some_are_kept)
{
	struct usage_file *all[USAGE_FILES_SPARE_MAX + 1], *last;
	size_t i;

	for (i = 0; i < UNIT_COUNT(all); i++)
		usage_file_complete(all[i] = take(i + 1));
	last = take(i + 1);
	for (i = 0; i < UNIT_COUNT(all); i++)
		usage_file_release(&all[i]);
	ck_assert_int_eq(unit_open_fds(), fds + USAGE_FILES_SPARE_MAX + 1);
	/* Without boxes there are none. */
	usage_file_release(&last);
	ck_assert_int_eq(unit_open_fds(), fds);
}

UNIT_TEST(those_that_are_not_needed_are_closed)
{
	struct usage_file *one = take(1), *other = take(2), *last = take(3);

	usage_file_complete(one);
	usage_file_complete(other);
	usage_file_release(&one);
	usage_file_release(&other);
	ck_assert_int_eq(unit_open_fds(), fds + 3);
	while (unit_open_fds() > fds + 1)
		event_base_loop(base, EVLOOP_ONCE);
	usage_file_release(&last);
}

UNIT_FIXTURE(enter, leave)
