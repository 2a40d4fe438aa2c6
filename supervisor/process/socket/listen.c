/*
 * Sockets at which clients connect: see socket.h. Runs in the supervisor,
 * which accepts nothing itself.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/address.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "socket.h"

/*
 * Returns whether this is a socket that no program uses any more. Only such a
 * file may be removed: anything else refuses connections, too.
 */
static int
listen_is_stale(const struct sockaddr_un *address)
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

/*
 * Locks the directory of a path, so that of two programs which start there the
 * second one sees the socket of the first, and does not take it for one that
 * was left. Returns a descriptor that keeps the lock, or -1 with err.
 */
static int
listen_lock(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	auto_free char *folder = slash == NULL ? mem_strdup(".") :
	    mem_printf("%.*s", (int)(slash - path) + 1, path);
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return err_set(err, "cannot use the directory %s: %s; make it, "
		    "or choose another path%s", folder, strerror(errno),
		    *path == '~' ? " (~ is not expanded here)" : "");
	if (folder_lock(fd) == -1)
		return err_sys(
		    err, "lock the directory of the socket %s", path);
	return fd_take(&fd);
}

int
listen_unix(const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int lock = -1;
	auto_fd int fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd == -1)
		return err_sys(err, "make a socket");
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, "the path of a Unix socket has at most "
		    "%zu bytes: %s", sizeof(address.sun_path) - 1, path);
	memcpy(address.sun_path, path, strlen(path));
	lock = listen_lock(path, err);
	if (lock == -1)
		return -1;
	if (listen_bind(fd, &address) == -1) {
		if (errno != EADDRINUSE)
			return err_sys(err, "make the socket %s", path);
		if (!listen_is_stale(&address))
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

/* TCP */

/*
 * Accepted sockets inherit these: events are sent at once, and clients that
 * have vanished are noticed.
 */
static int
listen_adjust(int fd, int family)
{
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) == -1 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == -1)
		return -1;
	return family != AF_INET6 ? 0 :
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
}

int
listen_tcp(const char *where, struct err *err)
{
	union address_socket address;
	socklen_t len = address_read(where, &address);
	auto_fd int fd = -1;

	if (len == 0)
		return err_set(err, "\"%s\" is not an address and a port, such "
		    "as 127.0.0.1:8080 or [::1]:8080", where);
	fd = socket(address.any.sa_family,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd == -1 || listen_adjust(fd, address.any.sa_family) == -1 ||
	    bind(fd, &address.any, len) == -1 ||
	    listen(fd, LISTEN_QUEUE) == -1)
		return err_sys(err, "listen at %s", where);
	return fd_take(&fd);
}

/* Looking */

static void
listen_write_place(
    const union address_socket *address, struct listen_place *place)
{
	char name[INET6_ADDRSTRLEN] = "";

	switch (address->any.sa_family) {
	case AF_INET:
		place->port = ntohs(address->in.sin_port);
		place->outside = (ntohl(address->in.sin_addr.s_addr) >>
		    IN_CLASSA_NSHIFT) != IN_LOOPBACKNET;
		inet_ntop(AF_INET, &address->in.sin_addr, name, sizeof(name));
		snprintf(place->text, sizeof(place->text), "%s:%u", name,
		    place->port);
		return;
	case AF_INET6:
		place->port = ntohs(address->in6.sin6_port);
		place->outside = !IN6_IS_ADDR_LOOPBACK(&address->in6.sin6_addr);
		inet_ntop(
		    AF_INET6, &address->in6.sin6_addr, name, sizeof(name));
		snprintf(place->text, sizeof(place->text), "[%s]:%u", name,
		    place->port);
		return;
	default:
		place->local = 1;
		snprintf(place->text, sizeof(place->text), "%.*s",
		    (int)sizeof(address->un.sun_path), address->un.sun_path);
		return;
	}
}

int
listen_look(int fd, struct listen_place *place, struct err *err)
{
	union address_socket address = { .any.sa_family = AF_UNSPEC };
	socklen_t len = sizeof(address);
	int type = 0, listens = 0;
	socklen_t size = sizeof(type);

	memset(place, 0, sizeof(*place));
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == -1 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == -1 ||
	    getsockname(fd, &address.any, &len) == -1)
		return err_sys(err, "descriptor %d is not a socket", fd);
	if (type != SOCK_STREAM || !listens ||
	    (address.any.sa_family != AF_INET &&
	        address.any.sa_family != AF_INET6 &&
	        address.any.sa_family != AF_UNIX))
		return err_set(err, "descriptor %d is not a socket that "
		    "accepts connections by TCP or at a path", fd);
	listen_write_place(&address, place);
	return 0;
}

/* Inheriting: 20 lines, for which libsystemd need not be loaded. */

static int
listen_take(int fd, struct err *err)
{
	struct listen_place place;
	const int on = 1;

	if (listen_look(fd, &place, err) == -1)
		return err_wrap(err, "a socket in LISTEN_FDS");
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 ||
	    fd_set_nonblock(fd, 1, err) == -1)
		return err_sys(err, "use a socket of LISTEN_FDS");
	/* Their other properties are set by the service manager. */
	if (!place.local)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return 0;
}

int
listen_inherit(const char *pid, const char *count, struct err *err)
{
	int i, n;

	if (pid == NULL || count == NULL ||
	    strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	n = address_port(count);
	if (n < 1 || n > LISTEN_MAX)
		return err_set(err, "LISTEN_FDS=%s: the value must be a number "
		    "of sockets from 1 to %d", count, LISTEN_MAX);
	for (i = 0; i < n; i++)
		if (listen_take(LISTEN_INHERITED + i, err) == -1)
			return -1;
	return n;
}
