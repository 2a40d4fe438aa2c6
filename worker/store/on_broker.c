/* The messages from the broker: the complete interface between the two. */
#include <time.h>

#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "store.h"
#include "tool_lists.h"

/* A requested list. */
struct on_broker_answer {
	struct store *store;
	const struct ipc_bytes *fingerprint;
};

static void
on_broker_answer(void *ctx, const struct tool_list *list)
{
	const struct on_broker_answer *answer = ctx;
	struct ipc_recalled recalled = { .fingerprint = *answer->fingerprint,
		.info = { (const uint8_t *)list->info, list->info_len },
		.list = { (const uint8_t *)list->data, list->len, -1 } };
	struct err err;

	if (channel_send_recalled(answer->store->lister, &recalled, &err) == -1)
		lister_break(answer->store, err.text);
}

void
store_on_recall(struct store *store, struct ipc_recall *recall)
{
	static const struct tool_list none;
	struct on_broker_answer answer = { store, &recall->fingerprint };
	struct err err;

	if (tool_lists_find(store->database, recall->fingerprint.data,
	        (uint64_t)time(NULL), on_broker_answer, &answer, &err) == 0)
		return;
	log_warn("a list of tools cannot be looked up: %s", err.text);
	on_broker_answer(&answer, &none);
}

void
store_on_retain(struct store *store, struct ipc_retain *retain)
{
	struct err err;
	auto_free char *data = ipc_blob_copy(&retain->list, &err);
	struct tool_list list = { data, retain->list.len,
		(const char *)retain->info.data, retain->info.len };

	if (data == NULL) {
		lister_break(store, err.text);
		return;
	}
	if (tool_lists_put(store->database, retain->fingerprint.data,
	        (uint64_t)time(NULL), &list, &err) == -1)
		log_warn("a list of tools was not stored: %s", err.text);
}
