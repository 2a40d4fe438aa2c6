/*
 * Sockets of the supervisor: those at which clients connect, and those at which
 * commands of our user reach it; and the lock of a directory. Runs in the
 * supervisor, and in its commands.
 */
#ifndef SUPERVISOR_PROCESS_SOCKET_H
#define SUPERVISOR_PROCESS_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/limits.h"

/*
 * The lock of a directory, which programs of ours hold for a moment while they
 * replace a file in it. Runs in the supervisor and in its commands.
 */

/*
 * Locks a directory, which the caller has opened, until that descriptor is
 * closed. Waits for another program, up to two seconds. Returns 0, or -1 with
 * errno.
 */
int folder_lock(int dir);

/*
 * Sockets of the supervisor: those at which clients connect, and those at which
 * commands of our user reach it.
 */

/* listen.c: sockets at which clients connect. */

/*
 * Returns a listening Unix socket of mode 0600 at this path, which the caller
 * owns and whose file the caller removes; replaces one that no program uses any
 * more. -1 with err.
 */
int listen_unix(const char *path, struct err *err);

/*
 * Returns a socket that listens at ADDRESS:PORT, where an address of IPv6 is in
 * brackets, localhost is 127.0.0.1, and port 0 is a free one. -1 with err.
 */
int listen_tcp(const char *where, struct err *err);

/*
 * Returns how many listening sockets a service manager has passed, as its
 * variables LISTEN_PID and LISTEN_FDS say (sd_listen_fds(3)): NULL, or another
 * process, is none. They are LISTEN_INHERITED and those after it. -1 with err
 * if there are too many, or descriptors that are none of these.
 */
int listen_inherit(const char *pid, const char *count, struct err *err);

/* Where a listening socket is, as text. */
struct listen_place {
	int local;      /* a Unix socket */
	bool outside;   /* other machines may reach it */
	unsigned int port;
	char text[LISTEN_TEXT_MAX + 1]; /* 127.0.0.1:80, [::1]:80, or a path */
};

/* Returns 0, or -1 with err if it is not a listening stream socket. */
int listen_look(int fd, struct listen_place *place, struct err *err);

/* notify.c: the service manager that has started us. All zeroes: none. */
struct notify {
	const char *where; /* its socket: a path, or @ and an abstract name */
	bool watchdog; /* it kills us if it hears nothing for some time */
};

/*
 * Takes the variables of sd_notify(3) and sd_watchdog_enabled(3) out of envp,
 * so that no child has them. Their text stays where it is.
 */
void notify_take(struct notify *notify, char **envp);

/*
 * Sends it these lines, such as READY=1, without waiting. Returns 0, also if
 * there is none, or -1 with err.
 */
int notify_send(
    const struct notify *notify, const char *lines, struct err *err);

/*
 * rendezvous.c: the sockets at which commands of our user reach the Caissons
 * that are running. They are in one directory, which is open as dir.
 */

/*
 * Returns a listening socket in that directory, and its name. The caller owns
 * it, and ends it with rendezvous_close. -1 with err.
 */
int rendezvous_open(
    int dir, char name[RENDEZVOUS_NAME_SIZE + 1], struct err *err);

/*
 * Accepts one command, and returns its descriptor, which the caller owns; -1
 * with err, also if the command is of another user.
 */
int rendezvous_accept(int socket, struct err *err);

/* Removes the socket and closes it. -1 inside is accepted. */
void rendezvous_close(int dir, const char *name, int *socket);

/* Appends the names of all sockets there. Returns 0, or -1 with err. */
int rendezvous_names(int dir, struct buffer *names, struct err *err);

/* Removes the sockets of Caissons that were killed. Does not block. */
void rendezvous_sweep(int dir);

/*
 * Connects to the socket of this name. Returns a blocking descriptor, whose
 * calls fail with EAGAIN after ms milliseconds, and which the caller owns; and
 * the process that listens there (0: in another namespace of processes). -1
 * with err, also if that process is of another user.
 */
int rendezvous_connect(int dir, const char *name, unsigned int ms, pid_t *pid,
    struct err *err);

#endif
