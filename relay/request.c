/*
 * Parses the requests of the code in a frame of the box: the request, its
 * number, and its parts as spans. The frames are described at the top of
 * frames.c. A protocol violation by the box is distinguished from an error of
 * the code, which is refused. Runs in the relay; decides nothing about servers.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/base/mem.h"
#include "../common/base/utf8.h"
#include "relay.h"

static const struct {
	const char *name;
	enum ipc_type type;
} request_types[] = {
	{ "call_tool", IPC_CALL_TOOL },
	{ "list_tools", IPC_LIST_TOOLS },
	{ "list_servers", IPC_LIST_SERVERS },
	{ "load_server", IPC_LOAD_SERVER },
	{ "save_memory", IPC_SAVE_MEMORY },
	{ "load_memory", IPC_LOAD_MEMORY },
	{ "delete_memory", IPC_DELETE_MEMORY },
	{ "list_memories", IPC_LIST_MEMORIES },
	{ "save_tool", IPC_SAVE_TOOL },
	{ "load_tool", IPC_LOAD_TOOL },
	{ "list_saved_tools", IPC_LIST_SAVED_TOOLS },
	{ "load_output", IPC_LOAD_OUTPUT },
};

#define REQUEST_TYPES (sizeof(request_types) / sizeof(request_types[0]))

static int
request_read_id(const struct member *member, struct request *request,
    struct err *err)
{
	if (member_number(member, &request->id, err) == -1)
		return -1;
	return request->id > 0 ? 0 : err_set(err, "a request with an invalid "
	    "id");
}

static int
request_read_type(const struct member *member, struct request *request,
    struct err *err)
{
	size_t n;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	for (n = 0; n < REQUEST_TYPES; n++) {
		if (!json_span_is(member->value, request_types[n].name))
			continue;
		request->type = request_types[n].type;
		return 0;
	}
	return err_set(err, "a request of an unknown type");
}

/* A name that no server can have is an honest error of the code. */
static int
request_read_server(const struct member *member,
    struct request *request, struct err *err)
{
	auto_free char *name = NULL;
	size_t len = 0;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	/* In JSON a byte may take six ("\u0066"). */
	if (member->value.len <= CLIENT_LINE_FACTOR * CONFIG_NAME_MAX + 2)
		name = json_span_string(member->value, &len, NULL);
	if (name != NULL && len > 0 && len <= CONFIG_NAME_MAX &&
	    memchr(name, '\0', len) == NULL)
		memcpy(request->server, name, len + 1);
	else
		err_set(&request->refusal,
		    "unknown server: the name of a server has 1 to %d bytes of "
		    "UTF-8 without NUL",
		    CONFIG_NAME_MAX);
	return 0;
}

static int
request_read_tool(const struct member *member, struct request *request,
    struct err *err)
{
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	request->tool = member->value;
	if (request->tool.len > TOOL_NAME_MAX)
		err_set(&request->refusal,
		    "unknown tool: the name of a tool "
		    "has at most %lu bytes as JSON, not %zu",
		    TOOL_NAME_MAX, request->tool.len);
	return 0;
}

static void
request_refuse_size(struct request *request, size_t len)
{
	err_set(&request->refusal,
	    "the arguments of a call have at most %lu "
	    "MiB as JSON; these need %zu bytes",
	    TOOL_ARGUMENTS_MAX / MIB, len);
}

static int
request_read_arguments(const struct member *member,
    struct request *request, struct err *err)
{
	if (member->count != 1)
		return member_require(member, JSON_SPAN_OBJECT, err);
	request->arguments = member->value;
	if (json_span_kind(member->value) != JSON_SPAN_OBJECT)
		err_set(&request->refusal,
		    "the arguments of a call must be an object: a name and a "
		    "value for each");
	else if (member->value.len > TOOL_ARGUMENTS_MAX)
		request_refuse_size(request, member->value.len);
	return 0;
}

/* An optional member; false if absent. */
static int
request_read_remembered(const struct member *member,
    struct request *request, struct err *err)
{
	request->remembered = member->count == 1 &&
	    json_span_kind(member->value) == JSON_SPAN_TRUE;
	if (member->count == 0 || request->remembered)
		return 0;
	return member_require(member, JSON_SPAN_FALSE, err);
}

/* The text of an echo, or of a question about the output. */
static int
request_read_text(const struct member *member, struct request *request,
    struct err *err)
{
	auto_free char *text = NULL;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (member->value.len <= CLIENT_LINE_FACTOR * ECHO_MAX + 2)
		text = json_span_string(
		    member->value, &request->text_len, NULL);
	if (text == NULL || request->text_len > ECHO_MAX) {
		request->text_len = 0;
		err_set(&request->refusal, "the text of an echo has at most "
		    "%d bytes of UTF-8", (int)ECHO_MAX);
		return 0;
	}
	memcpy(request->text, text, request->text_len);
	return 0;
}

/* An echo: its text is optional. */
static int
request_read_echo(const struct member *member, struct request *request,
    struct err *err)
{
	request->echo = 1;
	return member->count == 0 ? 0 :
	    request_read_text(member, request, err);
}

/* Asks whether a text was printed. */
static int
request_read_printed(const struct member *member, struct request *request,
    struct err *err)
{
	request->printed = 1;
	return request_read_text(member, request, err);
}

static int
request_read_kind(const struct member *member, struct request *request,
    struct err *err)
{
	int kind;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	for (kind = 0; kind < PICTURE_KINDS; kind++) {
		request->picture.kind = (enum picture_kind)kind;
		if (json_span_is(member->value,
		        picture_name(request->picture.kind)))
			return 0;
	}
	return err_set(err, "a picture of an unknown kind");
}

/* The optional title of a picture; it is cut at the limit. */
static int
request_read_title(const struct member *member, struct request *request,
    struct err *err)
{
	auto_free char *title = NULL;
	size_t len = 0;

	if (member->count == 0)
		return 0;
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (member->value.len <= CLIENT_LINE_FACTOR * CODE_MAX)
		title = json_span_string(member->value, &len, NULL);
	if (title == NULL || memchr(title, '\0', len) != NULL) {
		err_set(&request->refusal, "the title of a picture must be "
		    "text without NUL");
		return 0;
	}
	len = utf8_cut(title, len, PICTURE_TITLE_MAX);
	memcpy(request->picture.title, title, len);
	return 0;
}

/* A picture, of which only the members are checked here. */
static int
request_read_show(const struct member *kind, const struct member *title,
    const struct member *data, struct request *request, struct err *err)
{
	request->show = 1;
	if (request_read_kind(kind, request, err) == -1 ||
	    request_read_title(title, request, err) == -1 ||
	    member_require(data, JSON_SPAN_STRING, err) == -1)
		return -1;
	/* Accepted base64 has no escapes: it equals the text in the quotes. */
	request->picture.data = (struct json_span){ data->value.p + 1,
		data->value.len - 2 };
	return 0;
}

/* An optional number; 0 if absent. */
static int
request_read_amount(
    const struct member *member, uint64_t *amount, struct err *err)
{
	if (member->count == 0)
		return 0;
	if (member_number(member, amount, err) == -1)
		return -1;
	return *amount <= PROGRESS_MAX ? 0 :
	    err_set(err, "a request with an invalid %s", member->name);
}

/* Progress; its text is cut at the limit. */
static int
request_read_progress(const struct member *done, const struct member *total,
    const struct member *text, struct request *request, struct err *err)
{
	struct request_progress *progress = &request->progress;
	auto_free char *words = NULL;
	size_t len = 0;

	request->tells = 1;
	if (member_require(done, JSON_SPAN_NUMBER, err) == -1 ||
	    request_read_amount(done, &progress->done, err) == -1 ||
	    request_read_amount(total, &progress->total, err) == -1)
		return -1;
	if (text->count == 0)
		return 0;
	if (member_require(text, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (text->value.len <= CLIENT_LINE_FACTOR * CODE_MAX)
		words = json_span_string(text->value, &len, NULL);
	if (words == NULL || memchr(words, '\0', len) != NULL) {
		err_set(&request->refusal, "the text of progress must be text "
		    "without NUL");
		return 0;
	}
	len = utf8_cut(words, len, PROGRESS_TEXT_MAX);
	memcpy(progress->text, words, len);
	return 0;
}

static int
request_read_payload(
    struct json_span payload, struct request *request, struct err *err)
{
	struct member members[] = { { .name = "type" },
		{ .name = "server" }, { .name = "tool" },
		{ .name = "arguments" }, { .name = "remembered" },
		{ .name = "text" }, { .name = "kind" }, { .name = "title" },
		{ .name = "data" }, { .name = "done" }, { .name = "total" } };

	member_find(payload, members, sizeof(members) / sizeof(members[0]));
	if (members[0].count == 1 && json_span_is(members[0].value, "echo"))
		return request_read_echo(&members[5], request, err);
	if (members[0].count == 1 && json_span_is(members[0].value, "printed"))
		return request_read_printed(&members[5], request, err);
	if (members[0].count == 1 && json_span_is(members[0].value, "show"))
		return request_read_show(
		    &members[6], &members[7], &members[8], request, err);
	if (members[0].count == 1 &&
	    json_span_is(members[0].value, "progress"))
		return request_read_progress(
		    &members[9], &members[10], &members[5], request, err);
	if (request_read_type(&members[0], request, err) == -1)
		return -1;
	if (store_request_is(request))
		return store_request_read(payload, request, err);
	if (request->type != IPC_LIST_SERVERS &&
	    request_read_server(&members[1], request, err) == -1)
		return -1;
	if (request->type == IPC_LIST_TOOLS)
		return request_read_remembered(&members[4], request, err);
	if (request->type != IPC_CALL_TOOL)
		return 0;
	if (request_read_tool(&members[2], request, err) == -1)
		return -1;
	return request_read_arguments(&members[3], request, err);
}

int
request_read(struct json_span frame, struct request *request, struct err *err)
{
	struct member members[] = { { .name = "id" },
		{ .name = "payload" } };

	memset(request, 0, sizeof(*request));
	request->frame = frame;
	member_find(frame, members, sizeof(members) / sizeof(members[0]));
	if (request_read_id(&members[0], request, err) == -1)
		return -1;
	if (member_require(&members[1], JSON_SPAN_OBJECT, err) == -1)
		return -1;
	return request_read_payload(members[1].value, request, err);
}

int
request_read_cancel(struct json_span frame, uint64_t *id, struct err *err)
{
	struct member member = { .name = "id" };
	struct request request;

	member_find(frame, &member, 1);
	if (request_read_id(&member, &request, err) == -1)
		return -1;
	*id = request.id;
	return 0;
}

/* Makes an object of the bytes before the payload, for its two members. */
static int
request_glimpse_head(const char *head, size_t len, struct request *request)
{
	struct member members[] = { { .name = "type" },
		{ .name = "id" } };
	char object[LINES_GLIMPSE + 1];
	struct json_span value;

	while (len > 0 && strchr(" \t\r,", head[len - 1]) != NULL)
		len--;
	memcpy(object, head, len);
	object[len] = '}';
	if (json_span_parse(object, len + 1, &value, NULL) == -1)
		return 0;
	member_find(value, members, sizeof(members) / sizeof(members[0]));
	return member_require(&members[0], JSON_SPAN_STRING, NULL) == 0 &&
	    json_span_is(members[0].value, "rpc_request") &&
	    request_read_id(&members[1], request, NULL) == 0;
}

int
request_glimpse(const struct line *line, struct request *request)
{
	static const char name[] = "\"payload\"";
	const char *payload =
	    memmem(line->data, line->len, name, sizeof(name) - 1);

	memset(request, 0, sizeof(*request));
	if (payload == NULL ||
	    !request_glimpse_head(
		line->data, (size_t)(payload - line->data), request))
		return 0;
	request_refuse_size(request, line->total);
	return 1;
}
