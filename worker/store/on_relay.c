/*
 * What a relay asks of the store: the whole surface between the two. That
 * keys and sources are UTF-8, and values and metadata JSON on one line, is
 * checked here; nothing else is asked of them. Runs in the store.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/storable.h"
#include "../../common/utf8.h"
#include "grant.h"
#include "memories.h"
#include "saved_tools.h"

static int
relay_wrote_key(struct ipc_bytes key)
{
	return utf8_valid((const char *)key.data, key.len);
}

/* Whether a request about a key may be looked at. */
static int
relay_admit(struct client *client, uint64_t id, struct ipc_bytes key)
{
	if (!client_admit(client, id))
		return 0;
	if (relay_wrote_key(key))
		return 1;
	client_break(client, "a key that is not UTF-8");
	return 0;
}

/* What is wrong with a memory; NULL for nothing. */
static const char *
relay_judge(const struct memory *memory)
{
	const struct ipc_bytes *value = &memory->value;
	const struct ipc_bytes *metadata = &memory->metadata;

	if (!relay_wrote_key(memory->key))
		return "a key that is not UTF-8";
	if (storable_json((const char *)value->data, value->len, NULL) == -1)
		return "a value that is not JSON on one line";
	if (metadata->len > 0 &&
	    storable_metadata(
	        (const char *)metadata->data, metadata->len, NULL) == -1)
		return "metadata that are not an object that can be listed";
	return NULL;
}

void
store_on_save_memory(struct client *client, struct ipc_save_memory *save)
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

	if (!client_admit(client, save->id))
		return;
	value = ipc_blob_copy(&save->value, &err);
	memory.value =
	    (struct ipc_bytes){ (const uint8_t *)value, save->value.len };
	wrong = value == NULL ? err.text : relay_judge(&memory);
	if (wrong != NULL) {
		client_break(client, wrong);
		return;
	}
	done = memories_save(client_database(client), client_scope(client),
	    &memory, &json, &err);
	client_answer(client, save->id, done, &json, &err);
}

void
store_on_load_memory(struct client *client, struct ipc_load_memory *load)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!relay_admit(client, load->id, load->key))
		return;
	done = memories_load(client_database(client), client_scope(client),
	    load->key, (int)load->whole, &json, &err);
	client_answer(client, load->id, done, &json, &err);
}

void
store_on_delete_memory(struct client *client, struct ipc_delete_memory *delete)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!relay_admit(client, delete->id, delete->key))
		return;
	done = memories_delete(client_database(client), client_scope(client),
	    delete->key, &json, &err);
	client_answer(client, delete->id, done, &json, &err);
}

void
store_on_list_memories(struct client *client, struct ipc_list_memories *list)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!relay_admit(client, list->id, list->after))
		return;
	done = memories_list(client_database(client), client_scope(client),
	    list->after, &json, &err);
	client_answer(client, list->id, done, &json, &err);
}

void
store_on_save_tool(struct client *client, struct ipc_save_tool *save)
{
	auto_buffer struct buffer json = { 0 };
	auto_free char *source = NULL;
	struct saved_tool tool = { .name = save->name, .about = save->about };
	struct err err;
	int done;

	if (!client_admit(client, save->id))
		return;
	source = ipc_blob_copy(&save->source, &err);
	if (source == NULL || !utf8_valid(source, save->source.len)) {
		client_break(client, "a source that is not UTF-8");
		return;
	}
	tool.source =
	    (struct ipc_bytes){ (const uint8_t *)source, save->source.len };
	done = saved_tools_save(client_database(client), client_scope(client),
	    &tool, client_places(client), &json, &err);
	client_answer(client, save->id, done, &json, &err);
}

void
store_on_load_tool(struct client *client, struct ipc_load_tool *load)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!client_admit(client, load->id))
		return;
	/* One of earlier versions, by a name that is refused now, is ignored.*/
	if (storable_name(load->name, NULL) == -1) {
		buffer_add_text(&json, "null");
		done = 0;
	} else {
		done = saved_tools_load(client_database(client),
		    client_scope(client), load->name, 1, &json, &err);
	}
	client_answer(client, load->id, done, &json, &err);
}

void
store_on_list_saved_tools(
    struct client *client, struct ipc_list_saved_tools *list)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done;

	if (!client_admit(client, list->id))
		return;
	done = saved_tools_list(client_database(client), client_scope(client),
	    list->after, 0, &json, &err);
	client_answer(client, list->id, done, &json, &err);
}
