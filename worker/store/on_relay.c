/*
 * The messages from a relay: the complete interface between the two. Keys and
 * sources are checked to be UTF-8, and values to be JSON on one line; nothing
 * else is required of them. Runs in the store.
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
	struct memory memory = { .key = save->key,
		.metadata = save->metadata,
		.compared = (int)save->compared,
		.version = save->version };
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
		done = memories_save(store_grant_database(grant),
		    store_grant_scope(grant), &memory, &json, &err);
	store_grant_answer(grant, save->id, done, &json, &err);
}

void
store_on_load_memory(struct store_grant *grant, struct ipc_load_memory *load)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!on_relay_admit(grant, load->id, load->key))
		return;
	done = memories_load(store_grant_database(grant),
	    store_grant_scope(grant), load->key, (int)load->whole, &json, &err);
	store_grant_answer(grant, load->id, done, &json, &err);
}

void
store_on_delete_memory(
    struct store_grant *grant, struct ipc_delete_memory *delete)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!on_relay_admit(grant, delete->id, delete->key))
		return;
	done = memories_delete(store_grant_database(grant),
	    store_grant_scope(grant), delete->key, &json, &err);
	store_grant_answer(grant, delete->id, done, &json, &err);
}

void
store_on_list_memories(
    struct store_grant *grant, struct ipc_list_memories *list)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!on_relay_admit(grant, list->id, list->after))
		return;
	done = memories_list(store_grant_database(grant),
	    store_grant_scope(grant), list->after, &json, &err);
	store_grant_answer(grant, list->id, done, &json, &err);
}

void
store_on_save_tool(struct store_grant *grant, struct ipc_save_tool *save)
{
	auto_buffer struct buffer json = { 0 };
	auto_free char *source = NULL;
	struct saved_tool tool = { .name = save->name, .about = save->about };
	struct err err;
	int done;

	if (!store_grant_admit(grant, save->id))
		return;
	source = ipc_blob_copy(&save->source, &err);
	if (source == NULL || !utf8_valid(source, save->source.len)) {
		store_grant_break(grant, "the source is not UTF-8");
		return;
	}
	tool.source =
	    (struct ipc_bytes){ (const uint8_t *)source, save->source.len };
	done = saved_tools_save(store_grant_database(grant),
	    store_grant_scope(grant), &tool, store_grant_places(grant), &json,
	    &err);
	store_grant_answer(grant, save->id, done, &json, &err);
}

void
store_on_load_tool(struct store_grant *grant, struct ipc_load_tool *load)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!store_grant_admit(grant, load->id))
		return;
	/*
	 * A tool of an earlier version whose name is no longer accepted is
	 * ignored.
	 */
	if (storable_name(load->name, NULL) == -1) {
		buffer_add_text(&json, "null");
		done = 0;
	} else {
		done = saved_tools_load(store_grant_database(grant),
		    store_grant_scope(grant), load->name, 1, &json, &err);
	}
	store_grant_answer(grant, load->id, done, &json, &err);
}

void
store_on_list_saved_tools(
    struct store_grant *grant, struct ipc_list_saved_tools *list)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!store_grant_admit(grant, list->id))
		return;
	done = saved_tools_list(store_grant_database(grant),
	    store_grant_scope(grant), list->after, 0, &json, &err);
	store_grant_answer(grant, list->id, done, &json, &err);
}

void
store_on_load_output(struct store_grant *grant, struct ipc_load_output *load)
{
	auto_buffer struct buffer json = { 0 };
	const struct execution_part part = { store_grant_scope(grant),
		load->execution, (int)load->errors, load->from };
	struct err err;
	int done;

	if (!store_grant_admit(grant, load->id))
		return;
	done = executions_load(store_grant_database(grant), &part, &json, &err);
	store_grant_answer(grant, load->id, done, &json, &err);
}
