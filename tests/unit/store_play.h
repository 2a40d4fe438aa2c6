/*
 * The real caisson-store, behind its real lockdown, with the test as its
 * supervisor and as its relays, all of which block. The state directory is a
 * temporary one, which the test looks into as it likes.
 */
#ifndef TESTS_UNIT_STORE_PLAY_H
#define TESTS_UNIT_STORE_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

static const char *play_program = "caisson-store";
static char play_folder[] = "/tmp/test_store.XXXXXX";
static pid_t play_pid;
static int play_supervisor; /* the supervisor's end */
static struct ipc_packet play_packet;
static union ipc_any play_msg; /* what came last */

/* Sends a message. */
static inline void
play_send(int fd, enum ipc_type type, void *msg)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, msg, &play_packet, &err) == 0, "%s",
	    err.text);
	ck_assert_msg(ipc_socket_send(fd, &play_packet, &err) == 0, "%s",
	    err.text);
	ipc_packet_close(&play_packet);
}

/* Waits for a message. Returns its type, or IPC_TYPES at the end. */
static inline enum ipc_type
play_receive(int fd)
{
	enum ipc_type type;
	struct err err;
	int n = ipc_socket_receive(fd, &play_packet, &err);

	if (n == 0 || (n == -1 && err.code == ECONNRESET))
		return IPC_TYPES;
	ck_assert_msg(n == 1, "%s", err.text);
	ck_assert_msg(ipc_decode(&play_packet, &type, &play_msg, &err) == 0,
	    "%s", err.text);
	return type;
}

/* Waits until the store has ended the channel. */
static inline void
play_expect_end(int fd)
{
	ck_assert_int_eq(play_receive(fd), IPC_TYPES);
	close(fd);
}

/* A path in the state directory, which the caller frees. */
static inline char *
play_path(const char *name)
{
	return mem_printf("%s/%s", play_folder, name);
}

static inline void
play_make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(play_folder));
}

static inline void
play_remove_folder(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", play_folder);

	ck_assert_int_eq(system(command), 0);
}

/* Starts a store in the state directory, which is there. */
static inline void
play_start_with(uint64_t most)
{
	struct ipc_keep keep = { .most = most };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	play_pid = fork();
	if (play_pid == 0) {
		dup2(pair[1], WORKER_CHANNEL_FD);
		execl(play_program, "store", NULL);
		_exit(99);
	}
	close(pair[1]);
	play_supervisor = pair[0];
	keep.folder = open(play_folder, O_RDONLY | O_DIRECTORY);
	play_send(play_supervisor, IPC_KEEP, &keep);
}

static inline void
play_start(void)
{
	play_start_with(STATE_MAX_MIN);
}

/* Gives the store a grant of this scope. Returns the relay's end. */
static inline int
play_grant_of(const char *scope)
{
	struct ipc_grant grant = { .execution = 7, .scope = scope };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	/* As the supervisor makes it: the store may not change flags. */
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	grant.relay = pair[1];
	play_send(play_supervisor, IPC_GRANT, &grant);
	return pair[0];
}

static inline int
play_grant(void)
{
	return play_grant_of("");
}

/* Ends the supervisor's channel: the store must end well. */
static inline void
play_end(void)
{
	int status;

	close(play_supervisor);
	ck_assert_int_eq(waitpid(play_pid, &status, 0), play_pid);
	ck_assert_int_eq(status, 0);
}

#endif
