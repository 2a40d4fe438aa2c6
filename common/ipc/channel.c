/*
 * A channel: see channel.h. Run by every process with a loop. Each has one
 * thread, so one static packet and one message per process suffice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "channel.h"
#include "../base/fd.h"
#include "ipc_socket.h"
#include "../base/mem.h"

/* A queued packet, allocated with its exact size. */
struct channel_packet {
	STAILQ_ENTRY(channel_packet) entry;
	size_t weight; /* including the content of its memfds */
	size_t len;
	size_t nfds;
	int fds[IPC_FDS_MAX];
	uint8_t data[];
};

struct channel {
	int fd;
	struct channel_ends ends;
	enum ipc_phase sent;     /* phase of the stream to the peer */
	enum ipc_phase received; /* phase of the stream from the peer */
	struct event *readable;
	struct event *writable; /* added only while packets are queued */
	STAILQ_HEAD(, channel_packet) queue;
	size_t queued;
	size_t queued_bytes;
};

/*
 * Two messages, because a handler may send while its own message still borrows
 * bytes from the received packet.
 */
static struct ipc_packet channel_in;
static struct ipc_packet channel_out;

/* Abandons the channel and notifies its owner, who may free it. */
static void
channel_close(struct channel *channel, const struct err *why)
{
	event_del(channel->readable);
	event_del(channel->writable);
	channel->ends.closed(channel->ends.ctx, why);
}

/* A violation has no errno: see channel_blame. Returns -1. */
static int
channel_violated(struct err *err)
{
	err->code = 0;
	return -1;
}

/*
 * Checks and decodes the packet in channel_in. Returns 0, or -1 with err: the
 * peer has violated the protocol.
 */
static int
channel_accept(struct channel *channel, enum ipc_type *type,
    union ipc_any *msg, struct err *err)
{
	if (ipc_decode(&channel_in, type, msg, err) == -1) {
		ipc_packet_close(&channel_in);
		return channel_violated(err);
	}
	if (ipc_permit(channel->ends.peer, channel->ends.self, *type,
	        &channel->received, err) == -1) {
		ipc_message_close(*type, msg);
		return channel_violated(err);
	}
	return 0;
}

static void
channel_on_readable(evutil_socket_t fd, short, void *arg)
{
	static union ipc_any msg;
	struct channel *channel = arg;
	struct err err;
	enum ipc_type type;
	int n = ipc_socket_receive_now((int)fd, &channel_in, &err);

	if (n == -1 && err.code == EAGAIN)
		return;
	if (n == 0) {
		channel_close(channel, NULL);
		return;
	}
	if (n == -1 || channel_accept(channel, &type, &msg, &err) == -1) {
		channel_close(channel, &err);
		return;
	}
	/* The handler may free the channel, which must not be used after it. */
	channel->ends.routes[type](channel->ends.ctx, &msg);
	ipc_message_close(type, &msg);
}

static void
channel_packet_free(struct channel_packet **packet)
{
	size_t i;

	for (i = 0; i < (*packet)->nfds; i++)
		fd_close(&(*packet)->fds[i]);
	free(*packet);
	*packet = NULL;
}

/* Has channel_out own its descriptors: those that are lent are copied. */
static int
channel_own_fds(struct err *err)
{
	size_t i;
	int copy;

	for (i = 0; i < channel_out.nfds; i++) {
		if ((channel_out.lent & 1U << i) == 0)
			continue;
		copy = fcntl(channel_out.fds[i], F_DUPFD_CLOEXEC, 0);
		if (copy == -1)
			return err_sys(err, "make a copy of a descriptor");
		channel_out.fds[i] = copy;
		channel_out.lent &= ~(1U << i);
	}
	return 0;
}

/* Appends channel_out, with its descriptors, to the queue. */
static int
channel_enqueue(struct channel *channel, size_t blobs, struct err *err)
{
	struct channel_packet *packet;

	if (channel->queued >= IPC_QUEUE_PACKETS_MAX) {
		ipc_packet_close(&channel_out);
		return err_set(err, "%zu messages wait for %s already",
		    channel->queued, role_info(channel->ends.peer)->name);
	}
	if (channel_own_fds(err) == -1) {
		ipc_packet_close(&channel_out);
		return -1;
	}
	packet = mem_alloc(sizeof(*packet) + channel_out.len);
	packet->weight = channel_out.len + blobs;
	packet->len = channel_out.len;
	packet->nfds = channel_out.nfds;
	memcpy(packet->data, channel_out.data, packet->len);
	memcpy(packet->fds, channel_out.fds, sizeof(packet->fds));
	channel_out.nfds = 0;
	STAILQ_INSERT_TAIL(&channel->queue, packet, entry);
	channel->queued++;
	channel->queued_bytes += packet->weight;
	event_add(channel->writable, NULL);
	return 0;
}

static void
channel_drop_first(struct channel *channel)
{
	struct channel_packet *packet = STAILQ_FIRST(&channel->queue);

	STAILQ_REMOVE_HEAD(&channel->queue, entry);
	channel->queued--;
	channel->queued_bytes -= packet->weight;
	channel_packet_free(&packet);
}

/*
 * Sends channel_out, or queues it after the messages that wait; blobs is the
 * size of its memfds.
 */
static int
channel_transmit(struct channel *channel, size_t blobs, struct err *err)
{
	int sent;

	if (!STAILQ_EMPTY(&channel->queue))
		return channel_enqueue(channel, blobs, err);
	sent = ipc_socket_send_now(channel->fd, &channel_out, err);
	if (sent == -1 && err->code == EAGAIN)
		return channel_enqueue(channel, blobs, err);
	ipc_packet_close(&channel_out);
	return sent;
}

/*
 * The first message in the queue could not be sent. That the peer has closed is
 * noticed when reading.
 */
static void
channel_on_unsent(struct channel *channel, struct err *err)
{
	if (err->code == EAGAIN)
		return;
	event_del(channel->writable);
	if (err->code == EPIPE || err->code == ECONNRESET)
		return;
	err_wrap(err, "a message that waited cannot be sent");
	channel_close(channel, err);
}

static void
channel_on_writable(evutil_socket_t fd, short, void *arg)
{
	struct channel *channel = arg;
	struct channel_packet *packet = STAILQ_FIRST(&channel->queue);
	struct err err;
	int sent;

	channel_out.len = packet->len;
	channel_out.nfds = packet->nfds;
	memcpy(channel_out.data, packet->data, packet->len);
	memcpy(channel_out.fds, packet->fds, sizeof(packet->fds));
	sent = ipc_socket_send_now((int)fd, &channel_out, &err);
	channel_out.nfds = 0;
	if (sent == -1) {
		channel_on_unsent(channel, &err);
		return;
	}
	channel_drop_first(channel);
	if (STAILQ_EMPTY(&channel->queue))
		event_del(channel->writable);
}

struct channel *
channel_new(struct event_base *base, int *fd, const struct channel_ends *ends)
{
	struct channel *channel = mem_alloc(sizeof(*channel));

	channel->fd = fd_take(fd);
	channel->ends = *ends;
	STAILQ_INIT(&channel->queue);
	channel->readable = event_new(base, channel->fd, EV_READ | EV_PERSIST,
	    channel_on_readable, channel);
	channel->writable = event_new(base, channel->fd,
	    EV_WRITE | EV_PERSIST, channel_on_writable, channel);
	event_add(channel->readable, NULL);
	return channel;
}

size_t
channel_unsent(const struct channel *channel)
{
	return channel->queued_bytes;
}

void
channel_pause(struct channel *channel, int paused)
{
	if (paused)
		event_del(channel->readable);
	else
		event_add(channel->readable, NULL);
}

/* The bytes of a message that do not travel in its packet. */
static size_t
channel_blobs(enum ipc_type type, const void *msg)
{
	const struct ipc_field *field = ipc_fields(ipc_message(type));
	const struct ipc_blob *blob;
	size_t bytes = 0;

	for (; field->name[0] != '\0'; field++) {
		blob = (const void *)((const char *)msg + field->offset);
		if (field->kind == IPC_KIND_BLOB && blob->len > IPC_INLINE_MAX)
			bytes += blob->len;
	}
	return bytes;
}

int
channel_send(
    struct channel *channel, enum ipc_type type, void *msg, struct err *err)
{
	int encoded = ipc_encode(type, msg, &channel_out, err);

	if (encoded == -1 ||
	    ipc_permit(channel->ends.self, channel->ends.peer, type,
	        &channel->sent, err) == -1) {
		ipc_packet_close(&channel_out);
		return -1;
	}
	return channel_transmit(channel, channel_blobs(type, msg), err);
}

void
channel_free(struct channel **channelp)
{
	struct channel *channel = mem_take(channelp);
	struct channel_packet *packet;

	if (channel == NULL)
		return;
	loop_event_free(&channel->readable);
	loop_event_free(&channel->writable);
	while ((packet = STAILQ_FIRST(&channel->queue)) != NULL) {
		STAILQ_REMOVE_HEAD(&channel->queue, entry);
		channel_packet_free(&packet);
	}
	fd_close(&channel->fd);
	free(channel);
}
