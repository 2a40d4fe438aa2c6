/*
 * A disk of a test's own, which it can fill: a file system in memory, mounted
 * in a mount namespace that ends with the test. An ordinary user needs a user
 * namespace for that, in which it stays who it is.
 */
#ifndef TESTS_UNIT_SMALL_DISK_H
#define TESTS_UNIT_SMALL_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "unit.h"

static int small_disk_made; /* else the caller skips its test */

static inline void
small_disk_write(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static inline int
small_disk_unshare(void)
{
	auto_free char *uid = mem_printf("%u %u 1", getuid(), getuid());
	auto_free char *gid = mem_printf("%u %u 1", getgid(), getgid());

	if (geteuid() == 0)
		return unshare(CLONE_NEWNS);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1)
		return -1;
	small_disk_write("/proc/self/setgroups", "deny");
	small_disk_write("/proc/self/uid_map", uid);
	small_disk_write("/proc/self/gid_map", gid);
	return 0;
}

/*
 * Makes a folder a disk, with these options of tmpfs. Returns whether it could;
 * where it could not, the skip is told.
 */
static inline int
small_disk_make(const char *folder, const char *options)
{
	small_disk_made = small_disk_unshare() == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("tmpfs", folder, "tmpfs", 0, options) == 0;
	if (!small_disk_made)
		unit_skip("no file system can be mounted here");
	return small_disk_made;
}

static inline void
small_disk_remove(const char *folder)
{
	if (small_disk_made)
		ck_assert_int_eq(umount2(folder, MNT_DETACH), 0);
}

/* How many bytes are free. */
static inline uint64_t
small_disk_room(const char *folder)
{
	struct statvfs st;

	ck_assert_int_eq(statvfs(folder, &st), 0);
	return (uint64_t)st.f_bavail * st.f_frsize;
}

/* Takes all the room that there is, as another program may. */
static inline void
small_disk_fill(const char *folder)
{
	static const char page[4096] = { 1 };
	auto_free char *path = mem_printf("%s/fill", folder);
	auto_fd int fd =
	    open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	ck_assert_int_ne(fd, -1);
	while (write(fd, page, sizeof(page)) > 0)
		;
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_uint_eq(small_disk_room(folder), 0);
}

#endif
