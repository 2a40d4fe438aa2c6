/*
 * The bootstrap: the files of the language, in the directory "box" beside the
 * binary, copied into the view. They are read while the launcher may still be
 * root and written as the user of the box, which may be unable to access them;
 * that is why they are copied, not bound. Run by the launcher, which frees the
 * copy before it starts init: init would otherwise hold that memory for its
 * whole life.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"

#define DATA_NAME "box"
/* The library that a template loads into the interpreter is beside that. */
#define DATA_LIBRARY "caisson-template.abi3.so"

static int data_read_dir(struct box *box, int dir, const char *path, int depth,
    struct err *err);

/* Returns the slot for one more file. */
static struct box_file *
data_add(struct box *box, const char *path, const struct stat *st,
    struct err *err)
{
	struct box_file *file = &box->files[box->nfiles];

	if (box->nfiles == BOX_DATA_FILES_MAX) {
		err_set(err, "there are more than %d files beside the binary",
		    BOX_DATA_FILES_MAX);
		return NULL;
	}
	box->nfiles++;
	file->path = mem_strdup(path);
	file->mtime = st->st_mtim;
	return file;
}

static int
data_read_file(struct box *box, int fd, const struct stat *st,
    const char *path, struct err *err)
{
	struct box_file *file = data_add(box, path, st, err);
	ssize_t n;

	if (file == NULL)
		return -1;
	file->data = box->bytes + box->nbytes;
	file->len = (size_t)st->st_size;
	/*
	 * Its mode is not used: copies of an installation may have changed it.
	 */
	file->program = strncmp(path, BOX_PROGRAMS "/", strlen(BOX_PROGRAMS) +
	    1) == 0;
	box->programs |= file->program;
	if (file->len > BOX_DATA_BYTES_MAX - box->nbytes)
		return err_set(err, "the files beside the binary have more "
		    "than %lu bytes", BOX_DATA_BYTES_MAX);
	box->nbytes += file->len;
	n = read(fd, file->data, file->len);
	if (n == -1)
		return err_sys(err, "read %s", path);
	if ((size_t)n != file->len)
		return err_set(err, "%s changed while it was read", path);
	return 0;
}

static int
data_read_entry(struct box *box, int dir, const char *parent,
    const char *name, int depth, struct err *err)
{
	auto_free char *path = parent[0] == '\0' ?
	    mem_strdup(name) : mem_printf("%s/%s", parent, name);
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return err_sys(err, "open %s", path);
	if (S_ISREG(st.st_mode))
		return data_read_file(box, fd, &st, path, err);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, "%s is neither a file nor a directory",
		    path);
	if (depth == BOX_DATA_DEPTH_MAX)
		return err_set(err, "%s is nested too deep", path);
	if (data_add(box, path, &st, err) == NULL)
		return -1;
	return data_read_dir(box, fd, path, depth + 1, err);
}

/* path is relative to the first directory. */
static int
data_read_dir(struct box *box, int dir, const char *path, int depth,
    struct err *err)
{
	struct dirent *entry;
	DIR *entries;
	int copy = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	int failed = 0;

	entries = copy == -1 ? NULL : fdopendir(copy);
	if (entries == NULL)
		return err_sys(err, "read the directory %s", path);
	while (failed == 0 && (entry = readdir(entries)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			failed = data_read_entry(
			    box, dir, path, entry->d_name, depth, err);
	closedir(entries);
	return failed;
}

/* Beside the binary, under whatever name it was started. */
static int
data_open(const struct box *box, struct err *err)
{
	char binary[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", binary, sizeof(binary) - 1);
	auto_free char *path = NULL;
	int fd;

	if (n == -1)
		return err_sys(err, "read /proc/self/exe");
	binary[n] = '\0';
	*strrchr(binary, '/') = '\0';
	path = mem_printf("%s/" DATA_NAME "/%s", binary, box->language->name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "open %s", path);
	return fd;
}

static int
data_read_library(struct box *box, int dir, struct err *err)
{
	auto_fd int above = openat(dir, "../..", O_RDONLY | O_CLOEXEC);

	if (above == -1)
		return err_sys(err, "open the directory above " DATA_NAME);
	return data_read_entry(
	    box, above, "", DATA_LIBRARY, BOX_DATA_DEPTH_MAX, err);
}

int
data_read(struct box *box, struct err *err)
{
	auto_fd int dir = data_open(box, err);

	if (dir == -1)
		return -1;
	box->bytes = mmap(NULL, BOX_DATA_BYTES_MAX, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (box->bytes == MAP_FAILED)
		return err_sys(err, "get memory for the bootstrap");
	if (data_read_dir(box, dir, "", 0, err) == -1)
		return err_wrap(err, "copy the bootstrap");
	if (box->kind == BOX_TEMPLATE)
		return data_read_library(box, dir, err);
	return 0;
}

static int
data_write_file(int dir, const struct box_file *file, struct err *err)
{
	const struct timespec times[2] = { file->mtime, file->mtime };
	auto_fd int fd = openat(dir, file->path,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    file->program ? 0555 : 0444);

	if (fd == -1)
		return err_sys(err, "create %s", file->path);
	if (fd_write_all(fd, file->data, file->len) == -1)
		return err_sys(err, "write %s", file->path);
	if (futimens(fd, times) == -1)
		return err_sys(err, "set the time of %s", file->path);
	return 0;
}

/* Copies into the view, which is the working directory; once. */
int
data_write(struct box *box, struct err *err)
{
	auto_fd int dir = open(
	    BOX_DATA_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct box_file *file;

	if (dir == -1)
		return err_sys(err, "open %s", BOX_DATA_DIR);
	for (file = box->files; file < box->files + box->nfiles; file++) {
		if (file->data != NULL) {
			if (data_write_file(dir, file, err) == -1)
				return -1;
		} else if (mkdirat(dir, file->path, 0755) == -1) {
			return err_sys(err, "create %s", file->path);
		}
	}
	munmap(box->bytes, BOX_DATA_BYTES_MAX);
	return 0;
}
