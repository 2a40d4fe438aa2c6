/*
 * A channel: one end of a SOCK_SEQPACKET socket pair on the event loop, which
 * carries messages of the catalogue. A received message is checked (sender,
 * phase, exact decoding) before its handler runs. A message that cannot be sent
 * at once is put into a bounded queue. Used by supervisor, relay, broker,
 * reader, store, files and porter.
 *
 * A handler never runs the loop, never blocks, and may free its channel:
 * nothing here uses a channel after its handler or closed() was called.
 */
#ifndef COMMON_CHANNEL_H
#define COMMON_CHANNEL_H

#include "ipc.h"
#include "../base/loop.h"

struct channel;

/*
 * msg is the struct of its type. Its bytes are borrowed; the handler may take
 * its descriptors.
 */
typedef void channel_handler(void *ctx, void *msg);

/* The two peers and the handlers. Copied by channel_new. */
struct channel_ends {
	enum role self;
	enum role peer;
	channel_handler *const *routes; /* by type: ipc_route.h */
	/*
	 * The channel cannot be used any more: the peer has closed it (why is
	 * NULL), or violated the protocol (why contains the violation), or a
	 * packet cannot be received, or one in the queue cannot be sent (why
	 * contains the error): see channel_blame. Called at most once, after
	 * all handlers.
	 */
	void (*closed)(void *ctx, const struct err *why);
	void *ctx;
};

/* Takes *fd. Returns a channel; the caller frees it with channel_free. */
struct channel *channel_new(
    struct event_base *base, int *fd, const struct channel_ends *ends);

/*
 * Sends msg (the struct of type) and takes its descriptors, also on failure.
 * Returns 0, also if the message is queued, or -1 with err if a field exceeds
 * its bounds, the message is illegal in this phase, the queue is full, or the
 * peer has closed. After an error only channel_free may be called.
 */
int channel_send(struct channel *channel, enum ipc_type type, void *msg,
    struct err *err);

/*
 * Returns the number of bytes in the queue, including those in memfds; bytes
 * already taken by the kernel are not counted.
 */
size_t channel_unsent(const struct channel *channel);

/*
 * Stops receiving until it is called with 0: messages stay with the peer, and
 * the end of the channel is reported later. Used while there is no room for
 * more messages of the peer.
 */
void channel_pause(struct channel *channel, int paused);

/*
 * Returns how a sentence about why of closed() begins: that the peer violated
 * the protocol, or that the channel failed, which is no fault of the peer. The
 * name of the peer follows, ": ", and the text of why.
 */
static inline const char *
channel_blame(const struct err *why)
{
	return why->code == 0 ? "protocol violation by" : "lost the channel to";
}

/* Closes the descriptor and discards the queue. NULL inside is accepted. */
void channel_free(struct channel **channel);

/* The typed senders: channel_send_start(channel, &start, err), … */
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	static inline __attribute__((unused)) int channel_send_##name(         \
	    struct channel *channel, struct ipc_##name *msg, struct err *err)  \
	{                                                                      \
		return channel_send(channel, IPC_##NAME, msg, err);            \
	}
#include "../ipc_messages.def"

#endif
