/*
 * Tests of common/base/fd: descriptors close once, are handed over visibly, and
 * a write is whole however the pipe takes it, as is a reading.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

static int
is_open(int fd)
{
	return fcntl(fd, F_GETFD) != -1;
}

UNIT_TEST(hands_over)
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

/* More than a pipe holds: the reader has to take it while it is written. */
UNIT_TEST(writes_all)
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

UNIT_TEST(writes_nothing)
{
	ck_assert_int_eq(fd_write_all(-1, "", 0), 0);
}

UNIT_TEST(write_fails)
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

/* From where it stands or from an offset; what is more than most is told. */
UNIT_TEST(reads_all)
{
	auto_buffer struct buffer whole = { 0 }, rest = { 0 }, most = { 0 };
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fd_write_all(fileno(file), "abc", 3), 0);
	ck_assert_int_eq(fd_read_all(fileno(file), 1, 2, &rest), 0);
	ck_assert_str_eq(rest.data, "bc");
	rewind(file);
	ck_assert_int_eq(fd_read_all(fileno(file), 0, 2, &most), -1);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(fd_read_all(fileno(file), FD_READ_ON, 3, &whole), 0);
	ck_assert_str_eq(whole.data, "abc");
	fclose(file);
	ck_assert_int_eq(fd_read_all(-1, FD_READ_ON, 3, &whole), -1);
	ck_assert_int_eq(errno, EBADF);
}
