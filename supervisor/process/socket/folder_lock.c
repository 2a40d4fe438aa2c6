/*
 * Waits for the lock of a directory: see socket.h. Runs in the supervisor
 * and in its commands.
 */
#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "../../../common/limits.h"
#include "socket.h"

int
folder_lock(int dir)
{
	const struct timespec pause = { .tv_nsec = FOLDER_LOCK_PAUSE_NS };
	int i;

	for (i = 0; i < FOLDER_LOCK_TRIES; i++) {
		if (flock(dir, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	}
	errno = EWOULDBLOCK;
	return -1;
}
