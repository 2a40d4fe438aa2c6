/*
 * What keeps caisson-files busy for longer than a test lasts: a file of which
 * the copy does not end, and a directory that another process has locked.
 */
#ifndef TESTS_UNIT_FILES_SLOW_H
#define TESTS_UNIT_FILES_SLOW_H

#include <sys/file.h>

#include "files_play.h"

/* No copy of so much is done before a test has ended. */
#define SLOW_SIZE ((off_t)(1000 * GIB))

/*
 * Offers a sparse file of that size, and waits until it is copied. The one to
 * write to goes to *file.
 */
static inline void
slow_offer(int porter, int *file)
{
	auto_free char *path = NULL;
	int reading;

	*file = memfd_create("left", MFD_CLOEXEC);
	path = mem_printf("/proc/self/fd/%d", *file);
	ck_assert_int_eq(ftruncate(*file, SLOW_SIZE), 0);
	reading = open(path, O_RDONLY | O_CLOEXEC);
	play_offer_file(porter, "endless", reading);
	while (play_count("t") == 0)
		;
}

/* Begins to collect such a file as task 5. Returns the porter's end. */
static inline int
slow_collect(struct play *play, int *file)
{
	int porter = play_collect(play, 5, "");

	slow_offer(porter, file);
	return porter;
}

/* Locks the directory as a process that adds a file, until it is closed. */
static inline int
slow_lock(void)
{
	auto_free char *path = play_path("lock");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	return fd;
}

#endif
