/*
 * The messages of the store to the supervisor: the whole surface between the
 * two. Runs in the supervisor.
 */
#include <stdlib.h>

#include "../common/mem.h"
#include "peers/store.h"
#include "handlers.h"

void
supervisor_on_shown(struct store *store, struct ipc_shown *shown)
{
	struct err err;
	auto_free char *payload = ipc_blob_copy(&shown->payload, &err);

	if (payload == NULL)
		store_fail(store, err.text);
	else
		store_hear_shown(
		    store, payload, shown->payload.len, shown->reason);
}
