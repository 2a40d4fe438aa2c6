/*
 * The cgroups of a container, which crun and runc make. Those that are left
 * when it has ended are removed: crun and runc do not find what they have made
 * before they were killed, as only their record of the container names it. Runs
 * in the keeper; removes only directories of that name, and the kernel removes
 * none with a process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../common/clock.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "keeper_parts.h"

/*
 * Removes the cgroup of that name in one hierarchy, if it is one. Returns
 * whether it is still there: a process that was killed has not left it yet. The
 * kernel gives no other error then. An ordinary directory that is not empty
 * gives ENOTEMPTY and stays: crun takes one for a hierarchy on a host with both
 * versions of cgroups, and leaves files in it.
 */
static int
keeper_remove_cgroup(int root, const char *hierarchy, const char *name)
{
	auto_fd int fd = openat(
	    root, hierarchy, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd != -1 && unlinkat(fd, name, AT_REMOVEDIR) == -1 &&
	    errno == EBUSY;
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

/*
 * Moves this process into the cgroup that a line of /proc/self/cgroup names,
 * "NUMBER:CONTROLLERS:PATH", where it already is. A hierarchy of version 1 is
 * in a folder with the names of its controllers; version 2 names none. Returns
 * whether it did.
 */
static int
keeper_enter_cgroup(const char *root, char *line)
{
	char *name = strchr(line, ':'), *path;
	auto_free char *file = NULL;
	auto_fd int fd = -1;

	path = name == NULL ? NULL : strchr(name + 1, ':');
	if (path == NULL)
		return 0;
	*path++ = '\0';
	name += strncmp(name, ":name=", 6) == 0 ? 6 : 1;
	path[strcspn(path, "\n")] = '\0';
	file = mem_printf("%s/%s%s/cgroup.procs", root, name, path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	return fd != -1 && write(fd, "0", 1) == 1;
}

/* In a process of its own, which then ends: a wrong path moves no other. */
static void
keeper_enter_own_cgroup(const char *root)
{
	FILE *list = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t size = 0;

	while (list != NULL && getline(&line, &size, list) != -1)
		if (keeper_enter_cgroup(root, line))
			break;
	free(line);
	if (list != NULL)
		fclose(list);
}

void
keeper_hurry_cgroups(const char *root)
{
	spawn_errand(keeper_enter_own_cgroup, root);
}
