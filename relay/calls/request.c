/*
 * Reads the requests of the code in frames of the box, which frames.c
 * describes: each becomes the message of the catalogue that has its name, or is
 * one that the relay itself answers (local.c). A protocol violation by the box
 * is distinguished from an error of the code, which is refused. Runs in the
 * relay; never interprets the values.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "calls.h"

enum request_form {
	REQUEST_NUMBER, /* of a field without a row: also true and false */
	REQUEST_STRING,
	REQUEST_QUOTED,
	REQUEST_OBJECT,
	REQUEST_VALUE,
};

/*
 * For each request a row with its type; behind it one, of type IPC_TYPES, for
 * each IPC_JSON.
 */
static const struct request_row {
	enum ipc_type type;
	enum request_form form;
	size_t offset; /* of the field in its message */
	char words[48];
} request_rows[] = {
#define IPC_REQUEST(NAME, name, TO, doc) { IPC_##NAME, REQUEST_NUMBER, 0, "" },
#define IPC_JSON(name, field, FORM, words)                                     \
	{ IPC_TYPES, REQUEST_##FORM, offsetof(struct ipc_##name, field),       \
		words },
#include "../../common/ipc_messages.def"
};

/* All fields but numbers have such a row, and no others; nor other peers. */
#define IPC_REQUEST(NAME, name, TO, doc)                                       \
	_Static_assert(ROLE_##TO == ROLE_STORE || ROLE_##TO == ROLE_BROKER,    \
	    "request " #name ": calls_send() has no such peer");               \
	_Static_assert(1 * (0
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	_Static_assert(0 * (0
#define IPC_TEXT(name, field, least, most, doc) +1
#define IPC_BYTES(name, field, least, most, doc) +1
#define IPC_BLOB(name, field, most, doc) +1
#define IPC_FD(name, field, KIND, doc) +1
#define IPC_OPTIONAL_FD(name, field, KIND, doc) +1
#define IPC_JSON(name, field, FORM, words) -1
#define IPC_END(name) ) == 0, "request " #name ": IPC_JSON is missing");
#include "../../common/ipc_messages.def"

#define REQUEST_ROWS (sizeof(request_rows) / sizeof(request_rows[0]))

/* Returns the row of a request, or NULL. */
static const struct request_row *
request_find(struct json_span type)
{
	size_t n;

	for (n = 0; n < REQUEST_ROWS; n++)
		if (request_rows[n].type != IPC_TYPES &&
		    json_span_is(type,
		        ipc_message(request_rows[n].type)->name))
			return &request_rows[n];
	return NULL;
}

/* Returns how a field of the request is read, and called. */
static const struct request_row *
request_form(const struct request_row *row, const struct ipc_field *field)
{
	const struct request_row *one = row;

	while (++one < request_rows + REQUEST_ROWS && one->type == IPC_TYPES)
		if (one->offset == field->offset)
			return one;
	return row;
}

static int
request_read_id(const struct json_span_member *member, struct request *request,
    struct err *err)
{
	if (member_number(member, &request->id, err) == -1)
		return -1;
	return request->id > 0 ? 0 : err_set(err, "a request with an invalid "
	    "id");
}

/* Fields */

/* A number; true or false where the bounds are 0 and 1. */
static int
request_read_number(const struct ipc_field *field,
    const struct json_span_member *member, uint64_t *number, struct err *err)
{
	if (field->most == 1) {
		*number = member->count == 1 &&
		    json_span_kind(member->value) == JSON_SPAN_TRUE;
		return *number == 1 ? 0 :
		    member_require(member, JSON_SPAN_FALSE, err);
	}
	if (member_number(member, number, err) == -1)
		return -1;
	if (*number >= field->least && *number <= field->most)
		return 0;
	return err_set(err, "a request with an invalid %s", field->name);
}

static void
request_refuse_string(struct request *request, const struct ipc_field *field,
    const char *words)
{
	const char *without =
	    field->kind == IPC_KIND_TEXT ? " without NUL" : "";

	if (field->least > 0)
		err_set(&request->refusal, "%s must have %llu to %llu bytes "
		    "of UTF-8%s", words, (unsigned long long)field->least,
		    (unsigned long long)field->most, without);
	else
		err_set(&request->refusal, "%s must have at most %llu bytes of "
		    "UTF-8%s", words, (unsigned long long)field->most, without);
}

static void
request_refuse_size(struct request *request, const char *words, uint64_t most,
    size_t len)
{
	uint64_t unit = most % MIB == 0 ? MIB : most % KIB == 0 ? KIB : 1;

	err_set(&request->refusal, "%s may have at most %llu %s as JSON, not "
	    "%zu bytes", words, (unsigned long long)(most / unit),
	    unit == MIB ? "MiB" : unit == KIB ? "KiB" : "bytes", len);
}

/* Sets a TEXT, or BYTES or the same beginning of a BLOB. */
static void
request_set(void *out, enum ipc_kind kind, const char *p, size_t len)
{
	if (kind == IPC_KIND_TEXT)
		*(const char **)out = p;
	else if (kind == IPC_KIND_BYTES)
		*(struct ipc_bytes *)out =
		    (struct ipc_bytes){ (const uint8_t *)p, len };
	else
		*(struct ipc_blob *)out =
		    (struct ipc_blob){ (const uint8_t *)p, len, -1 };
}

static int
request_read_string(struct request *request, const struct ipc_field *field,
    const char *words, const struct json_span_member *member, struct err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	/* In JSON a byte may take six ("\u0066"). */
	if (member->value.len <= CLIENT_LINE_FACTOR * field->most + 2)
		text = json_span_string(member->value, &len, NULL);
	if (text == NULL || len < field->least || len > field->most ||
	    (field->kind == IPC_KIND_TEXT && strlen(text) != len)) {
		request_refuse_string(request, field, words);
		return 0;
	}
	request_set((char *)&request->message + field->offset, field->kind,
	    text, len);
	request->decoded[request->ndecoded++] = mem_take(&text);
	return 0;
}

/* A value as the code wrote it. */
static int
request_read_value(struct request *request, const struct ipc_field *field,
    const struct request_row *row, const struct json_span_member *member,
    struct err *err)
{
	struct json_span value = member->value;

	if (row->form == REQUEST_QUOTED || member->count != 1)
		if (member_require(member, JSON_SPAN_STRING, err) == -1)
			return -1;
	if (row->form == REQUEST_OBJECT &&
	    json_span_kind(value) != JSON_SPAN_OBJECT)
		err_set(&request->refusal, "%s must be an object: a name and a "
		    "value for each", row->words);
	else if (value.len > field->most)
		request_refuse_size(
		    request, row->words, field->most, value.len);
	request_set((char *)&request->message + field->offset, field->kind,
	    value.p, value.len);
	return 0;
}

static int
request_read_field(struct request *request, const struct ipc_field *field,
    const struct request_row *row, const struct json_span_member *member,
    struct err *err)
{
	void *out = (char *)&request->message + field->offset;

	if (member->count == 0 && field->least == 0 &&
	    field->kind != IPC_KIND_BLOB) {
		if (field->kind == IPC_KIND_TEXT)
			request_set(out, field->kind, "", 0);
		return 0;
	}
	if (field->kind == IPC_KIND_UINT)
		return request_read_number(field, member, out, err);
	if (row->form == REQUEST_STRING)
		return request_read_string(
		    request, field, row->words, member, err);
	return request_read_value(request, field, row, member, err);
}

/* The bytes of its large values, of which there may be many in flight. */
static size_t
request_size(const struct request *request)
{
	const struct ipc_message *message = ipc_message(request->type);
	const struct ipc_field *field;
	const struct ipc_blob *blob;
	size_t size = 0;

	/* All of the frame is kept until the store is available. */
	if (message->to == ROLE_STORE)
		return request->frame.len;
	for (field = ipc_fields(message); field->name[0] != '\0'; field++) {
		blob = (const void *)((const char *)&request->message +
		    field->offset);
		size += field->kind == IPC_KIND_BLOB ? blob->len : 0;
	}
	return size;
}

/* The members behind the id, which is the first field, by their names. */
static int
request_read_message(struct request *request, const struct request_row *row,
    struct json_span payload, struct err *err)
{
	const struct ipc_field *fields = ipc_fields(ipc_message(row->type));
	struct json_span_member members[IPC_FIELDS_MAX] = {
		{ .name = "type" } };
	size_t n;

	request->type = row->type;
	/* All of them begin with the same field. */
	request->message.list_servers.id = request->id;
	for (n = 1; fields[n].name[0] != '\0'; n++)
		members[n].name = fields[n].name;
	json_span_members(payload, members, n);
	if (member_require(&members[0], JSON_SPAN_STRING, err) == -1)
		return -1;
	for (n = 1; fields[n].name[0] != '\0'; n++)
		if (request_read_field(request, &fields[n],
		        request_form(row, &fields[n]), &members[n],
		        err) == -1)
			return -1;
	request->size = request_size(request);
	return 0;
}

/* Its type is the first member, if honest code has written it. */
static struct json_span
request_type(struct json_span payload)
{
	struct json_span_walk walk = json_span_walk(payload);
	struct json_span name, value;

	while (json_span_next_member(&walk, &name, &value))
		if (json_span_is(name, "type"))
			return value;
	return (struct json_span){ "null", 4 };
}

static int
request_read_payload(
    struct json_span payload, struct request *request, struct err *err)
{
	const struct json_span_member member = { .name = "type", .count = 1,
		.value = request_type(payload) };
	const struct request_row *row;

	if (member_require(&member, JSON_SPAN_STRING, err) == -1)
		return -1;
	row = request_find(member.value);
	if (row != NULL)
		return request_read_message(request, row, payload, err);
	request->local = local_find(member.value);
	request->payload = payload;
	return request->local != NULL ? 0 :
	    err_set(err, "a request of an unknown type");
}

int
request_read(struct json_span frame, struct request *request, struct err *err)
{
	struct json_span_member members[] = { { .name = "id" },
		{ .name = "payload" } };

	memset(request, 0, sizeof(*request));
	request->frame = frame;
	json_span_members(frame, members, sizeof(members) / sizeof(members[0]));
	if (request_read_id(&members[0], request, err) == -1)
		return -1;
	if (member_require(&members[1], JSON_SPAN_OBJECT, err) == -1)
		return -1;
	return request_read_payload(members[1].value, request, err);
}

void
request_release(struct request *request)
{
	while (request->ndecoded > 0)
		free(request->decoded[--request->ndecoded]);
}

int
request_read_cancel(struct json_span frame, uint64_t *id, struct err *err)
{
	struct json_span_member member = { .name = "id" };
	struct request request;

	json_span_members(frame, &member, 1);
	if (request_read_id(&member, &request, err) == -1)
		return -1;
	*id = request.id;
	return 0;
}

/* Makes an object of the bytes before the payload, for its two members. */
static int
request_glimpse_head(const char *head, size_t len, struct request *request)
{
	struct json_span_member members[] = { { .name = "type" },
		{ .name = "id" } };
	char object[LINES_GLIMPSE + 1];
	struct json_span value;

	while (len > 0 && strchr(" \t\r,", head[len - 1]) != NULL)
		len--;
	memcpy(object, head, len);
	object[len] = '}';
	if (json_span_parse(object, len + 1, &value, NULL) == -1)
		return 0;
	json_span_members(value, members, sizeof(members) / sizeof(members[0]));
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
	request->type = IPC_CALL_TOOL;
	request_refuse_size(request, "the arguments of a call",
	    TOOL_ARGUMENTS_MAX, line->total);
	return 1;
}
