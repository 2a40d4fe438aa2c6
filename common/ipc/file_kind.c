/*
 * The kind of file behind a descriptor: see file_kind.h. It uses the system
 * call itself. The C library implements fstat() with a call that takes a path,
 * and a process that may make that call can test which files exist. Opens
 * nothing.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_kind.h"

int
file_kind_is_regular(int fd)
{
	struct stat st;

	return syscall(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode);
}

const char *
file_kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "a regular file";
	case S_IFLNK:
		return "a symbolic link";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}
