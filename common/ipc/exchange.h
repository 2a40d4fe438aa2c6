/*
 * The exchange of a worker with the relay of one execution: requests come, each
 * gets an answer. A relay that violates the protocol, or reads no answers, only
 * ends its own exchange. Used by the broker and the store.
 */
#ifndef COMMON_EXCHANGE_H
#define COMMON_EXCHANGE_H

#include <stdbool.h>

#include "../base/buffer.h"
#include "channel.h"

struct exchange {
	struct channel *relay;
	uint64_t execution;
	bool over; /* nothing more is answered */
	struct event *ending; /* activated when it is over */
};

/*
 * Begins it with a descriptor, which is taken. ends is that of the channel;
 * on_ending gets its ctx when the exchange is over, from the loop, because the
 * caller of the functions below may still use it.
 */
void exchange_open(struct exchange *exchange, struct event_base *base, int *fd,
    uint64_t execution, const struct channel_ends *ends,
    event_callback_fn on_ending);

/* Closes the channel. */
void exchange_close(struct exchange *exchange);

/* Logs why the channel was closed, if the relay has violated the protocol. */
void exchange_note_closed(
    const struct exchange *exchange, const struct err *why);

/* The relay has violated the protocol, as how says: the exchange is over. */
void exchange_break(struct exchange *exchange, const char *how);

/* Takes what a channel_send has returned: after an error it is over. */
void exchange_sent(struct exchange *exchange, int sent, const struct err *err);

/* Whether this many more bytes of answers would exceed what may wait. */
int exchange_is_full(const struct exchange *exchange, size_t len);

/* Appends why a request is refused then. */
void exchange_add_full(const struct exchange *exchange, struct buffer *reason);

#endif
