/*
 * Opens the entries of a directory: see porter.h. It uses the system call
 * itself, for which the C library has no function.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "porter.h"

int
beneath_open(int folder, const char *name, uint64_t flags, mode_t mode)
{
	struct open_how how = {
		.flags = flags | O_NOFOLLOW | O_CLOEXEC,
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
}
