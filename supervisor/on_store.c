/*
 * The messages of the store to the supervisor: the whole surface between the
 * two.
 */
#include <stdlib.h>

#include "../common/base/mem.h"
#include "peers/store.h"
#include "process/process.h"
#include "handlers.h"

void
supervisor_on_shown(struct store *store, struct ipc_shown *shown)
{
	struct err err;
	auto_free char *payload = ipc_blob_copy(&shown->payload, &err);

	if (payload == NULL)
		service_violate(store, err.text);
	else
		store_hear_shown(
		    store, payload, shown->payload.len, shown->reason);
}

/* Only copied: its bytes are those of the code. */
void
supervisor_on_output_read(
    struct store *store, struct ipc_output_read *output_read)
{
	struct err err;
	auto_free char *text = ipc_blob_copy(&output_read->text, &err);
	const struct store_read read = { text, output_read->text.len,
		output_read->whole, (int)output_read->found,
		output_read->reason };

	if (text == NULL)
		service_violate(store, err.text);
	else
		store_hear_output(store, output_read->task, &read);
}
