/*
 * One packet through a SOCK_SEQPACKET socket, blocking or not, as the socket
 * is. Below channel (which adds the loop and the queue); the box, which has no
 * loop, uses it directly. Knows packets, not messages.
 */
#ifndef COMMON_IPC_SOCKET_H
#define COMMON_IPC_SOCKET_H

#include "err.h"
#include "ipc.h"

/*
 * Receives one packet; the caller closes its descriptors (ipc_packet_close, or
 * by decoding it). Returns 1 for a packet, 0 at the end (an empty packet reads
 * as the end), -1 with err: err->code is EAGAIN when nothing has come yet on a
 * non-blocking socket. A packet that lost bytes or descriptors is an error and
 * leaves no descriptor behind.
 */
int ipc_socket_receive(int fd, struct ipc_packet *packet, struct err *err);

/*
 * Sends one packet, whole. Its descriptors stay the caller's. Returns 0, or -1
 * with err: err->code is EAGAIN when the queue of a non-blocking socket is
 * full, EPIPE when the peer is gone.
 */
int ipc_socket_send(int fd, const struct ipc_packet *packet, struct err *err);

#endif
