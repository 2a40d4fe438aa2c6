/*
 * Tests of common/fd: descriptors close once, are handed over visibly, and
 * a write is whole however the pipe takes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

static int
is_open(int fd)
{
	return fcntl(fd, F_GETFD) != -1;
}

START_TEST(closes)
{
	int fd = dup(0), number = fd;

	ck_assert_int_ge(fd, 0);
	errno = EXDEV;
	fd_close(&fd);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_int_eq(fd, -1);
	ck_assert(!is_open(number));
	fd_close(&fd);
	ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(closes_at_the_end_of_the_scope)
{
	int number = -1;

	{
		auto_fd int fd = dup(0);
		auto_fd int none = -1;

		number = fd;
		ck_assert_int_eq(none, -1);
		ck_assert(is_open(number));
	}
	ck_assert(!is_open(number));
}
END_TEST

START_TEST(hands_over)
{
	int taken = -1;

	{
		auto_fd int fd = dup(0);

		taken = fd_take(&fd);
		ck_assert_int_eq(fd, -1);
		ck_assert_int_eq(fd_take(&fd), -1);
	}
	ck_assert(is_open(taken));
	close(taken);
}
END_TEST

/* A new one, of each kind that is made: nothing else of it changes. */
START_TEST(begins_nonblock)
{
	struct err err;
	int fds[2], before, end;

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	for (end = 0; end < 2; end++) {
		before = fcntl(fds[end], F_GETFL);
		ck_assert_int_eq(fd_begin_nonblock(fds[end], &err), 0);
		ck_assert_int_eq(
		    fcntl(fds[end], F_GETFL), before | O_NONBLOCK);
		ck_assert_int_eq(fcntl(fds[end], F_GETFD), FD_CLOEXEC);
		close(fds[end]);
	}
	ck_assert_int_eq(fd_begin_nonblock(fds[0], &err), -1);
}
END_TEST

START_TEST(sets_nonblock)
{
	struct err err;
	int fds[2], before;

	ck_assert_int_eq(pipe(fds), 0);
	before = fcntl(fds[1], F_GETFL);
	ck_assert_int_eq(fd_set_nonblock(fds[1], 1, &err), 0);
	ck_assert_int_eq(fcntl(fds[1], F_GETFL), before | O_NONBLOCK);
	ck_assert_int_eq(fd_set_nonblock(fds[1], 1, &err), 0);
	ck_assert_int_eq(fd_set_nonblock(fds[1], 0, &err), 0);
	ck_assert_int_eq(fcntl(fds[1], F_GETFL), before);
	close(fds[0]);
	close(fds[1]);
	ck_assert_int_eq(fd_set_nonblock(fds[1], 1, &err), -1);
	ck_assert_int_eq(err.code, EBADF);
}
END_TEST

/* More than a pipe holds: the reader has to take it while it is written. */
START_TEST(writes_all)
{
	size_t len = 5 * PIPE_CHUNK + 123, got = 0;
	auto_free char *data = mem_alloc(len);
	auto_free char *back = mem_alloc(len + 1);
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	memset(data, 'x', len);
	data[0] = 'a';
	data[len - 1] = 'z';
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		close(fds[0]);
		_exit(fd_write_all(fds[1], data, len) == 0 ? 0 : 1);
	}
	close(fds[1]);
	while ((n = read(fds[0], back + got, len + 1 - got)) > 0)
		got += (size_t)n;
	ck_assert_uint_eq(got, len);
	ck_assert_mem_eq(back, data, len);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(fds[0]);
}
END_TEST

START_TEST(writes_nothing)
{
	ck_assert_int_eq(fd_write_all(-1, "", 0), 0);
}
END_TEST

START_TEST(write_fails)
{
	int fds[2];

	ck_assert_int_eq(fd_write_all(-1, "x", 1), -1);
	ck_assert_int_eq(errno, EBADF);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	ck_assert_int_eq(fd_write_all(fds[1], "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	close(fds[1]);
}
END_TEST

static void
interrupt(int number)
{
	(void)number;
}

/* Whether a process sleeps in a system call, as a write to a full pipe does. */
static int
is_asleep(pid_t pid)
{
	auto_free char *path = mem_printf("/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "r");
	char state = 0;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'S';
}

/* Waits until the write waits, and interrupts it. */
static void
disturb(pid_t pid)
{
	int n;

	for (n = 0; n < 10; n++) {
		while (!is_asleep(pid))
			sched_yield();
		ck_assert_int_eq(kill(pid, SIGUSR1), 0);
	}
}

/* Signals in the middle of a write that waits lose and repeat nothing. */
START_TEST(write_goes_on_after_signals)
{
	struct sigaction action = { .sa_handler = interrupt };
	size_t len = 3 * PIPE_CHUNK, got = 0;
	auto_free char *data = mem_alloc(len);
	auto_free char *back = mem_alloc(len + 1);
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		close(fds[0]);
		_exit(fd_write_all(fds[1], data, len) == 0 ? 0 : 1);
	}
	close(fds[1]);
	/* First nothing was read, then the pipe was made room in once. */
	disturb(pid);
	got += (size_t)read(fds[0], back, PIPE_CHUNK / 2);
	disturb(pid);
	while ((n = read(fds[0], back + got, len + 1 - got)) > 0)
		got += (size_t)n;
	ck_assert_uint_eq(got, len);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(fds[0]);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, closes);
	tcase_add_test(tc, closes_at_the_end_of_the_scope);
	tcase_add_test(tc, hands_over);
	tcase_add_test(tc, begins_nonblock);
	tcase_add_test(tc, sets_nonblock);
	tcase_add_test(tc, writes_all);
	tcase_add_test(tc, writes_nothing);
	tcase_add_test(tc, write_fails);
	tcase_add_test(tc, write_goes_on_after_signals);
}

int
main(void)
{
	return unit_run("fd", add);
}
