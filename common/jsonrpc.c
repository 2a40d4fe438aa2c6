/*
 * JSON-RPC 2.0 envelopes: see jsonrpc.h. Pure functions over bytes; run by
 * supervisor and broker.
 */
#include <string.h>

#include "json.h"
#include "jsonrpc.h"

/* An id is a string or an integer (MCP, basic): no null, no fraction. */
static int
jsonrpc_id_ok(struct json_span id)
{
	size_t i;

	if (json_span_kind(id) == JSON_SPAN_STRING)
		return 1;
	if (json_span_kind(id) != JSON_SPAN_NUMBER)
		return 0;
	for (i = 0; i < id.len; i++)
		if (strchr(".eE", id.p[i]) != NULL)
			return 0;
	return 1;
}

/* Reads the id; a second one, or one of a wrong type, is refused. */
static int
jsonrpc_read_id(
    struct json_span value, struct jsonrpc *message, struct err *err)
{
	struct json_span id;
	size_t found = (size_t)json_span_get(value, "id", &id);

	if (found == 0)
		return 0;
	if (found > 1)
		return err_set(err, "the member \"id\" is there %zu times",
		    found);
	if (!jsonrpc_id_ok(id))
		return err_set(
		    err, "the id must be a string or an integer");
	message->id = id;
	return 0;
}

/* Reads method and params of what claims to be a request. */
static int
jsonrpc_read_call(
    struct json_span value, struct jsonrpc *message, struct err *err)
{
	struct json_span params;

	if (json_span_get(value, "method", &message->method) != 1 ||
	    json_span_kind(message->method) != JSON_SPAN_STRING)
		return err_set(err, "the member \"method\" must be there once "
		    "and be a string");
	switch (json_span_get(value, "params", &params)) {
	case 0:
		return 0;
	case 1:
		message->params = params;
		return 0;
	default:
		return err_set(
		    err, "the member \"params\" is there more than once");
	}
}

/* Whether this claims to be an answer: whatever else it is, it gets none. */
static int
jsonrpc_is_response(struct json_span value)
{
	struct json_span member;

	return json_span_get(value, "method", &member) == 0 &&
	    (json_span_get(value, "result", &member) > 0 ||
	        json_span_get(value, "error", &member) > 0);
}

static int
jsonrpc_read(struct json_span value, struct jsonrpc *message, struct err *err)
{
	struct json_span member;

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return err_set(err, "a message must be a JSON object");
	if (jsonrpc_is_response(value)) {
		message->kind = JSONRPC_RESPONSE;
		/* Its id is null when the peer could not read ours. */
		jsonrpc_read_id(value, message, NULL);
		return 0;
	}
	if (jsonrpc_read_id(value, message, err) == -1)
		return -1;
	if (json_span_get(value, "jsonrpc", &member) != 1 ||
	    !json_span_is(member, "2.0"))
		return err_set(
		    err, "the member \"jsonrpc\" must be \"2.0\"");
	message->kind = message->id.len > 0 ? JSONRPC_REQUEST
	                                    : JSONRPC_NOTIFICATION;
	return jsonrpc_read_call(value, message, err);
}

void
jsonrpc_sort(
    struct json_span value, struct jsonrpc *message, struct err *err)
{
	memset(message, 0, sizeof(*message));
	if (jsonrpc_read(value, message, err) == -1)
		message->kind = JSONRPC_INVALID;
}

/* Whether the bytes are one whole id by themselves: *id is set only then. */
static int
jsonrpc_glimpse_ok(const char *p, size_t len, struct json_span *id)
{
	struct json_span value;

	if (json_span_parse(p, len, &value, NULL) == -1 ||
	    !jsonrpc_id_ok(value))
		return 0;
	*id = value;
	return 1;
}

/*
 * The end of a valid object is its own closing brace, so a member right before
 * it is the object's own; the byte before the name tells it from an escaped
 * quote inside a longer name.
 */
static int
jsonrpc_glimpse_tail(const char *tail, size_t len, struct json_span *id)
{
	static const char name[] = "\"id\":";
	size_t at;

	while (len > 0 && strchr(" \t\r", tail[len - 1]) != NULL)
		len--;
	if (len == 0 || tail[len - 1] != '}')
		return 0;
	for (at = len - 1; at-- > 1;) {
		if (len - 1 - at < sizeof(name) - 1 ||
		    memcmp(tail + at, name, sizeof(name) - 1) != 0)
			continue;
		return strchr(", {", tail[at - 1]) != NULL &&
		    tail[at - 1] != '\0' &&
		    jsonrpc_glimpse_ok(tail + at + sizeof(name) - 1,
		        len - 1 - at - (sizeof(name) - 1), id);
	}
	return 0;
}

/* Clients that put jsonrpc and id first: {"jsonrpc":"2.0","id":5,… */
static int
jsonrpc_glimpse_head(const char *head, size_t len, struct json_span *id)
{
	static const char start[] = "{\"jsonrpc\":\"2.0\",\"id\":";
	const char *p = head + sizeof(start) - 1;
	const char *comma;

	if (len < sizeof(start) || memcmp(head, start, sizeof(start) - 1) != 0)
		return 0;
	comma = memchr(p, ',', len - (sizeof(start) - 1));
	return comma != NULL &&
	    jsonrpc_glimpse_ok(p, (size_t)(comma - p), id);
}

int
jsonrpc_glimpse_id(const char *head, size_t head_len, const char *tail,
    size_t tail_len, struct json_span *id)
{
	return jsonrpc_glimpse_head(head, head_len, id) ||
	    jsonrpc_glimpse_tail(tail, tail_len, id);
}

static void
jsonrpc_add_start(struct buffer *buffer, struct json_span id)
{
	buffer_add_text(buffer, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (id.len > 0)
		buffer_add(buffer, id.p, id.len);
	else
		buffer_add_text(buffer, "null");
}

void
jsonrpc_add_error(struct buffer *buffer, struct json_span id, int code,
    const char *message, const char *data_json)
{
	jsonrpc_add_start(buffer, id);
	buffer_printf(buffer, ",\"error\":{\"code\":%d,\"message\":", code);
	json_add_text(buffer, message);
	if (data_json != NULL) {
		buffer_add_text(buffer, ",\"data\":");
		buffer_add_text(buffer, data_json);
	}
	buffer_add_text(buffer, "}}\n");
}

void
jsonrpc_add_result(
    struct buffer *buffer, struct json_span id, const char *result)
{
	jsonrpc_add_start(buffer, id);
	buffer_add_text(buffer, ",\"result\":");
	buffer_add_text(buffer, result);
	buffer_add_text(buffer, "}\n");
}
