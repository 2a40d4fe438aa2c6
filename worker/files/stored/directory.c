/* The directory of files: see directory.h. Runs in files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/entries.h"
#include "../../../common/base/file_name.h"
#include "../../../common/base/log.h"
#include "directory.h"

#define DIRECTORY_LOCK_NAME "lock"
#define DIRECTORY_TEMPORARY_MARK 't'
#define DIRECTORY_TABLE_MARK 'v'
#define DIRECTORY_DIGITS "0123456789abcdef"
#define DIRECTORY_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
#define DIRECTORY_MODE 0600

static int
directory_is_random(const char *name)
{
	return strlen(name) == DIRECTORY_NAME_SIZE - 1 &&
	    strspn(name, DIRECTORY_DIGITS) == DIRECTORY_NAME_SIZE - 1;
}

enum directory_entry
directory_entry(const char *name)
{
	if (directory_is_random(name))
		return DIRECTORY_STORED;
	if (name[0] == DIRECTORY_TEMPORARY_MARK &&
	    directory_is_random(name + 1))
		return DIRECTORY_TEMPORARY;
	if (name[0] == DIRECTORY_TABLE_MARK && directory_is_random(name + 1))
		return DIRECTORY_TABLE;
	return strcmp(name, DIRECTORY_LOCK_NAME) == 0 ? DIRECTORY_LOCK :
	    strcmp(name, FILE_NAME_SECRET) == 0  ? DIRECTORY_SECRET :
	                                                DIRECTORY_FOREIGN;
}

/* 64 bits: two processes never choose the same. */
static void
directory_draw(char name[DIRECTORY_NAME_SIZE])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		fatal("the kernel gives no random bytes");
	snprintf(name, DIRECTORY_NAME_SIZE, "%016" PRIx64, number);
}

int
directory_each(int folder, void (*tell)(void *ctx, const char *name), void *ctx)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return entries_each(&fd, tell, ctx);
}

int
directory_open(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | DIRECTORY_FLAGS);
}

/*
 * Takes the lock of an open file, unless another process has it. Returns 1; 0
 * if that process has removed the file meanwhile; -1 with errno.
 */
static int
directory_take(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) == -1 || fstat(fd, &st) == -1)
		return -1;
	return st.st_nlink > 0;
}

int
directory_make(int folder, char name[DIRECTORY_TEMPORARY_SIZE])
{
	auto_fd int fd = -1;
	int taken;

	name[0] = DIRECTORY_TEMPORARY_MARK;
	/* It may be removed before it is locked: then it is created again. */
	do {
		fd_close(&fd);
		directory_draw(name + 1);
		fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL |
		    DIRECTORY_FLAGS, DIRECTORY_MODE);
		if (fd == -1)
			return -1;
		taken = directory_take(fd);
	} while (taken == 0 || (taken == -1 && errno == EWOULDBLOCK));
	if (taken == -1) {
		directory_remove(folder, name);
		return -1;
	}
	return fd_take(&fd);
}

int
directory_keep(
    int folder, const char *temporary, char name[DIRECTORY_NAME_SIZE])
{
	directory_draw(name);
	return renameat(folder, temporary, folder, name);
}

int
directory_table(int folder, uint64_t number, int is_made)
{
	char name[DIRECTORY_TEMPORARY_SIZE];

	snprintf(name, sizeof(name), "%c%016" PRIx64, DIRECTORY_TABLE_MARK,
	    number);
	return openat(folder, name, O_RDWR | (is_made ? O_CREAT : 0) |
	    DIRECTORY_FLAGS, DIRECTORY_MODE);
}

/* Makes it as a whole, unless another process does. Returns 0 or an errno. */
static int
directory_make_secret(int folder)
{
	char name[DIRECTORY_TEMPORARY_SIZE];
	auto_fd int fd = directory_make(folder, name);
	uint8_t secret[DIRECTORY_SECRET_SIZE];
	int fault = 0;

	if (fd == -1)
		return errno;
	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		fatal("the kernel gives no random bytes");
	if (pwrite(fd, secret, sizeof(secret), 0) != sizeof(secret) ||
	    fdatasync(fd) == -1 || renameat2(folder, name, folder,
	        FILE_NAME_SECRET, RENAME_NOREPLACE) == -1) {
		fault = errno;
		directory_remove(folder, name);
	}
	directory_sync(folder);
	return fault;
}

int
directory_secret(int folder, uint8_t secret[DIRECTORY_SECRET_SIZE])
{
	auto_fd int fd = directory_open(folder, FILE_NAME_SECRET);
	int fault;
	ssize_t n;

	if (fd == -1 && errno == ENOENT) {
		fault = directory_make_secret(folder);
		fd = directory_open(folder, FILE_NAME_SECRET);
		if (fd == -1 && fault != 0)
			errno = fault;
	}
	n = fd == -1 ? -1 : pread(fd, secret, DIRECTORY_SECRET_SIZE, 0);
	if (n != -1 && n != DIRECTORY_SECRET_SIZE)
		errno = EBADMSG;
	return n == DIRECTORY_SECRET_SIZE ? 0 : -1;
}

int
directory_remove(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 || errno == ENOENT ? 0 : -1;
}

int
directory_sync(int folder)
{
	/* EINVAL: some network file systems cannot sync directories. */
	return fsync(folder) == 0 || errno == EINVAL ? 0 : -1;
}

void
directory_sweep(int folder, const char *temporary)
{
	auto_fd int fd = directory_open(folder, temporary);

	if (fd != -1 && directory_take(fd) == 1 &&
	    directory_remove(folder, temporary) == 0)
		log_debug("removed %s, which was incomplete", temporary);
}

int
directory_lock(int folder)
{
	auto_fd int fd = openat(folder, DIRECTORY_LOCK_NAME,
	    O_RDWR | O_CREAT | DIRECTORY_FLAGS, DIRECTORY_MODE);

	if (fd == -1)
		return -1;
	switch (directory_take(fd)) {
	case 1:
		return fd_take(&fd);
	case 0:
		errno = EWOULDBLOCK; /* the next attempt creates it again */
		return -1;
	default:
		return -1;
	}
}
