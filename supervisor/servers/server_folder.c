/*
 * Tells whether a directory lists the same names as at the last check: see
 * servers.h. The kernel changes the times of a directory with every name that
 * comes or goes. Runs in the supervisor; opens nothing.
 */
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "../../common/limits.h"
#include "servers.h"

/* Not in linux/magic.h of older headers; from the sources of each. */
#define SERVER_FOLDER_XFS 0x58465342
#define SERVER_FOLDER_ZFS 0x2fc12fc1

int
server_folder_is_moving(const struct stat *st)
{
	struct timespec now;
	long long ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (now.tv_sec - st->st_ctim.tv_sec) * 1000000000LL +
	    (now.tv_nsec - st->st_ctim.tv_nsec);
	return llabs(ns) < CONFIG_TICK_MS * 1000000LL;
}

/*
 * Returns whether the directory is of a file system known to keep its times
 * exactly. A network drive may show old ones for some seconds.
 */
static int
server_folder_is_exact(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) == -1)
		return 0;
	switch ((unsigned long)fs.f_type) {
	case BTRFS_SUPER_MAGIC:
	case EXT4_SUPER_MAGIC: /* and the older ones */
	case F2FS_SUPER_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case SERVER_FOLDER_XFS:
	case SERVER_FOLDER_ZFS:
		return 1;
	default:
		return 0;
	}
}

static int
server_folder_same_time(
    const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

int
server_folder_is_same(const struct server_folder *folder, const struct stat *st)
{
	return folder->known && folder->device == st->st_dev &&
	    folder->number == st->st_ino &&
	    server_folder_same_time(&folder->written, &st->st_mtim) &&
	    server_folder_same_time(&folder->changed, &st->st_ctim);
}

void
server_folder_begin(
    struct server_folder *folder, const char *path, const struct stat *st)
{
	folder->same = server_folder_is_same(folder, st);
	if (folder->same)
		return;
	folder->device = st->st_dev;
	folder->number = st->st_ino;
	folder->written = st->st_mtim;
	folder->changed = st->st_ctim;
	folder->known = S_ISDIR(st->st_mode) &&
	    !server_folder_is_moving(st) && server_folder_is_exact(path);
}

void
server_folder_forget(struct server_folder *folder)
{
	folder->known = 0;
	folder->same = 0;
}
