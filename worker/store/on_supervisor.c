/* The messages from the supervisor: the complete interface between the two. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "database.h"
#include "executions.h"
#include "store_grant.h"
#include "memories.h"
#include "saved_tools.h"
#include "store.h"

/* The only message before the lockdown: see main.c. */
void
store_on_keep(struct store *store, struct ipc_keep *keep)
{
	log_init("store", keep->log_terms);
	if (fchdir(keep->folder) == -1)
		fatal("cannot enter the state directory");
	store->folder = fd_take(&keep->folder);
	store->database = database_new(keep->most);
	event_base_loopbreak(store->base);
}

static void
on_supervisor_late(evutil_socket_t, short, void *arg)
{
	struct store *store = arg;

	executions_flush(store->database);
}

void
store_open(struct store *store)
{
	struct err err;

	/* Included in each answer: a user at a terminal needs no log of it. */
	store->late = evtimer_new(store->base, on_supervisor_late, store);
	if (store->database != NULL &&
	    database_open(store->database, &err) == -1)
		store->fault = mem_strdup(err.text);
}

void
store_log_fault(struct store *store)
{
	auto_free char *fault = mem_take(&store->fault);

	if (fault != NULL)
		log_error("%s", fault);
}

void
store_on_grant_store(struct store *store, struct ipc_grant_store *grant)
{
	store_log_fault(store);
	store_grant_new(store, grant);
}

/* Requests of the user at a terminal */

static struct database *
on_supervisor_database(struct store *store)
{
	free(mem_take(&store->fault));
	database_look(store->database);
	return store->database;
}

static void
on_supervisor_tell(struct store *store, int done, const struct buffer *json,
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

/* Returns a name as a string that the caller frees. */
static char *
on_supervisor_name(const struct ipc_bytes *name)
{
	const char *text = (const char *)name->data;

	if (name->len > SAVED_TOOL_NAME_MAX || !utf8_valid(text, name->len) ||
	    memchr(text, '\0', name->len) != NULL)
		fatal("protocol violation by the supervisor: the name of an "
		    "item is not a text of at most %d bytes",
		    SAVED_TOOL_NAME_MAX);
	return mem_dup(text, name->len);
}

static int
on_supervisor_show(struct store *store, const struct ipc_show *show,
    struct buffer *json, struct err *err)
{
	struct database *database = on_supervisor_database(store);
	const char *scope = show->scope;
	auto_free char *name = NULL, *after = NULL;

	if (show->kind == STORED_MEMORIES)
		return show->name.len > 0 ?
		    memories_load(database, scope, show->name, 1, json, err) :
		    memories_list(database, scope, show->after, json, err);
	name = on_supervisor_name(&show->name);
	after = on_supervisor_name(&show->after);
	if (show->kind == STORED_EXECUTIONS)
		return show->name.len > 0 ?
		    executions_show(database, scope, name, json, err) :
		    executions_list(database, scope, after, json, err);
	return show->name.len > 0 ?
	    saved_tools_load(database, scope, name, 1, json, err) :
	    saved_tools_list(database, scope, after, 1, json, err);
}

void
store_on_show(struct store *store, struct ipc_show *show)
{
	auto_buffer struct buffer json = { 0 };
	struct err err;
	int done = on_supervisor_show(store, show, &json, &err);

	on_supervisor_tell(store, done, &json, &err);
}

void
store_on_drop(struct store *store, struct ipc_drop *drop)
{
	struct database *database = on_supervisor_database(store);
	auto_buffer struct buffer json = { 0 };
	auto_free char *name = NULL;
	struct err err;
	int done;

	if ((drop->which == STORED_DROP_ONE) != (drop->name.len > 0) ||
	    (drop->which == STORED_DROP_IGNORED && drop->kind != STORED_TOOLS))
		fatal("protocol violation by the supervisor: it is unclear "
		    "which items are to be removed");
	if (drop->kind == STORED_TOOLS) {
		name = on_supervisor_name(&drop->name);
		done = saved_tools_remove(database, drop->scope, name,
		    drop->which == STORED_DROP_IGNORED, &json, &err);
	} else
		done = memories_remove(
		    database, drop->scope, drop->name, &json, &err);
	on_supervisor_tell(store, done, &json, &err);
}

/* The answer is sent: a failure is only logged. */
void
store_on_keep_execution(
    struct store *store, struct ipc_keep_execution *execution)
{
	struct err err;

	store_log_fault(store);
	if (executions_keep(store->database, execution, &err) == -1)
		log_warn("execution %s was not kept: %s", execution->execution,
		    err.text);
	else if (!evtimer_pending(store->late, NULL))
		loop_set_timer(store->late, EXECUTIONS_WAIT_MS);
}

/* Returns as executions_read. */
static int
on_supervisor_read(struct database *database,
    const struct ipc_read_output *read_output, struct buffer *bytes,
    uint64_t *whole, struct err *err)
{
	const char *scope = read_output->scope, *id = read_output->execution;
	const struct execution_part part = { scope, id,
		read_output->part == OUTPUT_PART_ERRORS, 0 };

	if (read_output->part != OUTPUT_PART_ALL)
		return executions_read(database, &part, bytes, whole, err);
	if ((*id == '\0' ? executions_list(database, scope, "", bytes, err) :
	        executions_show(database, scope, id, bytes, err)) == -1)
		return -1;
	*whole = bytes->len;
	return strcmp(bytes->data, "null") != 0;
}

void
store_on_read_output(struct store *store, struct ipc_read_output *read_output)
{
	struct ipc_output_read answer = { .task = read_output->task,
		.reason = "" };
	auto_buffer struct buffer bytes = { 0 };
	auto_free char *reason = NULL;
	struct err why, err;
	int found;

	store_log_fault(store);
	database_look(store->database);
	found = on_supervisor_read(
	    store->database, read_output, &bytes, &answer.whole, &why);
	if (found == -1)
		answer.reason = reason = database_reason(store->database, &why);
	answer.found = found == 1;
	answer.text = (struct ipc_blob){ (const uint8_t *)bytes.data,
		bytes.len, -1 };
	if (channel_send_output_read(store->supervisor, &answer, &err) == -1)
		fatal("cannot answer the supervisor: %s", err.text);
}

void
store_on_lister(struct store *store, struct ipc_lister *lister)
{
	store_log_fault(store);
	lister_set(store, lister);
}
