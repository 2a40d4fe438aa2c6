/*
 * Sockets at which clients connect: see process.h. Runs in the supervisor,
 * which accepts nothing itself.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "process.h"

/*
 * Returns whether this is a socket that no program uses any more. Only such a
 * file may be removed: anything else refuses connections, too.
 */
static int
listen_is_left(const struct sockaddr_un *address)
{
	auto_fd int fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct stat st;

	return fd != -1 && lstat(address->sun_path, &st) == 0 &&
	    S_ISSOCK(st.st_mode) &&
	    connect(fd, (const struct sockaddr *)address,
	        sizeof(*address)) == -1 &&
	    errno == ECONNREFUSED;
}

/* Its file is created with mode 0600, so there is no moment without. */
static int
listen_bind(int fd, const struct sockaddr_un *address)
{
	mode_t before = umask(S_IXUSR | S_IRWXG | S_IRWXO);
	int bound = bind(
	    fd, (const struct sockaddr *)address, sizeof(*address));
	int why = errno;

	umask(before);
	errno = why;
	return bound;
}

int
listen_unix(const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return err_sys(err, "make a socket");
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, "the path of a Unix socket has at most "
		    "%zu bytes: %s", sizeof(address.sun_path) - 1, path);
	memcpy(address.sun_path, path, strlen(path));
	if (listen_bind(fd, &address) == -1) {
		if (errno != EADDRINUSE)
			return err_sys(err, "make the socket %s", path);
		if (!listen_is_left(&address))
			return err_set(err, "%s is in use, by a program that "
			    "serves there or as another file: choose another "
			    "path, or end that program", path);
		/* What is left of a program that was killed. */
		if (unlink(path) == -1 || listen_bind(fd, &address) == -1)
			return err_sys(err, "replace the socket %s", path);
	}
	if (listen(fd, LISTEN_QUEUE) == -1)
		return err_sys(err, "listen at %s", path);
	return fd_take(&fd);
}
