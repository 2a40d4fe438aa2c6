/*
 * Tests of supervisor/process/socket/folder_lock: it waits for another holder
 * of the lock, for a while, and for nothing else. The test plays nanosleep().
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "supervisor/process/socket/socket.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/test_folder_lock.XXXXXX";
static int holder = -1; /* has the lock */
static int pauses;
static int free_after; /* so many pauses; 0: never */

int
nanosleep(const struct timespec *pause, struct timespec *left)
{
	ck_assert_ptr_null(left);
	ck_assert_int_eq(pause->tv_sec, 0);
	ck_assert_int_eq(pause->tv_nsec, FOLDER_LOCK_PAUSE_NS);
	if (++pauses == free_after)
		fd_close(&holder);
	return 0;
}

static void
make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
remove_folder(void)
{
	ck_assert_int_eq(rmdir(folder), 0);
}

static int
open_folder(void)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ne(fd, -1);
	return fd;
}

/* Locks it, until the other one has paused so often. */
static void
hold(int most)
{
	holder = open_folder();
	free_after = most;
	ck_assert_int_eq(flock(holder, LOCK_EX | LOCK_NB), 0);
}

UNIT_TEST(takes_a_free_lock_at_once)
{
	auto_fd int dir = open_folder();

	ck_assert_int_eq(folder_lock(dir), 0);
	ck_assert_int_eq(pauses, 0);
}

UNIT_TEST(waits_for_its_holder)
{
	auto_fd int dir = open_folder();

	hold(3);
	ck_assert_int_eq(folder_lock(dir), 0);
	ck_assert_int_eq(pauses, 3);
	/* It has the lock now. */
	holder = open_folder();
	ck_assert_int_eq(flock(holder, LOCK_EX | LOCK_NB), -1);
	fd_close(&holder);
}

UNIT_TEST(gives_up_in_the_end)
{
	auto_fd int dir = open_folder();

	hold(0);
	ck_assert_int_eq(folder_lock(dir), -1);
	ck_assert_int_eq(errno, EWOULDBLOCK);
	ck_assert_int_eq(pauses, FOLDER_LOCK_TRIES);
	fd_close(&holder);
}

UNIT_TEST(does_not_wait_for_what_cannot_be_locked)
{
	ck_assert_int_eq(folder_lock(-1), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_int_eq(pauses, 0);
}

UNIT_FIXTURE(make_folder, remove_folder)
