/*
 * Tests of common/ipc/ipc_pair: two ends that keep packets apart, are closed on
 * exec, and wait only where they are asked to.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/ipc/ipc_pair.h"
#include "tests/unit/unit.h"

static int
type_of(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	ck_assert_int_eq(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len), 0);
	return type;
}

UNIT_TESTS(both_ends_are_alike, 2)
{
	int ends[2], blocking = _i, i;

	ck_assert_int_eq(ipc_pair(&ends[0], &ends[1], blocking, NULL), 0);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(type_of(ends[i]), SOCK_SEQPACKET);
		ck_assert_int_eq(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(
		    (fcntl(ends[i], F_GETFL) & O_NONBLOCK) == 0, blocking);
		close(ends[i]);
	}
}

UNIT_TEST(a_failure_says_why)
{
	struct rlimit all, none = { 3, 3 };
	int ours = 7, theirs = 7;
	struct err err;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none.rlim_max = all.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(ipc_pair(&ours, &theirs, 0, &err), -1);
	/* What looks for leaks at the end opens files. */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
	ck_assert_int_eq(err.code, EMFILE);
	ck_assert_str_eq(err.text, "make a socket pair: Too many open files");
	ck_assert_int_eq(ours, -1);
	ck_assert_int_eq(theirs, -1);
}
