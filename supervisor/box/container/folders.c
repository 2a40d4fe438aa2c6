/*
 * The directories of a container: see container.h. They are reached through
 * /proc, which needs no help of the engine and no frames: a user may look into
 * the containers of its own engine.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "../../../common/base/fd.h"
#include "container.h"

/* "/proc/", the number of a process, and the longest name. */
#define CONTAINER_FOLDERS_PATH 64

#define CONTAINER_FOLDERS_FLAGS                                                \
	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Opens the root of the process, unless it is in the view of the host. */
static int
container_folders_root(pid_t pid, struct err *err)
{
	char path[CONTAINER_FOLDERS_PATH];
	struct stat own, other;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	if (stat(path, &other) == -1)
		return err_sys(err, "look at process %d", (int)pid);
	if (stat("/proc/self/ns/mnt", &own) == -1)
		return err_sys(err, "look at the own mounts");
	if (own.st_dev == other.st_dev && own.st_ino == other.st_ino)
		return err_set(err, "process %d is in no container", (int)pid);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "open %s", path);
	return fd;
}

/* Opens an entry, which must be the root of a tmpfs. */
static int
container_folders_enter(
    int above, const char *name, const char *path, struct err *err)
{
	auto_fd int fd = openat(above, name, CONTAINER_FOLDERS_FLAGS);
	struct stat upper, here;
	struct statfs system;

	if (fd == -1 || fstat(above, &upper) == -1 ||
	    fstat(fd, &here) == -1 || fstatfs(fd, &system) == -1)
		return err_sys(err, "open %s of the container", path);
	if (here.st_dev == upper.st_dev || system.f_type != TMPFS_MAGIC)
		return err_set(
		    err, "%s of the container is no tmpfs of its own", path);
	return fd_take(&fd);
}

int
container_folders_open(
    pid_t pid, int *workspace, int *out_dir, int *data, struct err *err)
{
	auto_fd int root = container_folders_root(pid, err);
	auto_fd int work = -1, out = -1;

	if (root == -1)
		return -1;
	work = container_folders_enter(root, "workspace", "/workspace", err);
	if (work == -1)
		return -1;
	out = container_folders_enter(work, "out", "/workspace/out", err);
	if (out == -1)
		return -1;
	if (data != NULL) {
		*data = container_folders_enter(root, "data", "/data", err);
		if (*data == -1)
			return -1;
	}
	*out_dir = fd_take(&out);
	*workspace = fd_take(&work);
	return 0;
}
