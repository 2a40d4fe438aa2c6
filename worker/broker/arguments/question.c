/*
 * Questions of servers to clients, and their answers: see arguments.h. Runs in
 * the broker; pure functions over bytes of servers, and of what answers them.
 */
#include <string.h>

#include "../../../common/ask_client.h"
#include "../../../common/base/mem.h"
#include "../../../common/json/json.h"
#include "../../../common/mask.h"
#include "../state/state.h"
#include "arguments.h"

/* Finds a member that an object must have once, of this kind. */
static int
question_get(struct json_span object, const char *name,
    enum json_span_kind kind, struct json_span *value, struct err *err)
{
	if (json_span_get(object, name, value) == 1 &&
	    json_span_kind(*value) == kind)
		return 0;
	return err_set(err, "\"%s\" is missing, or of the wrong type", name);
}

/* A form has fields, none of which is an object itself. */
static int
question_check_form(struct json_span params, struct err *err)
{
	struct json_span schema, type, fields, name, field;
	struct json_span_walk walk;
	size_t count = 0;

	if (question_get(params, "requestedSchema", JSON_SPAN_OBJECT, &schema,
	        err) == -1 || question_get(
	        schema, "properties", JSON_SPAN_OBJECT, &fields, err) == -1)
		return -1;
	walk = json_span_walk(fields);
	while (json_span_next_member(&walk, &name, &field))
		if (++count > QUESTION_FIELDS_MAX ||
		    json_span_kind(field) != JSON_SPAN_OBJECT ||
		    json_span_get(field, "type", &type) != 1 ||
		    json_span_is(type, "object"))
			return err_set(err, "the form has too many fields, or "
			    "one that is no plain value");
	return 0;
}

/* An address is shown as it is: of the web, of plain characters. */
static int
question_check_url(struct json_span params, struct err *err)
{
	struct json_span url;
	size_t n = 0;

	if (question_get(params, "url", JSON_SPAN_STRING, &url, err) == -1)
		return -1;
	while (n < url.len && url.p[n] > ' ' && url.p[n] < 0x7f &&
	    url.p[n] != '\\')
		n++;
	return n == url.len && (strncmp(url.p, "\"https://", 9) == 0 ||
	    strncmp(url.p, "\"http://", 8) == 0) ? 0 :
	    err_set(err, "\"url\" is no address of the web");
}

/* The person must see who asks. */
static int
question_add_message(struct json_span params, const char *server,
    struct buffer *json, struct err *err)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span message;

	if (question_get(
	        params, "message", JSON_SPAN_STRING, &message, err) == -1)
		return -1;
	reason_add_text(&text, server, strlen(server));
	buffer_add_text(&text, " asks: ");
	reason_add_string(&text, message, NULL);
	buffer_add_text(json, "\"message\":");
	json_add_string(json, text.data, text.len);
	return 0;
}

unsigned int
question_kind(struct json_span method, struct json_span params)
{
	struct json_span mode;

	if (json_span_is(method, "roots/list"))
		return ASK_CLIENT_ROOTS;
	if (json_span_is(method, "sampling/createMessage"))
		return ASK_CLIENT_SAMPLING;
	if (!json_span_is(method, "elicitation/create"))
		return 0;
	return params.len > 0 && json_span_get(params, "mode", &mode) > 0 &&
	    json_span_is(mode, "url") ? ASK_CLIENT_URL : ASK_CLIENT_FORM;
}

/* Checks what is needed, and begins the parameters. */
static int
question_begin_params(unsigned int kind, struct json_span params,
    const char *server, struct buffer *json, struct err *err)
{
	struct json_span value;

	if (params.len == 0 || json_span_kind(params) != JSON_SPAN_OBJECT)
		return err_set(err, "its parameters are missing");
	if (kind == ASK_CLIENT_SAMPLING) {
		buffer_add_text(json, "\"_meta\":{}");
		return question_get(
		    params, "messages", JSON_SPAN_ARRAY, &value, err);
	}
	return (kind == ASK_CLIENT_URL ? question_check_url(params, err) :
	    question_check_form(params, err)) == -1 ? -1 :
	    question_add_message(params, server, json, err);
}

/* Masks the parameters, and appends them as one line. */
static int
question_finish(const struct buffer *json, const struct buffer *masks,
    size_t most, struct buffer *out, struct err *err)
{
	auto_buffer struct buffer masked = { 0 };
	struct json_span value;

	mask_text(&masked, masks, json->data, json->len, SIZE_MAX);
	if (json_span_parse(masked.data, masked.len, &value, err) == -1)
		return -1;
	if (masked.len > most)
		return err_set(err, "it has more than %zu KiB", most / KIB);
	json_span_copy_line(value, buffer_reserve(out, value.len));
	out->len += value.len;
	return 0;
}

int
question_settle_log(struct json_span params, const char *server,
    const struct buffer *masks, struct buffer *out, struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	struct json_span level, data;

	if (params.len == 0 || question_get(
	        params, "level", JSON_SPAN_STRING, &level, err) == -1)
		return -1;
	if (json_span_get(params, "data", &data) != 1)
		return err_set(err, "\"data\" is missing");
	buffer_printf(&json, "{\"level\":%.*s,\"logger\":", (int)level.len,
	    level.p);
	json_add_text(&json, server);
	buffer_printf(&json, ",\"data\":%.*s}", (int)data.len, data.p);
	return question_finish(&json, masks, SERVER_LOG_MAX, out, err);
}

int
question_settle(unsigned int kind, struct json_span params,
    const char *server, const struct buffer *masks, struct buffer *out,
    struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	struct json_span_walk walk = json_span_walk(params);
	struct json_span name, value;

	buffer_add_text(&json, "{");
	if (kind != ASK_CLIENT_ROOTS) {
		if (question_begin_params(
		        kind, params, server, &json, err) == -1)
			return -1;
		while (json_span_next_member(&walk, &name, &value))
			if (!json_span_is(name, "_meta") &&
			    !json_span_is(name, "task") &&
			    !json_span_is(name, "message"))
				buffer_printf(&json, ",%.*s:%.*s",
				    (int)name.len, name.p, (int)value.len,
				    value.p);
	}
	buffer_add_text(&json, "}");
	return question_finish(&json, masks, QUESTION_BYTES_MAX, out, err);
}

/*
 * Appends what a form was filled in with: its fields only, and for those that
 * were left out their defaults, as MCP has it.
 */
static int
question_add_filled(struct json_span schema, struct json_span content,
    struct buffer *out, struct err *err)
{
	auto_buffer struct buffer filled = { 0 }, says = { 0 };
	struct json_span fields, name, field, value;
	struct json_span_walk walk;
	size_t len;

	json_span_get(schema, "properties", &fields);
	walk = json_span_walk(fields);
	while (json_span_next_member(&walk, &name, &field)) {
		auto_free char *text = json_span_string(name, &len, NULL);

		if (text != NULL &&
		    (json_span_get(content, text, &value) > 0 ||
		        json_span_get(field, "default", &value) > 0))
			buffer_printf(&filled, "%s%.*s:%.*s",
			    filled.len == 0 ? "{" : ",", (int)name.len, name.p,
			    (int)value.len, value.p);
	}
	buffer_add_text(&filled, filled.len == 0 ? "{}" : "}");
	buffer_add_text(out, ",\"content\":");
	if (json_span_parse(filled.data, filled.len, &value, err) == -1)
		return -1;
	/* What does not fit is not shown: it may be secret. */
	return arguments_settle(schema, value, out, &says) ? 0 :
	    err_set(err, "what was filled in does not fit the form");
}

int
question_check(unsigned int kind, struct json_span schema,
    struct json_span result, struct buffer *out, struct err *err)
{
	struct json_span value, content;

	if (kind == ASK_CLIENT_ROOTS || kind == ASK_CLIENT_SAMPLING) {
		json_span_copy_line(result, buffer_reserve(out, result.len));
		out->len += result.len;
		buffer_add_text(out, "");
		return kind == ASK_CLIENT_ROOTS ? question_get(
		    result, "roots", JSON_SPAN_ARRAY, &value, err) :
		    question_get(result, "content", JSON_SPAN_OBJECT, &value,
		        err);
	}
	if (question_get(result, "action", JSON_SPAN_STRING, &value, err) == -1)
		return -1;
	if (!json_span_is(value, "accept") && !json_span_is(value, "decline") &&
	    !json_span_is(value, "cancel"))
		return err_set(err, "\"action\" is unknown");
	buffer_printf(out, "{\"action\":%.*s", (int)value.len, value.p);
	if (schema.len > 0 && json_span_is(value, "accept") &&
	    (question_get(
	         result, "content", JSON_SPAN_OBJECT, &content, err) == -1 ||
	        question_add_filled(schema, content, out, err) == -1))
		return -1;
	buffer_add_text(out, "}");
	return 0;
}
