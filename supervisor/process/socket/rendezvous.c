/*
 * Where commands meet the running Caissons of their user: see socket.h. Each
 * Caisson has one socket in a directory of that user. Its name is random, and
 * is not used again, so a socket without a listener can be removed at any time.
 * Runs in the supervisor, and in commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/entries.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/text_list.h"
#include "socket.h"

/* The path of the directory itself may be longer than an address can be. */
static void
rendezvous_address(int dir, const char *name, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path),
	    "/proc/self/fd/%d/%.*s", dir, RENDEZVOUS_NAME_SIZE, name);
}

static int
rendezvous_socket(int flags)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

static int
rendezvous_connect_to(int fd, int dir, const char *name)
{
	struct sockaddr_un address;

	rendezvous_address(dir, name, &address);
	return connect(fd, (const struct sockaddr *)&address, sizeof(address));
}

/* Accepts only peers of our own user. */
static int
rendezvous_check(int fd, pid_t *pid, struct err *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == -1)
		return err_sys(err, "look at the user of a peer");
	if (peer.uid != geteuid())
		return err_set(err, "the peer belongs to user %u, and this "
		    "program to user %u", (unsigned int)peer.uid,
		    (unsigned int)geteuid());
	*pid = peer.pid;
	return 0;
}

/* Names */

static void
rendezvous_on_entry(void *ctx, const char *name)
{
	if (strlen(name) == RENDEZVOUS_NAME_SIZE &&
	    strspn(name, "0123456789abcdef") == RENDEZVOUS_NAME_SIZE)
		text_list_add(ctx, name);
}

int
rendezvous_names(int dir, struct buffer *names, struct err *err)
{
	auto_fd int again =
	    openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return entries_each(&again, rendezvous_on_entry, names) == 0 ?
	    0 :
	    err_sys(err, "list the running Caissons");
}

void
rendezvous_sweep(int dir)
{
	auto_buffer struct buffer names = { 0 };
	const char *name;

	if (rendezvous_names(dir, &names, NULL) == -1)
		return;
	TEXT_LIST_EACH(name, names.data, names.len)
	{
		auto_fd int fd = rendezvous_socket(SOCK_NONBLOCK);

		if (fd != -1 && rendezvous_connect_to(fd, dir, name) == -1 &&
		    errno == ECONNREFUSED) {
			struct stat st;

			if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISSOCK(st.st_mode) &&
			    time(NULL) - st.st_mtime > RENDEZVOUS_STALE_SECONDS)
				unlinkat(dir, name, 0);
		}
	}
}

/* The Caisson */

int
rendezvous_open(int dir, char name[RENDEZVOUS_NAME_SIZE + 1], struct err *err)
{
	auto_fd int fd = rendezvous_socket(SOCK_NONBLOCK);
	struct sockaddr_un address;
	unsigned char random[RENDEZVOUS_NAME_SIZE / 2];
	size_t i;

	if (fd == -1)
		return err_sys(err, "make a socket");
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(random))
		return err_sys(err, "get random numbers");
	for (i = 0; i < sizeof(random); i++)
		snprintf(name + 2 * i, 3, "%02x", random[i]);
	rendezvous_address(dir, name, &address);
	/* Nobody can connect to it until it listens. */
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) ==
	        0 &&
	    fchmodat(dir, name, S_IRUSR | S_IWUSR, 0) == 0 &&
	    listen(fd, RENDEZVOUS_QUEUE) == 0)
		return fd_take(&fd);
	err_sys(err, "make a socket for commands");
	unlinkat(dir, name, 0);
	return -1;
}

int
rendezvous_accept(int socket, struct err *err)
{
	auto_fd int fd =
	    accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	pid_t pid;

	if (fd == -1)
		return err_sys(err, "accept a command");
	return rendezvous_check(fd, &pid, err) == -1 ? -1 : fd_take(&fd);
}

void
rendezvous_close(int dir, const char *name, int *socket)
{
	if (*socket != -1)
		unlinkat(dir, name, 0);
	fd_close(socket);
}

/* The command */

int
rendezvous_connect(
    int dir, const char *name, unsigned int ms, pid_t *pid, struct err *err)
{
	const struct timeval most = clock_timeval(ms);
	auto_fd int fd = rendezvous_socket(0);

	if (fd == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) ==
		-1 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) ==
		-1 ||
	    rendezvous_connect_to(fd, dir, name) == -1)
		return err_sys(err, "reach a running Caisson");
	return rendezvous_check(fd, pid, err) == -1 ? -1 : fd_take(&fd);
}
