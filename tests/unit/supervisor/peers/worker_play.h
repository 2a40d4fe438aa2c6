/*
 * What the tests of the supervisor's peers share. The test holds the worker's
 * end of the channel and is the worker; a process that does nothing stands for
 * it, so that the supervisor has one to end.
 */
#ifndef TESTS_UNIT_WORKER_PLAY_H
#define TESTS_UNIT_WORKER_PLAY_H

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/loop.h"
#include "supervisor/options/state_dir.h"
#include "supervisor/process/process.h"
#include "tests/unit/unit.h"

#define RELAY_USER 4711

/* No peer here is a connector, and none but the broker is as relays are. */
unsigned int
identity_logins(void)
{
	ck_abort_msg("a connector");
}

unsigned int
identity_nobody(void)
{
	return RELAY_USER;
}

/* What a peer with a directory hides is why there is none. */
void
state_dir_hide(const struct options *, struct err *err)
{
	ck_assert_str_ne(err->text, "");
}

static struct ipc_packet packet;
static union ipc_any msg; /* the message that came last */

static inline void
send_to(int fd, enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0, "%s",
	    err.text);
	ck_assert_msg(ipc_socket_send(fd, &packet, &err) == 0, "%s", err.text);
	ipc_packet_close(&packet);
}

/* Waits for a message. Returns its type, IPC_TYPES at the end. */
static inline enum ipc_type
receive(int fd)
{
	enum ipc_type type;
	struct err err;
	int n = ipc_socket_receive(fd, &packet, &err);

	if (n == 0)
		return IPC_TYPES;
	ck_assert_msg(n == 1, "%s", err.text);
	ck_assert_msg(ipc_decode(&packet, &type, &msg, &err) == 0, "%s",
	    err.text);
	return type;
}

static struct event_base *base;

/*
 * Starts that process; is_deaf: it ignores SIGTERM. *end becomes the worker's
 * end of the channel. Returns its number, and a pidfd of it.
 */
static inline pid_t
start_worker(int channel, int *end, int *pidfd, int is_deaf)
{
	pid_t process;
	int ready[2];
	char byte;

	ck_assert_int_eq(pipe(ready), 0);
	process = fork();
	if (process == 0) {
		/* The test holds the channel, and ends it. */
		close(channel);
		close(ready[0]);
		signal(SIGTERM, is_deaf ? SIG_IGN : SIG_DFL);
		close(ready[1]);
		pause();
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 0);
	close(ready[0]);
	fd_close(end);
	*end = fcntl(channel, F_DUPFD_CLOEXEC, 3);
	*pidfd = (int)syscall(SYS_pidfd_open, process, 0);
	return process;
}

/* Lets the supervisor do all that it can do now. */
static inline void
settle(void)
{
	int n;

	for (n = 0; n < 8; n++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

/* Receives the next message at this end, which must be of this type. */
static inline void
expect(int end, enum ipc_type wanted)
{
	struct err err = { 0, "the end" };
	enum ipc_type type;

	settle();
	if (ipc_socket_receive(end, &packet, &err) != 1 ||
	    ipc_decode(&packet, &type, &msg, &err) == -1)
		ck_abort_msg("%s does not come: %s",
		    ipc_message(wanted)->name, err.text);
	ck_assert_str_eq(ipc_message(type)->name, ipc_message(wanted)->name);
}

/* Sends a message at this end, and lets the supervisor handle it. */
static inline void
say(int end, enum ipc_type type, void *message)
{
	send_to(end, type, message);
	settle();
}

#endif
