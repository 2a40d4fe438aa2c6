/*
 * Whether a Caisson in another namespace of processes still runs: see
 * engine.h. Runs in the supervisor.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "engine.h"

/* Of root, and below the directory of a user. */
#define CONTAINER_LOCKS "/run/caisson-containers"
#define CONTAINER_LOCKS_USER "caisson-containers"

/* Begins the name of each file, before the kind and the label. */
#define CONTAINER_LOCK_PREFIX "lock."

/* FNV-1a, and the digits of such a hash. */
#define CONTAINER_LOCK_BASIS UINT64_C(0xcbf29ce484222325)
#define CONTAINER_LOCK_PRIME UINT64_C(0x100000001b3)
#define CONTAINER_LOCK_DIGITS 16

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

char *
container_lock_kind(const char *engine, const char *key, size_t len)
{
	uint64_t hash = CONTAINER_LOCK_BASIS;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)key[i]) * CONTAINER_LOCK_PRIME;
	return mem_printf(
	    "%s.%0*" PRIx64, engine, CONTAINER_LOCK_DIGITS, hash);
}

static char *
container_lock_path(const char *folder, const char *kind, const char *label)
{
	return mem_printf(
	    "%s/" CONTAINER_LOCK_PREFIX "%s.%s", folder, kind, label);
}

/* Returns whether a file that is open still has its name. */
static int
container_lock_is_named(int fd, const char *path)
{
	struct stat own, named;

	return fstat(fd, &own) == 0 && lstat(path, &named) == 0 &&
	    own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* Another Caisson may remove the file before it is locked. */
int
container_lock_take(const char *folder, const char *kind, const char *label,
    struct err *err)
{
	auto_free char *path = container_lock_path(folder, kind, label);
	auto_fd int fd = -1;

	do {
		fd_close(&fd);
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
		if (fd == -1 || flock(fd, LOCK_EX) == -1)
			return err_sys(err, "lock %s", path);
	} while (!container_lock_is_named(fd, path));
	return fd_take(&fd);
}

void
container_lock_end(
    const char *folder, const char *kind, const char *label, int *lock)
{
	auto_free char *path = NULL;

	if (*lock == -1)
		return;
	path = container_lock_path(folder, kind, label);
	unlink(path);
	fd_close(lock);
}

/*
 * Locks a file that no process has locked, and that has not been removed
 * meanwhile. Returns a descriptor, or -1.
 */
static int
container_lock_try(const char *path)
{
	auto_fd int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	return fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	        container_lock_is_named(fd, path) ? fd_take(&fd) : -1;
}

/* Returns whether a name is of a lock of this engine and that label. */
static int
container_lock_is_of(const char *name, const char *prefix, const char *label)
{
	const char *rest = name + strlen(prefix);

	return strncmp(name, prefix, strlen(prefix)) == 0 &&
	    strcspn(rest, ".") == CONTAINER_LOCK_DIGITS &&
	    strcmp(rest + CONTAINER_LOCK_DIGITS + 1, label) == 0;
}

int
container_lock_is_free(
    const char *folder, const char *engine, const char *label)
{
	auto_free char *prefix =
	    mem_printf(CONTAINER_LOCK_PREFIX "%s.", engine);
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	int found = 0, held = 0;

	/* One that has tried two programs has two locks. */
	while (dir != NULL && !held && (entry = readdir(dir)) != NULL) {
		auto_free char *path = mem_printf("%s/%s", folder,
		    entry->d_name);
		auto_fd int fd = -1;

		if (!container_lock_is_of(entry->d_name, prefix, label))
			continue;
		found = 1;
		fd = container_lock_try(path);
		held = fd == -1;
	}
	if (dir != NULL)
		closedir(dir);
	return found && !held;
}

/* Returns whether a name is one of this kind, and not in the text. */
static int
container_lock_is_unused(const char *name, const char *prefix,
    const char *text, size_t len)
{
	const char *label = name + strlen(prefix);

	return strncmp(name, prefix, strlen(prefix)) == 0 &&
	    memmem(text, len, label, strlen(label)) == NULL;
}

void
container_lock_clean(const char *folder, const char *kind, const char *text,
    size_t len)
{
	auto_free char *prefix = mem_printf(CONTAINER_LOCK_PREFIX "%s.", kind);
	const struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		auto_free char *path = mem_printf("%s/%s", folder,
		    entry->d_name);
		auto_fd int fd = -1;

		if (!container_lock_is_unused(entry->d_name, prefix, text, len))
			continue;
		/* The lock is held while the file is removed. */
		fd = container_lock_try(path);
		if (fd != -1)
			unlink(path);
	}
	if (dir != NULL)
		closedir(dir);
}
