/* Messages of the broker to the supervisor. */
#include "../../../common/base/log.h"
#include "state.h"

void
to_supervisor_want(struct broker *broker, uint64_t link,
    const struct definition *definition)
{
	struct ipc_want want = { .process = link, .name = definition->name,
		.owner = definition->owner, .definition = definition->number };
	struct err err;

	if (channel_send_want(broker->supervisor, &want, &err) == -1)
		fatal("cannot request a server: %s", err.text);
}

void
to_supervisor_let_go(struct broker *broker, uint64_t link)
{
	struct ipc_let_go let_go = { .process = link };
	struct err err;

	if (channel_send_let_go(broker->supervisor, &let_go, &err) == -1)
		fatal("cannot release a server: %s", err.text);
}

void
to_supervisor_ask_client(struct broker *broker, uint64_t question,
    uint64_t execution, unsigned int kind, const struct buffer *params)
{
	struct ipc_ask_client ask = { .question = question,
		.execution = execution,
		.kind = kind,
		.params = { (const uint8_t *)params->data, params->len, -1 } };
	struct err err;

	/* Its end may be ours. */
	if (channel_send_ask_client(broker->supervisor, &ask, &err) == -1 &&
	    kind != 0)
		fatal("cannot ask a client: %s", err.text);
}

void
to_supervisor_want_lists(struct broker *broker)
{
	struct ipc_want_lists want = { 0 };
	struct err err;

	/* The store is only a cache, so its absence is no reason to exit. */
	if (channel_send_want_lists(broker->supervisor, &want, &err) == -1)
		log_debug("cannot request the store: %s", err.text);
}
