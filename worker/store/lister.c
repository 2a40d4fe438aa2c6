/* The channel to the broker: see store.h. */
#include "../../common/base/log.h"
#include "store.h"

/* A store that only waited for this channel ends. */
static void
lister_end(struct store *store)
{
	lister_free(store);
	if (store->ending)
		event_base_loopbreak(store->base);
}

static void
lister_on_closed(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_warn("%s the broker: %s", channel_blame(why), why->text);
	lister_end(ctx);
}

static void
lister_on_ending(evutil_socket_t, short, void *arg)
{
	lister_end(arg);
}

void
lister_set(struct store *store, struct ipc_lister *msg)
{
	struct channel_ends ends = { ROLE_STORE, ROLE_BROKER, store->routes,
		lister_on_closed, store };

	lister_free(store);
	store->lister = channel_new(store->base, &msg->broker, &ends);
	store->lister_ending =
	    evtimer_new(store->base, lister_on_ending, store);
}

void
lister_finish(struct store *store)
{
	store->ending = true;
	if (store->lister != NULL)
		event_base_dispatch(store->base);
}

void
lister_free(struct store *store)
{
	loop_event_free(&store->lister_ending);
	channel_free(&store->lister);
}

/* From the loop, because the caller is in a handler of the channel. */
void
lister_break(struct store *store, const char *how)
{
	log_warn("the broker receives no lists of tools any more: %s", how);
	event_active(store->lister_ending, EV_TIMEOUT, 0);
}
