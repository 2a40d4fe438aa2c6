/* An exchange: see exchange.h. Runs in the broker and the store. */
#include <errno.h>
#include <inttypes.h>

#include "exchange.h"
#include "../limits.h"
#include "../base/log.h"

void
exchange_open(struct exchange *exchange, struct event_base *base, int *fd,
    uint64_t execution, const struct channel_ends *ends,
    event_callback_fn on_ending)
{
	exchange->execution = execution;
	exchange->over = false;
	exchange->relay = channel_new(base, fd, ends);
	exchange->ending = evtimer_new(base, on_ending, ends->ctx);
}

void
exchange_close(struct exchange *exchange)
{
	loop_event_free(&exchange->ending);
	channel_free(&exchange->relay);
}

void
exchange_note_closed(const struct exchange *exchange, const struct err *why)
{
	if (why != NULL)
		log_warn("%s the relay of call %016" PRIx64 ": %s",
		    channel_blame(why), exchange->execution, why->text);
}

static void
exchange_end(struct exchange *exchange)
{
	exchange->over = true;
	event_active(exchange->ending, EV_TIMEOUT, 0);
}

void
exchange_break(struct exchange *exchange, const char *how)
{
	log_warn("protocol violation by the relay of call %016" PRIx64
	    ": %s", exchange->execution, how);
	exchange_end(exchange);
}

void
exchange_sent(struct exchange *exchange, int sent, const struct err *err)
{
	if (sent == 0)
		return;
	(err->code == EPIPE || err->code == ECONNRESET ? log_debug : log_warn)(
	    "call %016" PRIx64 " cannot be answered: %s",
	    exchange->execution, err->text);
	exchange_end(exchange);
}

int
exchange_is_full(const struct exchange *exchange, size_t len)
{
	return channel_unsent(exchange->relay) + len > ANSWERS_UNREAD_MAX;
}

void
exchange_add_full(const struct exchange *exchange, struct buffer *reason)
{
	buffer_printf(reason, "%zu bytes of answers have not been read yet; "
	    "at most %lu may wait",
	    channel_unsent(exchange->relay), ANSWERS_UNREAD_MAX);
}
