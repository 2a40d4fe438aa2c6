/*
 * A channel: one end of a SOCK_SEQPACKET socketpair on the event loop, over
 * which messages of the catalogue go. What arrives is checked (sender, phase,
 * exact decoding) before a handler sees it; what cannot be sent at once waits
 * in a bounded queue. Used by supervisor, relay, broker, reader and store.
 *
 * A handler never runs the loop, never blocks, and may free its channel:
 * nothing here touches a channel after its handler or closed() was called.
 */
#ifndef COMMON_CHANNEL_H
#define COMMON_CHANNEL_H

#include "ipc.h"
#include "loop.h"

struct channel;

/* msg is the struct of its type; bytes are borrowed, take descriptors. */
typedef void channel_handler(void *ctx, void *msg);

/* Who talks to whom, and who listens. Copied by channel_new. */
struct channel_ends {
	enum role self;
	enum role peer;
	channel_handler *const *routes; /* by type: ipc_route.h */
	/*
	 * The channel is of no use any more: the peer is gone (why is NULL) or
	 * violated the protocol (why says how). Called at most once, last of
	 * all.
	 */
	void (*closed)(void *ctx, const struct err *why);
	void *ctx;
};

/* Takes *fd. Returns a channel that channel_free frees. */
struct channel *channel_new(
    struct event_base *base, int *fd, const struct channel_ends *ends);

/*
 * Sends msg (the struct of type), whose descriptors are taken in any case.
 * Returns 0, also when it waits in the queue, or -1 with err when a field
 * breaks its bounds, the message is not legal now, the queue is full or the
 * peer is gone. The channel stays usable for channel_free only after that.
 */
int channel_send(struct channel *channel, enum ipc_type type, void *msg,
    struct err *err);

/*
 * Returns how many bytes wait in the queue, those in memfds included; what the
 * kernel has taken already is not counted.
 */
size_t channel_unsent(const struct channel *channel);

/*
 * Stops to receive, until it is called with 0: what the peer sends waits with
 * the peer, and its end is told of later. For a peer that sends more than there
 * is room for.
 */
void channel_pause(struct channel *channel, int paused);

/* Closes the descriptor and forgets the queue. NULL inside is accepted. */
void channel_free(struct channel **channel);

/* The typed senders: channel_send_start(channel, &start, err), … */
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	static inline __attribute__((unused)) int channel_send_##name(         \
	    struct channel *channel, struct ipc_##name *msg, struct err *err)  \
	{                                                                      \
		return channel_send(channel, IPC_##NAME, msg, err);            \
	}
#include "ipc_messages.def"

#endif
