/*
 * One packet through a SOCK_SEQPACKET socket. channel adds the loop and the
 * queue; the box, which has no loop, uses this directly. Handles packets, not
 * messages.
 */
#ifndef COMMON_IPC_SOCKET_H
#define COMMON_IPC_SOCKET_H

#include "../base/err.h"
#include "ipc.h"

/*
 * Receives one packet; the caller closes its descriptors (ipc_packet_close, or
 * by decoding it). Returns 1 for a packet, 0 at the end (an empty packet reads
 * as the end), -1 with err: err->code is EAGAIN if a non-blocking socket has no
 * packet yet, EMFILE if this process may not have all descriptors of the packet
 * besides its own. A packet that lost bytes or descriptors is an error; all its
 * descriptors are closed.
 */
int ipc_socket_receive(int fd, struct ipc_packet *packet, struct err *err);

/* As ipc_socket_receive, but as if the socket were non-blocking. */
int ipc_socket_receive_now(int fd, struct ipc_packet *packet, struct err *err);

/*
 * Sends one whole packet. The caller keeps its descriptors. Returns 0, or -1
 * with err: err->code is EAGAIN if the queue of a non-blocking socket is full,
 * EPIPE if the peer has closed.
 */
int ipc_socket_send(int fd, const struct ipc_packet *packet, struct err *err);

/* As ipc_socket_send, but as if the socket were non-blocking. */
int ipc_socket_send_now(
    int fd, const struct ipc_packet *packet, struct err *err);

#endif
