/*
 * Requests for the store: parses their members and makes the resulting message.
 * A protocol violation by the box is distinguished from an error of the code,
 * which is refused. Runs in the relay; never interprets stored data.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/base/log.h"
#include "../common/base/mem.h"
#include "../common/storable.h"
#include "relay.h"

/* The index of each member in the array that is read. */
enum store_request_part {
	PART_KEY,
	PART_VALUE,
	PART_METADATA,
	PART_VERSION,
	PART_WHOLE,
	PART_AFTER,
	PART_NAME,
	PART_ABOUT,
	PART_SOURCE,
	PART_EXECUTION,
	PART_ERRORS,
	PART_FROM,
	PARTS
};

int
store_request_is(const struct request *request)
{
	return ipc_message(request->type)->to == ROLE_STORE;
}

/*
 * Reads a string of least to most bytes into text (most + 1 bytes). Returns its
 * length; for an invalid text it sets a refusal and returns 0.
 */
static size_t
store_request_text(struct json_span value, const char *what, size_t least,
    size_t most, char *text, struct request *request)
{
	auto_free char *decoded = NULL;
	size_t len = 0;

	/* In JSON a byte may take six ("\u0066"). */
	if (value.len <= CLIENT_LINE_FACTOR * most + 2)
		decoded = json_span_string(value, &len, NULL);
	if (decoded != NULL && len >= least && len <= most) {
		memcpy(text, decoded, len + 1);
		return len;
	}
	err_set(&request->refusal, "%s is a text of %zu to %zu bytes of "
	    "UTF-8",
	    what, least, most);
	return 0;
}

static int
store_request_read_key(const struct member *member, size_t least,
    struct request *request, struct err *err)
{
	if (least == 0 && member->count == 0)
		return 0;
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	request->key_len = store_request_text(member->value, "a key", least,
	    MEMORY_KEY_MAX, request->key, request);
	return 0;
}

/* The name of a tool is a shorter key without NUL. */
static int
store_request_read_name(const struct member *member, size_t least,
    struct request *request, struct err *err)
{
	if (least == 0 && member->count == 0)
		return 0;
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	request->key_len = store_request_text(member->value,
	    "the name of a tool", least, SAVED_TOOL_NAME_MAX, request->key,
	    request);
	if (strlen(request->key) != request->key_len)
		err_set(&request->refusal,
		    "the name of a tool must not contain NUL");
	return 0;
}

static int
store_request_read_metadata(const struct member *member,
    struct request *request, struct err *err)
{
	if (member->count == 0)
		return 0;
	if (member->count > 1)
		return member_require(member, JSON_SPAN_OBJECT, err);
	request->metadata = member->value;
	if (member->value.len > MEMORY_METADATA_MAX)
		err_set(&request->refusal,
		    "metadata have at most %lu KiB as JSON; these need %zu "
		    "bytes", MEMORY_METADATA_MAX / KIB, member->value.len);
	else
		storable_metadata(member->value.p, member->value.len,
		    &request->refusal);
	return 0;
}

static int
store_request_read_save(struct member *members,
    struct request *request, struct err *err)
{
	const struct member *value = &members[PART_VALUE];

	if (store_request_read_key(&members[PART_KEY], 1, request, err) == -1 ||
	    store_request_read_metadata(
		&members[PART_METADATA], request, err) == -1)
		return -1;
	request->compared = members[PART_VERSION].count > 0;
	if (request->compared &&
	    member_number(
		&members[PART_VERSION], &request->version, err) == -1)
		return -1;
	if (value->count != 1)
		return err_set(err, "a request without a valid "
		    "\"value\"");
	request->value = value->value;
	if (value->value.len > MEMORY_VALUE_MAX)
		err_set(&request->refusal,
		    "a value has at most %lu MiB as JSON; this one needs %zu "
		    "bytes: store less, or in parts",
		    MEMORY_VALUE_MAX / MIB, value->value.len);
	return 0;
}

static int
store_request_read_tool(struct member *members,
    struct request *request, struct err *err)
{
	const struct member *source = &members[PART_SOURCE];

	if (store_request_read_name(&members[PART_NAME], 1, request, err) ==
	        -1 ||
	    member_require(&members[PART_ABOUT], JSON_SPAN_STRING, err) ==
	        -1 ||
	    member_require(source, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (request->refusal.text[0] == '\0')
		storable_name(request->key, &request->refusal);
	if (store_request_text(members[PART_ABOUT].value,
	        "the first line of a tool's documentation", 0,
	        SAVED_TOOL_ABOUT_MAX, request->about, request) !=
	    strlen(request->about))
		err_set(&request->refusal,
		    "the documentation of a tool must not contain NUL");
	request->source = source->value;
	return 0;
}

/* An id that is too long or has a NUL is that of no execution. */
static int
store_request_read_output(struct member *members,
    struct request *request, struct err *err)
{
	auto_free char *id = NULL;
	size_t len = 0;

	if (member_require(&members[PART_EXECUTION], JSON_SPAN_STRING, err) ==
	        -1 ||
	    member_number(&members[PART_FROM], &request->from, err) == -1)
		return -1;
	request->errors = members[PART_ERRORS].count == 1 &&
	    json_span_kind(members[PART_ERRORS].value) == JSON_SPAN_TRUE;
	if (members[PART_EXECUTION].value.len <=
	    CLIENT_LINE_FACTOR * EXECUTION_ID_MAX + 2)
		id = json_span_string(
		    members[PART_EXECUTION].value, &len, NULL);
	if (id != NULL && len <= EXECUTION_ID_MAX && strlen(id) == len)
		memcpy(request->key, id, len + 1);
	if (request->from > OUTPUT_KEPT_MAX)
		return err_set(err, "a request with an invalid from");
	return 0;
}

int
store_request_read(
    struct json_span payload, struct request *request, struct err *err)
{
	struct member members[PARTS] = { { .name = "key" },
		{ .name = "value" }, { .name = "metadata" },
		{ .name = "version" }, { .name = "whole" },
		{ .name = "after" }, { .name = "name" }, { .name = "about" },
		{ .name = "source" }, { .name = "execution" },
		{ .name = "errors" }, { .name = "from" } };

	/* All of the request is kept until the store is available. */
	request->arguments = request->frame;
	member_find(payload, members, PARTS);
	switch (request->type) {
	case IPC_SAVE_MEMORY:
		return store_request_read_save(members, request, err);
	case IPC_LOAD_MEMORY:
		request->whole = members[PART_WHOLE].count == 1 &&
		    json_span_kind(members[PART_WHOLE].value) == JSON_SPAN_TRUE;
		return store_request_read_key(
		    &members[PART_KEY], 1, request, err);
	case IPC_DELETE_MEMORY:
		return store_request_read_key(
		    &members[PART_KEY], 1, request, err);
	case IPC_LIST_MEMORIES:
		return store_request_read_key(
		    &members[PART_AFTER], 0, request, err);
	case IPC_SAVE_TOOL:
		return store_request_read_tool(members, request, err);
	case IPC_LOAD_TOOL:
		return store_request_read_name(
		    &members[PART_NAME], 1, request, err);
	case IPC_LIST_SAVED_TOOLS:
		return store_request_read_name(
		    &members[PART_AFTER], 0, request, err);
	case IPC_LOAD_OUTPUT:
		return store_request_read_output(members, request, err);
	default:
		/* request.c only returns requests whose parts are read here. */
		fatal("no request to the store has type %d", request->type);
	}
}

/* The messages */

static struct ipc_bytes
store_request_key(const struct request *request)
{
	return (struct ipc_bytes){ (const uint8_t *)request->key,
		request->key_len };
}

static int
store_request_send_save(
    struct channel *store, const struct request *request, struct err *err)
{
	struct ipc_save_memory save = { .id = request->id,
		.key = store_request_key(request),
		.value = { (const uint8_t *)request->value.p,
		    request->value.len, -1 },
		.metadata = { (const uint8_t *)request->metadata.p,
		    request->metadata.len },
		.compared = (uint64_t)request->compared,
		.version = request->version };

	return channel_send_save_memory(store, &save, err);
}

static int
store_request_send_tool(
    struct channel *store, const struct request *request, struct err *err)
{
	struct ipc_save_tool save = { .id = request->id,
		.name = request->key,
		.about = request->about };
	size_t len;
	auto_free char *source = json_span_string(request->source, &len, err);

	if (source == NULL)
		return err_wrap(err, "the source of the tool");
	if (len > SAVED_TOOL_SOURCE_MAX)
		return err_set(err, "the source of a tool has at most %lu KiB; "
		    "this one has %zu bytes", SAVED_TOOL_SOURCE_MAX / KIB, len);
	save.source = (struct ipc_blob){ (const uint8_t *)source, len, -1 };
	return channel_send_save_tool(store, &save, err);
}

int
store_request_send(
    struct channel *store, const struct request *request, struct err *err)
{
	struct ipc_load_memory load = { .id = request->id,
		.whole = (uint64_t)request->whole,
		.key = store_request_key(request) };
	struct ipc_delete_memory delete = { .id = request->id,
		.key = store_request_key(request) };
	struct ipc_list_memories list = { .id = request->id,
		.after = store_request_key(request) };
	struct ipc_load_tool tool = { .id = request->id,
		.name = request->key };
	struct ipc_list_saved_tools tools = { .id = request->id,
		.after = request->key };
	struct ipc_load_output output = { .id = request->id,
		.execution = request->key,
		.errors = (uint64_t)request->errors,
		.from = request->from };

	switch (request->type) {
	case IPC_SAVE_MEMORY:
		return store_request_send_save(store, request, err);
	case IPC_LOAD_MEMORY:
		return channel_send_load_memory(store, &load, err);
	case IPC_DELETE_MEMORY:
		return channel_send_delete_memory(store, &delete, err);
	case IPC_LIST_MEMORIES:
		return channel_send_list_memories(store, &list, err);
	case IPC_SAVE_TOOL:
		return store_request_send_tool(store, request, err);
	case IPC_LOAD_TOOL:
		return channel_send_load_tool(store, &tool, err);
	case IPC_LIST_SAVED_TOOLS:
		return channel_send_list_saved_tools(store, &tools, err);
	case IPC_LOAD_OUTPUT:
		return channel_send_load_output(store, &output, err);
	default:
		/* request.c only returns requests that are sent here. */
		fatal("no request to the store has type %d", request->type);
	}
}
