/*
 * Messages to and from a worker that a test has started: the test is its
 * supervisor, and its other peers.
 */
#ifndef TESTS_UNIT_PEER_PLAY_H
#define TESTS_UNIT_PEER_PLAY_H

#include <fcntl.h>
#include <sys/socket.h>

#include "common/ipc_socket.h"
#include "unit.h"

static struct ipc_packet packet;
static union ipc_any msg; /* the message that came last */

static inline void
send_to(int fd, enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0, "%s",
	    err.text);
	ck_assert_msg(
	    ipc_socket_send(fd, &packet, &err) == 0, "%s", err.text);
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

#endif
