/* Files that are replaced as a whole: see adopt_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "adopt_file.h"

/* Returns whether it is the same file, unchanged. */
static int
adopt_file_is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	    one->st_size == other->st_size &&
	    one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	    one->st_mtim.tv_nsec == other->st_mtim.tv_nsec &&
	    one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
	    one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

int
adopt_file_read(struct adopt_file *file, const char *path, struct err *err)
{
	auto_fd int fd = -1;
	struct stat after;

	memset(file, 0, sizeof(*file));
	file->path = realpath(path, NULL);
	if (file->path == NULL)
		return err_sys(err, "cannot be opened");
	fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd == -1 || fstat(fd, &file->st) == -1)
		return err_sys(err, "cannot be opened");
	if (!S_ISREG(file->st.st_mode))
		return err_set(err, "is not a regular file");
	if (fd_read_all(fd, FD_READ_ON, CONFIG_FILE_MAX, &file->data) == -1)
		return errno != EFBIG ? err_sys(err, "cannot be read") :
		    err_set(err, "is larger than %lu bytes", CONFIG_FILE_MAX);
	if (fstat(fd, &after) == -1 || !adopt_file_is_same(&file->st, &after))
		return err_set(err, "was changed while it was read");
	return 0;
}

void
adopt_file_reset(struct adopt_file *file)
{
	free(mem_take(&file->path));
	buffer_reset(&file->data);
}

/* Replacing */

/* Returns the directory of a path; the caller frees it. */
static char *
adopt_file_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") :
	    mem_printf("%.*s", (int)(slash - path), path);
}

/* Returns the temporary path, beside the file; the caller frees it. */
static char *
adopt_file_beside(const char *path)
{
	auto_free char *folder = adopt_file_folder(path);
	const char *slash = strrchr(path, '/');

	return mem_printf("%s/.%s.caisson-new", folder,
	    slash == NULL ? path : slash + 1);
}

/* Makes the changes of a directory durable. */
static int
adopt_file_sync_folder(const char *path, struct err *err)
{
	auto_free char *folder = adopt_file_folder(path);
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Some file systems do not support it, and do not need it. */
	if (fd == -1 || (fsync(fd) == -1 && errno != EINVAL))
		return err_sys(err, "%s cannot be written", folder);
	return 0;
}

/* Gives a new file the owner and the mode of the replaced one. */
static int
adopt_file_adapt(int fd, const struct stat *st, struct err *err)
{
	struct stat mine;

	if (fstat(fd, &mine) == -1)
		return err_sys(err, "look at the new file");
	if ((mine.st_uid != st->st_uid || mine.st_gid != st->st_gid) &&
	    fchown(fd, st->st_uid, st->st_gid) == -1)
		return err_sys(err, "give the new file the owner of the old");
	if (fchmod(fd, st->st_mode & 07777) == -1)
		return err_sys(err, "give the new file the mode of the old");
	return 0;
}

/* Writes a new file; st is that of the replaced one, or NULL. */
static int
adopt_file_fill(const char *path, const struct stat *st, const char *data,
    size_t len, struct err *err)
{
	auto_fd int fd = -1;

	/* Left by a run that was killed. */
	if (unlink(path) == -1 && errno != ENOENT)
		return err_sys(err, "remove %s", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    0600);
	if (fd == -1)
		return err_sys(err, "create %s", path);
	if (st != NULL && adopt_file_adapt(fd, st, err) == -1)
		return -1;
	if (fd_write_all(fd, data, len) == -1 || fsync(fd) == -1)
		return err_sys(err, "write %s", path);
	return 0;
}

int
adopt_file_rename(const char *from, const char *to, struct err *err)
{
	if (rename(from, to) == -1)
		return err_sys(err, "rename %s", from);
	return adopt_file_sync_folder(to, err);
}

int
adopt_file_check(const struct adopt_file *file, size_t len, struct err *err)
{
	if (file->st.st_nlink > 1)
		return err_set(err, "%s has several hard links: they would "
		    "not lead to the same file any more", file->path);
	/* Another program generates it, or the user protects it. */
	if ((file->st.st_mode & S_IWUSR) == 0)
		return err_set(err, "%s may not be written by its owner; fix, "
		    "if it is yours to change: 'chmod u+w'", file->path);
	if (len > CONFIG_FILE_MAX)
		return err_set(err, "%s would be larger than %lu bytes, the "
		    "limit for a file of servers", file->path, CONFIG_FILE_MAX);
	return 0;
}

int
adopt_file_replace(const struct adopt_file *file, const char *data,
    size_t len, struct err *err)
{
	auto_free char *beside = adopt_file_beside(file->path);
	struct stat now;

	if (adopt_file_check(file, len, err) == -1)
		return -1;
	if (adopt_file_fill(beside, &file->st, data, len, err) == -1) {
		unlink(beside);
		return -1;
	}
	if (lstat(file->path, &now) == -1 ||
	    !adopt_file_is_same(&file->st, &now)) {
		unlink(beside);
		return err_set(err, "%s was changed meanwhile: close the "
		    "program that uses it and try again", file->path);
	}
	return adopt_file_rename(beside, file->path, err);
}

int
adopt_file_write(
    const char *path, const char *data, size_t len, struct err *err)
{
	auto_free char *beside = adopt_file_beside(path);

	if (adopt_file_fill(beside, NULL, data, len, err) == 0)
		return adopt_file_rename(beside, path, err);
	unlink(beside);
	return -1;
}

int
adopt_file_write_through(
    const char *path, const char *data, size_t len, struct err *err)
{
	auto_free char *real = realpath(path, NULL);

	return adopt_file_write(real == NULL ? path : real, data, len, err);
}

static int
adopt_file_make_one(const char *path, struct err *err)
{
	struct stat st;

	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST || stat(path, &st) == -1)
		return err_sys(err, "make %s", path);
	return S_ISDIR(st.st_mode) ? 0 :
	    err_set(err, "%s is not a folder: move it away", path);
}

int
adopt_file_make_folder(const char *path, struct err *err)
{
	auto_free char *part = mem_strdup(path);
	char *slash = part;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		if (adopt_file_make_one(part, err) == -1)
			return -1;
		*slash = '/';
	}
	return adopt_file_make_one(path, err);
}

int
adopt_file_lock(const char *path, struct err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(err, "open %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return err_set(err, "another 'caisson adopt' or 'caisson "
		    "servers' is at work in %s: wait until it has ended", path);
	return fd_take(&fd);
}
