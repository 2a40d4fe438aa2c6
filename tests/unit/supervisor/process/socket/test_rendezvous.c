/*
 * Tests of supervisor/process/socket/rendezvous: who meets whom in a directory,
 * what is removed there, and which users are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "supervisor/process/socket/socket.h"
#include "tests/unit/unit_folder.h"

static char name[RENDEZVOUS_NAME_SIZE + 1];
static int dir = -1;
static struct err err;
static pid_t pid;

static void
enter(void)
{
	auto_free char *deep = mem_alloc(201);

	memset(deep, 'x', 200);
	ck_assert_int_eq(chmod(folder, 0711), 0);
	ck_assert_int_eq(mkdir(deep, 0711), 0);
	dir = open(deep, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(dir, -1);
}

static void
leave(void)
{
	fd_close(&dir);
}

/* How many sockets are there. */
static size_t
count(void)
{
	auto_buffer struct buffer names = { 0 };

	ck_assert_int_eq(rendezvous_names(dir, &names, &err), 0);
	return text_list_count(names.data, names.len);
}

static int
serve(void)
{
	int fd = rendezvous_open(dir, name, &err);

	ck_assert_msg(fd != -1, "%s", err.text);
	return fd;
}

UNIT_TEST(they_meet)
{
	auto_fd int one = serve();
	char first[sizeof(name)];
	auto_fd int ours = -1;
	auto_fd int theirs = -1;
	struct stat st;
	char byte;

	memcpy(first, name, sizeof(name));
	ck_assert_int_eq(fstatat(dir, name, &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	{
		auto_fd int other = serve();

		ck_assert_str_ne(name, first);
		ck_assert_uint_eq(count(), 2);
		rendezvous_close(dir, name, &other);
		ck_assert_int_eq(other, -1);
		rendezvous_close(dir, name, &other);
	}
	ck_assert_uint_eq(count(), 1);
	ck_assert_int_eq(rendezvous_accept(one, &err), -1);
	ck_assert_int_eq(err.code, EAGAIN);
	theirs = rendezvous_connect(dir, first, 10000, &pid, &err);
	ck_assert_msg(theirs != -1, "%s", err.text);
	ck_assert_int_eq(pid, getpid());
	ours = rendezvous_accept(one, &err);
	ck_assert_msg(ours != -1, "%s", err.text);
	ck_assert_int_ne(fcntl(ours, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(ours, F_GETFD) & FD_CLOEXEC, 0);
	ck_assert_int_eq(send(ours, "x", 1, 0), 1);
	ck_assert_int_eq(recv(theirs, &byte, 1, 0), 1);
	rendezvous_close(dir, first, &one);
	ck_assert_uint_eq(count(), 0);
	ck_assert_int_eq(rendezvous_connect(dir, first, 10000, &pid, &err), -1);
	ck_assert_int_eq(err.code, ENOENT);
}

/* Neither waits for a program that does not go on. */
UNIT_TEST(neither_side_waits_for_ever)
{
	auto_fd int one = serve();
	int fds[RENDEZVOUS_QUEUE + 2];
	char byte;
	size_t n;

	for (n = 0; n < sizeof(fds) / sizeof(fds[0]); n++) {
		fds[n] = rendezvous_connect(dir, name, 20, &pid, &err);
		if (fds[n] == -1)
			break;
	}
	ck_assert_uint_gt(n, RENDEZVOUS_QUEUE - 1);
	ck_assert_uint_lt(n, sizeof(fds) / sizeof(fds[0]));
	ck_assert_int_eq(err.code, EAGAIN);
	ck_assert_int_eq(recv(fds[0], &byte, 1, 0), -1);
	ck_assert_int_eq(errno, EAGAIN);
	/* It is busy, and not gone. */
	rendezvous_sweep(dir);
	ck_assert_uint_eq(count(), 1);
	while (n > 0)
		close(fds[--n]);
	ck_assert_int_eq(fcntl(one, F_GETFD), FD_CLOEXEC);
}

static void
make_older(const char *path)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	ck_assert_int_eq(utimensat(dir, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

UNIT_TEST(what_is_left_is_removed)
{
	auto_fd int lives = serve();
	auto_fd int dead = -1;
	auto_fd int file = -1;

	make_older(name);
	dead = serve();
	fd_close(&dead);
	/* Who has just made it may not listen there yet. */
	rendezvous_sweep(dir);
	ck_assert_uint_eq(count(), 2);
	make_older(name);
	rendezvous_sweep(dir);
	ck_assert_uint_eq(count(), 1);
	ck_assert_int_eq(faccessat(dir, name, F_OK, 0), -1);
	/* Other files are not ours to remove. */
	file = openat(dir, "0123456789abcdef", O_WRONLY | O_CREAT, 0600);
	make_older("0123456789abcdef");
	ck_assert_int_eq(symlinkat("nowhere", dir, "0123456789abcdee"), 0);
	make_older("0123456789abcdee");
	ck_assert_int_eq(mkdirat(dir, "else", 0700), 0);
	rendezvous_sweep(dir);
	ck_assert_uint_eq(count(), 3);
	ck_assert_int_ne(lives, -1);
	ck_assert_int_eq(faccessat(dir, "else", F_OK, 0), 0);
}

/* Also one who can reach the directory, and write to the socket. */
UNIT_TEST(another_user_is_refused)
{
	auto_fd int one = -1;
	auto_fd int fd = -1;
	struct pollfd waiting;
	int status;
	pid_t child;

	if (getuid() != 0)
		return;
	one = serve();
	ck_assert_int_eq(fchmodat(dir, name, 0666, 0), 0);
	child = fork();
	if (child == 0) {
		if (setgid(65534) == -1 || setuid(65534) == -1)
			_exit(1);
		fd = rendezvous_connect(dir, name, 10000, &pid, &err);
		_exit(fd == -1 && strstr(err.text, "user 0") != NULL ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	waiting = (struct pollfd){ .fd = one, .events = POLLIN };
	ck_assert_int_eq(poll(&waiting, 1, -1), 1);
	ck_assert_int_eq(rendezvous_accept(one, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "user 65534"));
	ck_assert_int_eq(err.code, 0);
}

UNIT_FIXTURE(enter, leave)
