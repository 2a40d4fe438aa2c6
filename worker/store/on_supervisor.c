/*
 * What the supervisor tells the store: the whole surface between the two. Runs
 * in the store.
 */
#include <unistd.h>

#include "../../common/lockdown.h"
#include "../../common/log.h"
#include "database.h"
#include "grant.h"
#include "lister.h"
#include "memories.h"
#include "saved_tools.h"
#include "store.h"

/* The scope of the user's own memories and tools. */
#define STORE_OWN ""

/*
 * Until now the store has read nothing but this message, and had a right to
 * every file of its user.
 */
void
store_on_keep(struct store *store, struct ipc_keep *keep)
{
	struct err err;

	log_init("store", (enum log_level)keep->log_level);
	if (fchdir(keep->folder) == -1)
		fatal("cannot enter the state directory");
	if (lockdown_in(ROLE_STORE, keep->folder, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	store->database = database_new(keep->most);
	/* Why it cannot be used is told with each request. */
	if (database_open(store->database, &err) == -1)
		log_error("%s", err.text);
}

void
store_on_grant(struct store *store, struct ipc_grant *grant)
{
	grant_new(store, grant);
}

/* What the user asks for at a terminal */

static struct database *
store_database(struct store *store)
{
	database_look(store->database);
	return store->database;
}

static void
store_show(struct store *store, int done, const struct buffer *json,
    const struct err *why)
{
	struct ipc_shown shown = { .reason = "" };
	struct err err;

	if (done == -1)
		shown.reason = why->text;
	else
		shown.payload = (struct ipc_blob){ (const uint8_t *)json->data,
			json->len, -1 };
	if (channel_send_shown(store->supervisor, &shown, &err) == -1)
		fatal("cannot answer the supervisor: %s", err.text);
}

void
store_on_show_memories(struct store *store, struct ipc_show_memories *show)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = memories_list(
	    store_database(store), STORE_OWN, show->after, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_show_memory(struct store *store, struct ipc_show_memory *show)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = memories_load(
	    store_database(store), STORE_OWN, show->key, 1, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_drop_memory(struct store *store, struct ipc_drop_memory *drop)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = memories_delete(
	    store_database(store), STORE_OWN, drop->key, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_drop_memories(struct store *store, struct ipc_drop_memories *drop)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done =
	    memories_clear(store_database(store), STORE_OWN, &json, &err);

	(void)drop;
	store_show(store, done, &json, &err);
}

void
store_on_show_tools(struct store *store, struct ipc_show_tools *show)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = saved_tools_list(
	    store_database(store), STORE_OWN, show->after, 1, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_show_tool(struct store *store, struct ipc_show_tool *show)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = saved_tools_load(
	    store_database(store), STORE_OWN, show->name, 1, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_drop_tool(struct store *store, struct ipc_drop_tool *drop)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = saved_tools_delete(
	    store_database(store), STORE_OWN, drop->name, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_drop_tools(struct store *store, struct ipc_drop_tools *drop)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = saved_tools_clear(store_database(store), STORE_OWN,
	    (int)drop->ignored, &json, &err);

	store_show(store, done, &json, &err);
}

void
store_on_lister(struct store *store, struct ipc_lister *lister)
{
	lister_set(store, lister);
}
