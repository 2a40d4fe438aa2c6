/*
 * JSON-RPC 2.0 envelopes: see jsonrpc.h. Pure functions over bytes; run by
 * supervisor and broker.
 */
#include <stdbool.h>
#include <string.h>

#include "json.h"
#include "jsonrpc.h"

/* An id is a string or an integer (MCP, basic), neither null nor a fraction. */
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

/* The members of a message, found in one walk over it. */
enum jsonrpc_member {
	JSONRPC_ID,
	JSONRPC_METHOD,
	JSONRPC_PARAMS,
	JSONRPC_RESULT,
	JSONRPC_ERROR,
	JSONRPC_VERSION,
	JSONRPC_MEMBERS,
};

/* Reads the id; refuses a duplicate and any other type. */
static int
jsonrpc_read_id(const struct json_span_member *id, struct jsonrpc *message,
    struct err *err)
{
	if (id->count == 0)
		return 0;
	if (id->count > 1)
		return err_set(err, "the member \"id\" is there %d times",
		    id->count);
	if (!jsonrpc_id_ok(id->value))
		return err_set(err, "the id must be a string or an integer");
	message->id = id->value;
	return 0;
}

/* Reads method and params of a presumed request. */
static int
jsonrpc_read_call(const struct json_span_member *members,
    struct jsonrpc *message, struct err *err)
{
	message->method = members[JSONRPC_METHOD].value;
	if (members[JSONRPC_METHOD].count != 1 ||
	    json_span_kind(message->method) != JSON_SPAN_STRING)
		return err_set(err, "the member \"method\" must be there once "
		    "and be a string");
	if (members[JSONRPC_PARAMS].count > 1)
		return err_set(
		    err, "the member \"params\" is there more than once");
	message->params = members[JSONRPC_PARAMS].value;
	return 0;
}

/* Whether this is presumably a response, which never gets one itself. */
static int
jsonrpc_is_response(const struct json_span_member *members)
{
	return members[JSONRPC_METHOD].count == 0 &&
	    (members[JSONRPC_RESULT].count > 0 ||
	        members[JSONRPC_ERROR].count > 0);
}

static int
jsonrpc_read(struct json_span value, struct jsonrpc *message, struct err *err)
{
	struct json_span_member members[JSONRPC_MEMBERS] = {
		[JSONRPC_ID] = { .name = "id" },
		[JSONRPC_METHOD] = { .name = "method" },
		[JSONRPC_PARAMS] = { .name = "params" },
		[JSONRPC_RESULT] = { .name = "result" },
		[JSONRPC_ERROR] = { .name = "error" },
		[JSONRPC_VERSION] = { .name = "jsonrpc" },
	};

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return err_set(err, "a message must be a JSON object");
	json_span_members(value, members, JSONRPC_MEMBERS);
	if (jsonrpc_is_response(members)) {
		message->kind = JSONRPC_RESPONSE;
		message->result = members[JSONRPC_RESULT];
		message->error = members[JSONRPC_ERROR];
		/*
		 * The id is null if the peer could not read the id of our
		 * request.
		 */
		jsonrpc_read_id(&members[JSONRPC_ID], message, NULL);
		return 0;
	}
	if (jsonrpc_read_id(&members[JSONRPC_ID], message, err) == -1)
		return -1;
	if (members[JSONRPC_VERSION].count != 1 ||
	    !json_span_is(members[JSONRPC_VERSION].value, "2.0"))
		return err_set(err, "the member \"jsonrpc\" must be \"2.0\"");
	message->kind = message->id.len > 0 ? JSONRPC_REQUEST
	                                    : JSONRPC_NOTIFICATION;
	return jsonrpc_read_call(members, message, err);
}

void
jsonrpc_sort(struct json_span value, struct jsonrpc *message, struct err *err)
{
	memset(message, 0, sizeof(*message));
	if (jsonrpc_read(value, message, err) == -1)
		message->kind = JSONRPC_INVALID;
}

/* Glimpses */

/* The id and other members seen in the first and last bytes of an object. */
struct jsonrpc_glimpse {
	struct json_span id; /* len 0 if none was found */
	bool doubt;           /* two were found, and they differ */
	bool has_method;
};

/* Records one member whose name and value are complete. */
static void
jsonrpc_note(struct jsonrpc_glimpse *seen, struct json_span name,
    const char *value, size_t len)
{
	struct json_span id;

	if (name.len == 8 && memcmp(name.p, "\"method\"", 8) == 0)
		seen->has_method = true;
	if (name.len != 4 || memcmp(name.p, "\"id\"", 4) != 0 ||
	    json_span_parse(value, len, &id, NULL) == -1 ||
	    !jsonrpc_id_ok(id))
		return;
	if (seen->id.len > 0 && (seen->id.len != id.len ||
	    memcmp(seen->id.p, id.p, id.len) != 0))
		seen->doubt = true;
	seen->id = id;
}

static int
jsonrpc_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *
jsonrpc_skip_space(const char *p, const char *end)
{
	while (p < end && jsonrpc_is_space(*p))
		p++;
	return p;
}

/* Returns the byte after the string that starts here; NULL if unknown. */
static const char *
jsonrpc_skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : NULL;
}

/*
 * Returns the comma or bracket after the value that starts here; brackets are
 * counted, not matched. NULL if unknown.
 */
static const char *
jsonrpc_skip_value(const char *p, const char *end)
{
	size_t depth = 0;

	while (p != NULL && p < end) {
		if (*p == '"') {
			p = jsonrpc_skip_string(p, end);
			continue;
		}
		if (depth == 0 && (*p == ',' || *p == '}' || *p == ']'))
			return p;
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		p++;
	}
	return NULL;
}

/*
 * Records the members that are complete in the first bytes, and a name whose
 * value is not.
 */
static void
jsonrpc_glimpse_head(const char *p, size_t len, struct jsonrpc_glimpse *seen)
{
	const char *value, *end = p + len;
	struct json_span name;

	p = jsonrpc_skip_space(p, end);
	if (p == end || *p != '{')
		return;
	do {
		name.p = jsonrpc_skip_space(p + 1, end);
		if (name.p == end || *name.p != '"')
			return;
		p = jsonrpc_skip_string(name.p, end);
		if (p == NULL)
			return;
		name.len = (size_t)(p - name.p);
		p = jsonrpc_skip_space(p, end);
		if (p == end || *p != ':')
			return;
		value = p + 1;
		p = jsonrpc_skip_value(value, end);
		jsonrpc_note(seen, name, value,
		    p == NULL || *p == ']' ? 0 : (size_t)(p - value));
	} while (p != NULL && *p == ',');
}

static const char *
jsonrpc_back_space(const char *begin, const char *p)
{
	while (p > begin && jsonrpc_is_space(p[-1]))
		p--;
	return p;
}

/*
 * Returns the opening quote of the string that ends right before p: the nearest
 * preceding quote that is not escaped. NULL if unknown.
 */
static const char *
jsonrpc_back_string(const char *begin, const char *p)
{
	const char *slash;

	if (p - begin < 2 || p[-1] != '"')
		return NULL;
	for (p -= 2; p > begin; p--) {
		if (*p != '"')
			continue;
		for (slash = p; slash > begin && slash[-1] == '\\';)
			slash--;
		if (slash > begin && (p - slash) % 2 == 0)
			return p;
	}
	return NULL;
}

/* Returns the start of the value that ends at p, if it is a plain one. */
static const char *
jsonrpc_back_value(const char *begin, const char *p)
{
	const char *end = p = jsonrpc_back_space(begin, p);

	if (p > begin && p[-1] == '"')
		return jsonrpc_back_string(begin, p);
	while (p > begin && p[-1] != '\0' &&
	    strchr("+-.0123456789Eaeflnrstu", p[-1]) != NULL)
		p--;
	return p < end ? p : NULL;
}

/*
 * Records the plain members at the end. The last brace of a valid object is its
 * own, so the members right before it are the object's own.
 */
static void
jsonrpc_glimpse_tail(
    const char *begin, size_t len, struct jsonrpc_glimpse *seen)
{
	const char *end, *value, *p = jsonrpc_back_space(begin, begin + len);
	struct json_span name;

	if (p == begin || p[-1] != '}')
		return;
	do {
		end = p - 1;
		value = jsonrpc_back_value(begin, end);
		if (value == NULL)
			return;
		p = jsonrpc_back_space(begin, value);
		if (p == begin || p[-1] != ':')
			return;
		p = jsonrpc_back_space(begin, p - 1);
		name.p = jsonrpc_back_string(begin, p);
		if (name.p == NULL)
			return;
		name.len = (size_t)(p - name.p);
		p = jsonrpc_back_space(begin, name.p);
		if (p == begin || (p[-1] != ',' && p[-1] != '{'))
			return;
		jsonrpc_note(seen, name, value, (size_t)(end - value));
	} while (p[-1] == ',');
}

/* Returns the id if there is exactly one. */
static int
jsonrpc_glimpse_ends(const char *head, size_t head_len, const char *tail,
    size_t tail_len, int answered, struct json_span *id)
{
	struct jsonrpc_glimpse seen = { { NULL, 0 }, 0, 0 };

	jsonrpc_glimpse_head(head, head_len, &seen);
	jsonrpc_glimpse_tail(tail, tail_len, &seen);
	if (seen.id.len == 0 || seen.doubt || (answered && seen.has_method))
		return 0;
	*id = seen.id;
	return 1;
}

int
jsonrpc_glimpse_id(const char *head, size_t head_len, const char *tail,
    size_t tail_len, struct json_span *id)
{
	return jsonrpc_glimpse_ends(head, head_len, tail, tail_len, 0, id);
}

int
jsonrpc_glimpse_answered(const char *head, size_t head_len, const char *tail,
    size_t tail_len, struct json_span *id)
{
	const char *end = head + head_len;
	const char *first = jsonrpc_skip_space(head, end);

	return first < end && *first == '{' &&
	    jsonrpc_glimpse_ends(head, head_len, tail, tail_len, 1, id);
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
