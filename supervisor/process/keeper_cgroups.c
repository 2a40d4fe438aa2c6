/*
 * The cgroups of a container that has ended: crun and runc do not find those
 * that they have made before they were killed, as only their record of the
 * container names them. Runs in the keeper; removes only directories of that
 * name, and the kernel removes none with a process.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "process.h"

/* Removes the cgroup of that name in one hierarchy, if it is one. */
static void
keeper_remove_cgroup(int root, const char *hierarchy, const char *name)
{
	auto_fd int fd = openat(
	    root, hierarchy, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd != -1)
		unlinkat(fd, name, AT_REMOVEDIR);
}

void
keeper_remove_cgroups(const char *root, const char *name)
{
	const struct dirent *entry;
	DIR *dir = opendir(root);

	if (dir == NULL)
		return;
	/* Of version 1 there are several hierarchies; "." is that of 2. */
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' || entry->d_name[1] == '\0')
			keeper_remove_cgroup(dirfd(dir), entry->d_name, name);
	closedir(dir);
}
