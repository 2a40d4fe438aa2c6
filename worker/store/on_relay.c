/*
 * The messages from a relay: the complete interface between the two. Keys and
 * sources are checked to be UTF-8, and values to be JSON on one line; nothing
 * else is required of them.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/storable.h"
#include "../../common/base/utf8.h"
#include "executions.h"
#include "store_grant.h"
#include "memories.h"
#include "saved_tools.h"

/* Where the items of a grant are: the first two arguments of all functions. */
#define ON_RELAY_ITEMS(grant)                                                  \
	store_grant_database(grant), store_grant_scope(grant)

/* Answers a request by a call that appends to json, or sets err. */
#define ON_RELAY_ANSWER(grant, id, ...)                                        \
	do {                                                                   \
		auto_buffer struct buffer json = { 0 };                        \
		struct err err;                                                \
		int done = __VA_ARGS__;                                        \
                                                                               \
		store_grant_answer(grant, id, done, &json, &err);              \
	} while (0)

static int
on_relay_wrote_key(struct ipc_bytes key)
{
	return utf8_valid((const char *)key.data, key.len);
}

/* Whether a request about a key is accepted. */
static int
on_relay_admit(struct store_grant *grant, uint64_t id, struct ipc_bytes key)
{
	if (!store_grant_admit(grant, id))
		return 0;
	if (on_relay_wrote_key(key))
		return 1;
	store_grant_break(grant, "the key is not UTF-8");
	return 0;
}

/* Returns the fault of the relay in a memory; NULL if there is none. */
static const char *
on_relay_judge(const struct memory *memory)
{
	const struct ipc_bytes *value = &memory->value;

	if (!on_relay_wrote_key(memory->key))
		return "the key is not UTF-8";
	if (storable_json((const char *)value->data, value->len, NULL) == -1)
		return "the value is not JSON on one line";
	return NULL;
}

void
store_on_save_memory(struct store_grant *grant, struct ipc_save_memory *save)
{
	auto_buffer struct buffer json = { 0 };
	auto_free char *value = NULL;
	struct memory memory = { .key = save->key, .metadata = save->metadata,
		.compared = (int)save->compared, .version = save->version };
	const char *wrong;
	struct err err;
	int done;

	if (!store_grant_admit(grant, save->id))
		return;
	value = ipc_blob_copy(&save->value, &err);
	memory.value =
	    (struct ipc_bytes){ (const uint8_t *)value, save->value.len };
	wrong = value == NULL ? err.text : on_relay_judge(&memory);
	if (wrong != NULL) {
		store_grant_break(grant, wrong);
		return;
	}
	done = memory.metadata.len == 0 ? 0 :
	    storable_metadata((const char *)memory.metadata.data,
	        memory.metadata.len, &err);
	if (done == 0)
		done = memories_save(
		    ON_RELAY_ITEMS(grant), &memory, &json, &err);
	store_grant_answer(grant, save->id, done, &json, &err);
}

void
store_on_load_memory(struct store_grant *grant, struct ipc_load_memory *load)
{
	if (on_relay_admit(grant, load->id, load->key))
		ON_RELAY_ANSWER(grant, load->id,
		    memories_load(ON_RELAY_ITEMS(grant), load->key,
		        (int)load->whole, &json, &err));
}

void
store_on_delete_memory(
    struct store_grant *grant, struct ipc_delete_memory *delete)
{
	if (on_relay_admit(grant, delete->id, delete->key))
		ON_RELAY_ANSWER(grant, delete->id,
		    memories_remove(
		        ON_RELAY_ITEMS(grant), delete->key, &json, &err));
}

void
store_on_list_memories(
    struct store_grant *grant, struct ipc_list_memories *list)
{
	if (on_relay_admit(grant, list->id, list->after))
		ON_RELAY_ANSWER(grant, list->id,
		    memories_list(
		        ON_RELAY_ITEMS(grant), list->after, &json, &err));
}

void
store_on_save_tool(struct store_grant *grant, struct ipc_save_tool *save)
{
	auto_free char *source = NULL;
	struct saved_tool tool = { .name = save->name, .about = save->about };
	struct err why;

	if (!store_grant_admit(grant, save->id))
		return;
	source = ipc_blob_copy(&save->source, &why);
	if (source == NULL || !utf8_valid(source, save->source.len)) {
		store_grant_break(grant, "the source is not UTF-8");
		return;
	}
	tool.source =
	    (struct ipc_bytes){ (const uint8_t *)source, save->source.len };
	ON_RELAY_ANSWER(grant, save->id,
	    saved_tools_save(ON_RELAY_ITEMS(grant), &tool,
	        store_grant_places(grant), &json, &err));
}

/* One of an earlier version whose name is no longer accepted is ignored. */
static int
on_relay_load_tool(struct store_grant *grant, const char *name,
    struct buffer *json, struct err *err)
{
	if (storable_name(name, NULL) == 0)
		return saved_tools_load(
		    ON_RELAY_ITEMS(grant), name, 1, json, err);
	buffer_add_text(json, "null");
	return 0;
}

void
store_on_load_tool(struct store_grant *grant, struct ipc_load_tool *load)
{
	if (store_grant_admit(grant, load->id))
		ON_RELAY_ANSWER(grant, load->id,
		    on_relay_load_tool(grant, load->name, &json, &err));
}

void
store_on_list_saved_tools(
    struct store_grant *grant, struct ipc_list_saved_tools *list)
{
	if (store_grant_admit(grant, list->id))
		ON_RELAY_ANSWER(grant, list->id,
		    saved_tools_list(ON_RELAY_ITEMS(grant), list->after, 0,
		        &json, &err));
}

void
store_on_load_output(struct store_grant *grant, struct ipc_load_output *load)
{
	const struct execution_part part = { store_grant_scope(grant),
		load->execution, (int)load->errors, load->from };

	if (store_grant_admit(grant, load->id))
		ON_RELAY_ANSWER(grant, load->id,
		    executions_load(
		        store_grant_database(grant), &part, &json, &err));
}
