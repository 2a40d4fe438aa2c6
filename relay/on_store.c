/*
 * What the store tells the relay: the whole surface between the two. Its end
 * costs only the requests that are under way: the next one has it fetched
 * again. Runs in the relay.
 */
#include "../common/fd.h"
#include "relay.h"

void
relay_on_answer(struct relay *relay, struct ipc_answer *answer)
{
	struct ipc_result result = { .id = answer->id,
		.payload = answer->payload };

	/* The memfd is that of the result now. */
	answer->payload.fd = -1;
	calls_result(relay->calls, &result);
	fd_close(&result.payload.fd);
}

void
relay_on_denied(struct relay *relay, struct ipc_denied *denied)
{
	struct ipc_refused refused = { .id = denied->id,
		.reason = denied->reason,
		.error = { .fd = -1 } };

	calls_refused(relay->calls, &refused);
}
