/*
 * One packet through a SOCK_SEQPACKET socket: see ipc_socket.h. Linked into
 * every process; opens no socket.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "ipc_socket.h"

/* Room for the descriptors of a packet, aligned as the kernel requires. */
union ipc_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(IPC_FDS_MAX * sizeof(int))];
};

/* There is room for IPC_FDS_MAX descriptors; the kernel delivers no more. */
static void
ipc_socket_take_fds(struct msghdr *msg, struct ipc_packet *packet)
{
	struct cmsghdr *c;
	size_t n;

	for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(packet->fds + packet->nfds, CMSG_DATA(c),
		    n * sizeof(int));
		packet->nfds += n;
	}
}

/*
 * Describes the loss of a part of a packet. If there was room for more
 * descriptors, the kernel could not open the next one here: its number would
 * have reached the limit. The peer has no part in that.
 */
static void
ipc_socket_lost(const struct msghdr *msg, const struct ipc_packet *packet,
    struct err *err)
{
	if (msg->msg_flags & MSG_TRUNC) {
		err_set(err, "a packet lost bytes on its way");
	} else if (packet->nfds == IPC_FDS_MAX) {
		err_set(err, "a packet lost descriptors on its way");
	} else {
		err_set(err, "receive a packet: this process may open no more "
		    "files, see 'ulimit -n'");
		if (err != NULL)
			err->code = EMFILE;
	}
}

static int
ipc_socket_receive_with(
    int fd, int flags, struct ipc_packet *packet, struct err *err)
{
	union ipc_control control;
	struct iovec iov = { packet->data, sizeof(packet->data) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	ssize_t n;

	packet->len = 0;
	packet->nfds = 0;
	packet->lent = 0;
	/*
	 * ECONNRESET: the peer closed its end before it read all of our
	 * packets. The kernel reports this once, before the packets sent by the
	 * peer.
	 */
	do
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | flags);
	while (n == -1 && (errno == EINTR || errno == ECONNRESET));
	if (n == -1)
		return err_sys(err, "receive a packet");
	ipc_socket_take_fds(&msg, packet);
	packet->len = (size_t)n;
	if (n > 0 && (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
		return 1;
	if (n > 0)
		ipc_socket_lost(&msg, packet, err);
	ipc_packet_close(packet);
	return n == 0 ? 0 : -1;
}

int
ipc_socket_receive(int fd, struct ipc_packet *packet, struct err *err)
{
	return ipc_socket_receive_with(fd, 0, packet, err);
}

int
ipc_socket_receive_now(int fd, struct ipc_packet *packet, struct err *err)
{
	return ipc_socket_receive_with(fd, MSG_DONTWAIT, packet, err);
}

/* Uses sendmsg, to pass the descriptors of the packet. */
static ssize_t
ipc_socket_send_fds(int fd, int flags, const struct ipc_packet *packet)
{
	size_t size = packet->nfds * sizeof(int);
	union ipc_control control = { .bytes = { 0 } };
	struct iovec iov = { (void *)(uintptr_t)packet->data, packet->len };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(size) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), packet->fds, size);
	return sendmsg(fd, &msg, MSG_NOSIGNAL | flags);
}

static int
ipc_socket_send_failed(struct err *err)
{
	int code = errno;

	if (code != ETOOMANYREFS)
		return err_sys(err, "send a packet");
	err_set(err, "send a packet: more descriptors of this user are in "
	    "flight than one process may have open, see 'ulimit -H -n'");
	err->code = code;
	return -1;
}

/*
 * Without descriptors send() is used: when a process of a box reports that it
 * could not become the interpreter, its filter already refuses sendmsg.
 */
static int
ipc_socket_send_with(
    int fd, int flags, const struct ipc_packet *packet, struct err *err)
{
	ssize_t n;

	do
		n = packet->nfds > 0 ?
		    ipc_socket_send_fds(fd, flags, packet) :
		    send(fd, packet->data, packet->len,
		        MSG_NOSIGNAL | flags);
	while (n == -1 && errno == EINTR);
	return n == -1 ? ipc_socket_send_failed(err) : 0;
}

int
ipc_socket_send(int fd, const struct ipc_packet *packet, struct err *err)
{
	return ipc_socket_send_with(fd, 0, packet, err);
}

int
ipc_socket_send_now(int fd, const struct ipc_packet *packet, struct err *err)
{
	return ipc_socket_send_with(fd, MSG_DONTWAIT, packet, err);
}
