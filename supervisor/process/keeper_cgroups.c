/*
 * The cgroups of a container that has ended: crun and runc do not find those
 * that they have made before they were killed, as only their record of the
 * container names them. Runs in the keeper; removes only directories of that
 * name, and the kernel removes none with a process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "../../common/clock.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "process.h"

/*
 * Removes the cgroup of that name in one hierarchy, if it is one. Returns
 * whether it is still there: a process that was killed has not left it yet.
 */
static int
keeper_remove_cgroup(int root, const char *hierarchy, const char *name)
{
	auto_fd int fd = openat(
	    root, hierarchy, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd != -1 && unlinkat(fd, name, AT_REMOVEDIR) == -1 &&
	    (errno == EBUSY || errno == ENOTEMPTY);
}

/* Tries it once in all hierarchies. Returns whether any is still there. */
static int
keeper_remove_cgroups_once(const char *root, const char *name)
{
	const struct dirent *entry;
	DIR *dir = opendir(root);
	int left = 0;

	if (dir == NULL)
		return 0;
	/* Of version 1 there are several hierarchies; "." is that of 2. */
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' || entry->d_name[1] == '\0')
			left |= keeper_remove_cgroup(
			    dirfd(dir), entry->d_name, name);
	closedir(dir);
	return left;
}

void
keeper_remove_cgroups(const char *root, const char *name)
{
	const struct timespec pause = { 0, KEEPER_PAUSE_MS * 1000000L };
	uint64_t deadline = clock_ms() + KEEPER_REST_MS;

	while (keeper_remove_cgroups_once(root, name) && clock_ms() < deadline)
		nanosleep(&pause, NULL);
}
