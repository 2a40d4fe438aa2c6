/*
 * Whether a Caisson in another namespace of processes still runs: see engine.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "engine.h"

/* Of root, and below the directory of a user. */
#define CONTAINER_LOCKS "/run/caisson-containers"
#define CONTAINER_LOCKS_USER "caisson-containers"

/* Begins the name of each file, before the label. */
#define CONTAINER_LOCK_PREFIX "lock."

/*
 * Makes a directory that only this user may use, unless it is there. Returns 0,
 * or -1 with err.
 */
static int
container_lock_make_folder(const char *path, struct err *err)
{
	struct stat st;

	if (mkdir(path, 0700) == -1 && errno != EEXIST)
		return err_sys(err, "make the directory %s", path);
	if (lstat(path, &st) == -1)
		return err_sys(err, "look at %s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 0077) != 0)
		return err_set(err, "%s must be a directory that only this "
		    "user can use: remove it", path);
	return 0;
}

char *
container_lock_folder(struct err *err)
{
	const char *user = getenv("XDG_RUNTIME_DIR");
	char *folder;

	if (geteuid() == 0)
		folder = mem_strdup(CONTAINER_LOCKS);
	else if (user != NULL && user[0] == '/')
		folder = mem_printf("%s/" CONTAINER_LOCKS_USER, user);
	else {
		err_set(err, "XDG_RUNTIME_DIR is not set to a directory");
		return NULL;
	}
	if (container_lock_make_folder(folder, err) == -1)
		free(mem_take(&folder));
	return folder;
}

/* Opens the file of a label and locks it. Returns a descriptor, or -1. */
static int
container_lock_open(const char *folder, const char *label, int flags)
{
	auto_free char *path =
	    mem_printf("%s/" CONTAINER_LOCK_PREFIX "%s", folder, label);
	auto_fd int fd =
	    open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

	return fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == 0 ?
	    fd_take(&fd) : -1;
}

int
container_lock_take(const char *folder, const char *label, struct err *err)
{
	int lock = container_lock_open(folder, label, O_CREAT);

	return lock == -1 ? err_sys(err, "lock a file in %s", folder) : lock;
}

void
container_lock_end(const char *folder, const char *label, int *lock)
{
	auto_free char *path =
	    mem_printf("%s/" CONTAINER_LOCK_PREFIX "%s", folder, label);

	if (*lock == -1)
		return;
	unlink(path);
	fd_close(lock);
}

int
container_lock_is_free(const char *folder, const char *label)
{
	auto_fd int lock = container_lock_open(folder, label, 0);

	return lock != -1;
}
