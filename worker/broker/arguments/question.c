/*
 * Questions of servers to clients, and their answers: see arguments.h. Runs in
 * the broker; pure functions over bytes of servers, and of what answers them.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/address.h"
#include "../../../common/ask_client.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/json/json.h"
#include "../../../common/mask.h"
#include "../state/state.h"
#include "arguments.h"

/* A date that exists: 29 February is a pattern of its own. */
#define QUESTION_DATE \
	"([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|" \
	"(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|" \
	"([0-9]{2}(0[48]|[2468][048]|[13579][26])|" \
	"([02468][048]|[13579][26])00)-02-29)"

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
	/* Each level is walked over for each name. */
	if (schema.len > QUESTION_FORM_MAX)
		return err_set(err, "the form has more than %lu KiB",
		    QUESTION_FORM_MAX / KIB);
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

/* Text that a person reads is one line: it does not begin like one of ours. */
static void
question_add_line(const char *begin, struct json_span string,
    struct buffer *json)
{
	auto_buffer struct buffer text = { 0 };
	size_t n;

	reason_add_text(&text, begin, strlen(begin));
	reason_add_string(&text, string, NULL);
	for (n = 0; n < text.len; n++)
		if (text.data[n] == '\n' || text.data[n] == '\t')
			text.data[n] = ' ';
	json_add_string(json, text.data, text.len);
}

/*
 * The members of a form, in all its parts, and of a request to generate text;
 * others might be read as what they are not. Before each: "=" as it is, "~" a
 * line, "{" such an object or several, "*" the fields.
 */
static const char question_form[] =
    "=type\0~title\0~description\0*properties\0=required\0=default\0"
    "=const\0=enum\0~enumNames\0{items\0{oneOf\0{anyOf\0=format\0"
    "=minLength\0=maxLength\0=minimum\0=maximum\0=minItems\0=maxItems";
static const char question_sampling[] =
    "=messages\0=modelPreferences\0=temperature\0=maxTokens\0"
    "=stopSequences\0=metadata";

static void question_add(
    struct json_span value, char how, int depth, struct buffer *json);

/* Appends those members that an object has. */
static void
question_add_members(struct json_span object, const char *members, size_t len,
    int depth, struct buffer *json)
{
	struct json_span value;
	const char *member;

	TEXT_LIST_EACH (member, members, len)
		if (json_span_get(object, member + 1, &value) > 0) {
			buffer_printf(json, "%s\"%s\":",
			    json->data[json->len - 1] == '{' ? "" : ",",
			    member + 1);
			question_add(value, member[0], depth, json);
		}
}

static void
question_add(struct json_span value, char how, int depth, struct buffer *json)
{
	struct json_span_walk walk = json_span_walk(value);
	enum json_span_kind kind = json_span_kind(value);
	int object = kind == JSON_SPAN_OBJECT;
	struct json_span name;
	const char *before = object ? "{" : "[";

	if (how == '~' && kind == JSON_SPAN_STRING) {
		question_add_line("", value, json);
	} else if (how == '{' && object) {
		buffer_add_text(json, "{");
		if (depth < QUESTION_DEPTH_MAX)
			question_add_members(value, question_form,
			    sizeof(question_form), depth + 1, json);
		buffer_add_text(json, "}");
	} else if (how == '=' || walk.rest.len == 0 || (object && how != '*')) {
		buffer_add(json, value.p, value.len);
	} else {
		for (; object ? json_span_next_member(&walk, &name, &value) :
		    json_span_next_element(&walk, &value); before = ",") {
			buffer_add_text(json, before);
			if (object)
				buffer_printf(
				    json, "%.*s:", (int)name.len, name.p);
			question_add(
			    value, how == '*' ? '{' : how, depth, json);
		}
		buffer_add_text(json, object ? "}" : "]");
	}
}

/* An address is shown as it is: of the web, of plain characters. */
static int
question_add_url(struct json_span params, struct buffer *json, struct err *err)
{
	struct json_span url, id;
	auto_free char *text = NULL;
	const char *host;
	size_t n = 0, len = 0;
	int ids = json_span_get(params, "elicitationId", &id);

	if (ids > 1 || (ids == 1 && (json_span_kind(id) != JSON_SPAN_STRING ||
	        id.len > QUESTION_ID_MAX)))
		return err_set(err, "\"elicitationId\" is no short string");
	if (question_get(params, "url", JSON_SPAN_STRING, &url, err) == -1)
		return -1;
	text = json_span_string(url, &len, NULL);
	while (n < len && text[n] > '\0')
		n++;
	host = len == 0 || n < len || len > QUESTION_URL_MAX ? NULL :
	    address_host(text);
	if (host == NULL || memchr(host, '@', strcspn(host, "/?#")) != NULL)
		return err_set(err, "\"url\" is no address of the web with a "
		    "host, without a name or password, of at most %d bytes",
		    QUESTION_URL_MAX);
	buffer_add_text(json, ",\"mode\":\"url\",\"url\":");
	json_add_text(json, text);
	if (ids > 0)
		buffer_printf(json, ",\"elicitationId\":%.*s", (int)id.len,
		    id.p);
	return 0;
}

/* The model, and who looks at what it is sent, sees who asks. */
static int
question_add_sampling(struct json_span params, const char *server,
    struct buffer *json, struct err *err)
{
	auto_free char *text = NULL, *system = NULL;
	struct json_span value;
	size_t len;

	if (question_get(
	        params, "messages", JSON_SPAN_ARRAY, &value, err) == -1)
		return -1;
	if (json_span_get(params, "systemPrompt", &value) > 0 &&
	    (text = json_span_string(value, &len, err)) == NULL)
		return err_wrap(err, "\"systemPrompt\" is no text");
	system = mem_printf("%s asks%s%s", server, text != NULL ? ":\n\n" : ".",
	    text != NULL ? text : "");
	buffer_add_text(json, "\"_meta\":{\"caisson/server\":");
	json_add_text(json, server);
	buffer_add_text(json, "},\"systemPrompt\":");
	json_add_text(json, system);
	question_add_members(params, question_sampling,
	    sizeof(question_sampling), 0, json);
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

/* Appends what is known of the parameters, checked. */
static int
question_add_params(unsigned int kind, struct json_span params,
    const char *server, struct buffer *json, struct err *err)
{
	auto_free char *begin = mem_printf("%s asks: ", server);
	struct json_span value;
	int modes;

	if (params.len == 0 || json_span_kind(params) != JSON_SPAN_OBJECT)
		return err_set(err, "its parameters are missing");
	if (kind == ASK_CLIENT_SAMPLING)
		return question_add_sampling(params, server, json, err);
	modes = json_span_get(params, "mode", &value);
	if (modes > 1 || (modes == 1 && !json_span_is(
	        value, kind == ASK_CLIENT_URL ? "url" : "form")))
		return err_set(err, "\"mode\" must be form or url, once");
	if (question_get(
	        params, "message", JSON_SPAN_STRING, &value, err) == -1)
		return -1;
	buffer_add_text(json, "\"message\":");
	question_add_line(begin, value, json);
	if (kind == ASK_CLIENT_URL)
		return question_add_url(params, json, err);
	if (question_check_form(params, err) == -1)
		return -1;
	json_span_get(params, "requestedSchema", &value);
	buffer_add_text(json, ",\"requestedSchema\":");
	question_add(value, '{', 0, json);
	return 0;
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
question_settle_told(unsigned int kind, struct json_span params,
    const char *server, const struct buffer *masks, struct buffer *out,
    struct err *err)
{
	auto_buffer struct buffer json = { 0 }, begin = { 0 };
	struct json_span value, empty = { "\"\"", 2 };
	int logs = kind == ASK_CLIENT_LOG;

	if (params.len == 0 || question_get(params,
	        logs ? "level" : "progress",
	        logs ? JSON_SPAN_STRING : JSON_SPAN_NUMBER, &value, err) == -1)
		return -1;
	if (logs) {
		buffer_printf(&json, "{\"level\":%.*s,\"logger\":",
		    (int)value.len, value.p);
		json_add_text(&json, server);
		if (json_span_get(params, "data", &value) != 1)
			return err_set(err, "\"data\" is missing");
		buffer_printf(
		    &json, ",\"data\":%.*s}", (int)value.len, value.p);
	} else {
		buffer_printf(
		    &begin, "%s: %.*s", server, (int)value.len, value.p);
		if (question_get(
		        params, "total", JSON_SPAN_NUMBER, &value, err) == 0)
			buffer_printf(
			    &begin, " of %.*s", (int)value.len, value.p);
		if (question_get(params, "message", JSON_SPAN_STRING, &value,
		        err) == 0)
			buffer_add_text(&begin, ": ");
		else
			value = empty;
		buffer_add_text(&json, "{\"message\":");
		question_add_line(begin.data, value, &json);
		buffer_add_text(&json, "}");
	}
	return question_finish(&json, masks, SERVER_LOG_MAX, out, err);
}

int
question_settle(unsigned int kind, struct json_span params, const char *server,
    const struct buffer *masks, struct buffer *out, struct err *err)
{
	auto_buffer struct buffer json = { 0 };

	buffer_add_text(&json, "{");
	if (kind != ASK_CLIENT_ROOTS &&
	    question_add_params(kind, params, server, &json, err) == -1)
		return -1;
	buffer_add_text(&json, "}");
	return question_finish(&json, masks, QUESTION_BYTES_MAX, out, err);
}

/* The formats that MCP has for a text; others are the server's to judge. */
static const struct {
	const char *name, *pattern;
} question_formats[] = {
	{ "email", "^[^@ \t\n]+@[^@ \t\n]+$" },
	{ "uri", "^[A-Za-z][A-Za-z0-9+.-]*:[^ \t\n]+$" },
	{ "date", "^" QUESTION_DATE "$" },
	{ "date-time", "^" QUESTION_DATE "[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:"
	  "([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
	},
};

static int
question_is_formatted(struct json_span format, const char *text)
{
	regex_t regex;
	size_t n = 0;
	int found;

	while (n < 4 && !json_span_is(format, question_formats[n].name))
		n++;
	if (n == 4 || strlen(text) > QUESTION_URL_MAX ||
	    regcomp(&regex, question_formats[n].pattern,
	        REG_EXTENDED | REG_NOSUB) != 0)
		return 1;
	found = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

/* A number, or how many characters of UTF-8 or elements there are. */
static double
question_measure(struct json_span value, const char *text)
{
	struct json_span_walk walk = json_span_walk(value);
	auto_free char *digits = NULL;
	struct json_span each;
	double count = 0;

	if (json_span_kind(value) == JSON_SPAN_NUMBER) {
		digits = mem_dup(value.p, value.len);
		return strtod(digits, NULL);
	}
	while (json_span_next_element(&walk, &each))
		count++;
	for (; text != NULL && *text != '\0'; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

/* Returns the rule of a field that a value breaks, or NULL. */
static const char *
question_broken(struct json_span field, struct json_span value)
{
	static const char *const rules[][2] = {
		[JSON_SPAN_ARRAY] = { "minItems", "maxItems" },
		[JSON_SPAN_STRING] = { "minLength", "maxLength" },
		[JSON_SPAN_NUMBER] = { "minimum", "maximum" } };
	enum json_span_kind kind = json_span_kind(value);
	size_t len, n;
	auto_free char *text = json_span_string(value, &len, NULL);
	double size = question_measure(value, text), bound;
	struct json_span rule;

	for (n = 0; n < 2 && kind >= JSON_SPAN_ARRAY &&
	     kind <= JSON_SPAN_NUMBER; n++)
		if (json_span_get(field, rules[kind][n], &rule) == 1 &&
		    json_span_kind(rule) == JSON_SPAN_NUMBER) {
			bound = question_measure(rule, NULL);
			if (n == 0 ? size < bound : size > bound)
				return rules[kind][n];
		}
	return text != NULL && json_span_get(field, "format", &rule) == 1 &&
	    !question_is_formatted(rule, text) ? "format" : NULL;
}

/* Says which field does not fit, without its value, which may be secret. */
static int
question_refuse(
    struct json_span fields, struct json_span filled, struct err *err)
{
	struct json_span_walk walk = json_span_walk(fields);
	struct json_span name, field, value;
	size_t len;

	while (json_span_next_member(&walk, &name, &field)) {
		auto_free char *text = json_span_string(name, &len, NULL);
		auto_buffer struct buffer one = { 0 }, out = { 0 };

		if (text == NULL || json_span_get(filled, text, &value) <= 0)
			continue;
		buffer_printf(&one, "{\"properties\":{%.*s:%.*s}}",
		    (int)name.len, name.p, (int)field.len, field.p);
		len = one.len;
		buffer_printf(&one, "{%.*s:%.*s}", (int)name.len, name.p,
		    (int)value.len, value.p);
		if (!arguments_settle((struct json_span){ one.data, len },
		        (struct json_span){ one.data + len, one.len - len },
		        &out, &out))
			return err_set(err, "what was filled in does not fit "
			    "the form: the value of %.*s",
			    name.len > 80 ? 0 : (int)name.len, name.p);
	}
	return err_set(err, "what was filled in does not fit the form: a field "
	    "that is required is missing");
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
	struct json_span fields, name, field, value, settled;
	struct json_span_walk walk;
	const char *rule;
	size_t len, from;

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
	from = out->len;
	if (!arguments_settle(schema, value, out, &says))
		return question_refuse(fields, value, err);
	settled = (struct json_span){ out->data + from, out->len - from };
	walk = json_span_walk(fields);
	while (json_span_next_member(&walk, &name, &field)) {
		auto_free char *text = json_span_string(name, &len, NULL);

		if (text != NULL && json_span_get(settled, text, &value) > 0 &&
		    (rule = question_broken(field, value)) != NULL)
			return err_set(err, "what was filled in does not fit "
			    "the form: \"%s\" of %.*s", rule,
			    name.len > 80 ? 0 : (int)name.len, name.p);
	}
	return 0;
}

/*
 * Roots are folders, each with its address, content has parts of a type: a
 * server must not get what it takes for another thing.
 */
static int
question_check_each(struct json_span result, const char *list,
    const char *member, struct err *err)
{
	struct json_span all, each, value;
	struct json_span_walk walk;

	if (question_get(result, list, JSON_SPAN_ARRAY, &all, err) == -1)
		return -1;
	walk = json_span_walk(all);
	while (json_span_next_element(&walk, &each))
		if (question_get(each, member, JSON_SPAN_STRING, &value, err) ==
		    -1)
			return -1;
	return 0;
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
		return kind == ASK_CLIENT_ROOTS ?
		    question_check_each(result, "roots", "uri", err) :
		    question_get(result, "content", JSON_SPAN_OBJECT, &value,
		        err) == 0 ? 0 :
		    question_check_each(result, "content", "type", err);
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
