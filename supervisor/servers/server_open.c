/*
 * Opens configuration files: see servers.h. Runs in the supervisor; reads no
 * byte of them. The author of a project's file may be hostile: a link could
 * have another file read in its place, or the file may be in a directory that
 * many users can write to.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../options/home.h"
#include "../options/options.h"
#include "servers.h"

int
server_open_beneath(int dir, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	int fd, tries = CONFIG_OPEN_TRIES;

	/*
	 * With ".." in a link, openat2(2) fails with EAGAIN if any file in the
	 * system was renamed or mounted meanwhile.
	 */
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	while (fd == -1 && errno == EAGAIN && --tries > 0);
	return fd;
}

const char *
server_open_relative(const char *path, const char *folder)
{
	path += strlen(folder);
	return path + strspn(path, "/");
}

/* Opens a path whose links must not lead out of a directory. */
static int
server_open_within(const char *path, const char *folder, int flags)
{
	auto_fd int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir == -1)
		return -1;
	return server_open_beneath(
	    dir, server_open_relative(path, folder), flags);
}

int
server_open_look(const char *path, const char *within, struct stat *st)
{
	auto_fd int fd = -1;

	if (within == NULL)
		return lstat(path, st);
	fd = server_open_within(path, within, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	return fd == -1 ? -1 : fstat(fd, st);
}

/* Sets err to why a file could not be opened. Always returns -1. */
static int
server_open_failed(struct err *err)
{
	if (errno == EXDEV)
		return err_set(err, "is a link that leads out of the working "
		    "directory");
	return err_sys(err, "cannot be opened");
}

/*
 * The same for one file. A file named by the user is never replaced by another.
 */
static int
server_open_file_failed(const struct server_source *source,
    const struct servers_setup *setup, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	int code = errno;

	if (!source->named || server_open_fault(code) != SERVER_FAULT_GONE)
		return server_open_failed(err);
	options_add_name(&name, setup->options, OPTION_ID_SERVERS_CONFIG);
	err_set(err, "cannot be opened: %s; create the file, or correct %s",
	    strerror(code), name.data);
	err->code = code;
	return -1;
}

size_t
server_open_most(const struct server_source *source)
{
	return source->project ? CONFIG_PROJECT_FILE_MAX : CONFIG_FILE_MAX;
}

enum server_fault
server_open_fault(int code)
{
	switch (code) {
	case ENOENT:
	case ENOTDIR:
		return SERVER_FAULT_GONE;
	case 0:
	case EACCES:
	case EPERM:
	case ELOOP:
	case EXDEV:
		return SERVER_FAULT_UNTRUSTED;
	default:
		return SERVER_FAULT_BROKEN;
	}
}

/* Checks the type of a file, and who can write to it. */
static int
server_open_check(const struct server_source *source, const struct stat *st,
    struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, "is not a regular file");
	/* The operator has named it: a volume may have any owner. */
	return source->named ? 0 : home_trusts(st, err);
}

static int
server_open_seen(struct server_file *file, int seen, struct err *err)
{
	auto_free char *link = mem_printf("/proc/self/fd/%d", seen);
	size_t most = server_open_most(file->source);
	struct stat st;
	int fd;

	if (fstat(seen, &st) == -1)
		return err_sys(err, "cannot be examined");
	if (server_open_check(file->source, &st, err) == -1)
		return -1;
	file->fault = SERVER_FAULT_BROKEN;
	if (st.st_size > (off_t)most)
		return err_set(err, "is larger than %zu bytes, the limit "
		    "for a file of servers", most);
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->size = st.st_size;
	file->changed = st.st_ctim;
	file->opened = true;
	/*
	 * Opens the same file that was checked, which cannot be replaced
	 * meanwhile.
	 */
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd == -1 ? err_sys(err, "cannot be opened") : fd;
}

/* Returns a file in memory with the text of a variable, or -1 with errno. */
static int
server_open_text(const char *text)
{
	auto_fd int fd = memfd_create("servers", MFD_CLOEXEC);
	size_t len = strlen(text);

	if (fd == -1 || write(fd, text, len) != (ssize_t)len)
		return -1;
	return fd_take(&fd);
}

int
server_open(struct server_file *file, const struct servers_setup *setup,
    struct err *err)
{
	auto_fd int seen = -1;
	int fd;

	err->code = 0;
	file->fault = SERVER_FAULT_UNTRUSTED;
	seen = file->text != NULL ? server_open_text(file->text) :
	    file->source->project ?
	    server_open_within(file->path, setup->folder, O_PATH | O_CLOEXEC) :
	    open(file->path, O_PATH | O_CLOEXEC);
	fd = seen == -1 ? server_open_file_failed(file->source, setup, err) :
	    server_open_seen(file, seen, err);
	if (fd != -1)
		file->fault = SERVER_FAULT_NONE;
	else if (err->code != 0)
		file->fault = server_open_fault(err->code);
	/* An I/O error may be temporary, while the file is unchanged. */
	file->transient = fd == -1 && err->code != 0 &&
	    file->fault == SERVER_FAULT_BROKEN;
	return fd;
}

int
server_open_folder(const char *path, const char *within, struct err *err)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = within != NULL ? server_open_within(path, within, flags) :
	    open(path, flags);

	if (fd != -1)
		return fd;
	if (errno == EXDEV)
		return server_open_failed(err);
	return err_sys(err, "cannot be read");
}
