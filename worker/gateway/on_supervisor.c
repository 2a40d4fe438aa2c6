/* The messages from the supervisor: the complete interface between the two. */
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "conn.h"
#include "gateway.h"
#include "guest.h"
#include "listener.h"

/* Returns the gateway; the message is of the channel of the gateway itself. */
static struct gateway *
on_supervisor_own(const struct gateway_end *end)
{
	if (end->guest != NULL)
		fatal("protocol violation by the supervisor: a message on the "
		    "channel of a guest");
	return end->gateway;
}

static struct guest *
on_supervisor_guest(const struct gateway_end *end)
{
	if (end->guest == NULL)
		fatal("protocol violation by the supervisor: a message for a "
		    "guest on another channel");
	return end->guest;
}

void
gateway_on_listen(struct gateway_end *end, struct ipc_listen *listen)
{
	listener_new(on_supervisor_own(end), listen);
}

/* The last message before the lockdown: see main.c. */
void
gateway_on_serve(struct gateway_end *end, struct ipc_serve *serve)
{
	struct gateway *gateway = on_supervisor_own(end);

	log_init("gateway", serve->log_terms);
	gateway->user = (uid_t)serve->user;
	gateway->body_max = serve->body_max;
	gateway->origins = mem_strdup(serve->origins);
	gateway->proxy = mem_strdup(serve->proxy);
	event_base_loopbreak(gateway->base);
}

void
gateway_on_welcome(struct gateway_end *end, struct ipc_welcome *welcome)
{
	guest_welcome(on_supervisor_own(end), welcome->visit, &welcome->guest);
}

void
gateway_on_turn_away(struct gateway_end *end, struct ipc_turn_away *away)
{
	guest_turn_away(on_supervisor_own(end), away);
}

void
gateway_on_drain(struct gateway_end *end, struct ipc_drain *)
{
	struct gateway *gateway = on_supervisor_own(end);

	gateway->draining = true;
	listener_stop_all(gateway);
	conn_drain_all(gateway);
}

void
gateway_on_reply(struct gateway_end *end, struct ipc_reply *reply)
{
	guest_on_reply(on_supervisor_guest(end), reply);
}

void
gateway_on_reply_file(struct gateway_end *end, struct ipc_reply_file *reply)
{
	guest_on_reply_file(on_supervisor_guest(end), reply);
}

void
gateway_on_await_body(struct gateway_end *end, struct ipc_await_body *await)
{
	guest_on_await_body(on_supervisor_guest(end), await);
}

void
gateway_on_event(struct gateway_end *end, struct ipc_event *event)
{
	guest_on_event(on_supervisor_guest(end), event);
}
