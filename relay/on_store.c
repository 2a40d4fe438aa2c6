/*
 * The messages from the store: the complete interface between the two. The end
 * of the store costs only the requests in flight: the next request fetches a
 * new store.
 */
#include "../common/base/fd.h"
#include "relay.h"

void
relay_on_answer(struct relay *relay, struct ipc_answer *answer)
{
	struct ipc_result result = { .id = answer->id,
		.payload = answer->payload };

	/* The memfd now belongs to the result. */
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
