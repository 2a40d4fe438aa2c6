/*
 * The arguments of a call, as words of a command line: which type a value is
 * of, the schema of the tool says; the server judges what is not understood
 * here. Run by the command, in the box.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/json.h"
#include "../../../common/limits.h"
#include "../../../common/mem.h"
#include "../../../common/utf8.h"

/* Types of JSON Schema, as bits. */
enum values_type {
	VALUES_STRING = 1,
	VALUES_NUMBER = 2,
	VALUES_BOOLEAN = 4,
	VALUES_OBJECT = 8,
	VALUES_ARRAY = 16,
	VALUES_NULL = 32,
};

static const struct {
	const char *name;
	unsigned int type;
	const char *said;
} values_types[] = {
	{ "string", VALUES_STRING, "a string" },
	{ "number", VALUES_NUMBER, "a number" },
	{ "integer", VALUES_NUMBER, "an integer" },
	{ "boolean", VALUES_BOOLEAN, "true or false" },
	{ "object", VALUES_OBJECT, "a JSON object" },
	{ "array", VALUES_ARRAY, "a JSON array" },
	{ "null", VALUES_NULL, "null" },
};

#define VALUES_TYPES (sizeof(values_types) / sizeof(values_types[0]))

static unsigned int
values_type_of(struct json_span value)
{
	static const unsigned int types[] = {
		[JSON_SPAN_OBJECT] = VALUES_OBJECT,
		[JSON_SPAN_ARRAY] = VALUES_ARRAY,
		[JSON_SPAN_STRING] = VALUES_STRING,
		[JSON_SPAN_NUMBER] = VALUES_NUMBER,
		[JSON_SPAN_TRUE] = VALUES_BOOLEAN,
		[JSON_SPAN_FALSE] = VALUES_BOOLEAN,
		[JSON_SPAN_NULL] = VALUES_NULL,
	};

	return types[json_span_kind(value)];
}

static unsigned int
values_type_named(struct json_span name)
{
	size_t i;

	for (i = 0; i < VALUES_TYPES; i++)
		if (json_span_is(name, values_types[i].name))
			return values_types[i].type;
	return 0;
}

/*
 * Follows a reference into the same schema: "#/$defs/NAME". Returns 1 with the
 * part, or 0.
 */
static int
values_resolve(struct json_span root, struct json_span reference,
    struct json_span *part)
{
	auto_free char *path = NULL;
	char *rest, *name;
	size_t len;

	path = json_span_string(reference, &len, NULL);
	if (path == NULL || strncmp(path, "#/", 2) != 0)
		return 0;
	*part = root;
	rest = path + 2;
	while ((name = strsep(&rest, "/")) != NULL)
		if (json_span_get(*part, name, part) != 1)
			return 0;
	return 1;
}

static unsigned int values_types_of(
    struct json_span root, struct json_span part, int depth);

/* Those of a list of schemas, or of names. */
static unsigned int
values_types_in(struct json_span root, struct json_span list, int depth)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0;

	while (json_span_next_element(&walk, &each))
		types |= json_span_kind(each) == JSON_SPAN_STRING ?
		    values_type_named(each) :
		    values_types_of(root, each, depth);
	return types;
}

/* Those of the values that a schema names. */
static unsigned int
values_types_listed(struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0;

	while (json_span_next_element(&walk, &each))
		types |= values_type_of(each);
	return types;
}

/* The types that a part of a schema allows; 0: any, or unknown. */
static unsigned int
values_types_of(struct json_span root, struct json_span part, int depth)
{
	static const char *const lists[] = { "anyOf", "oneOf", "allOf" };
	struct json_span found;
	unsigned int types = 0;
	size_t i;

	if (depth == MCP_SCHEMA_DEPTH)
		return 0;
	if (json_span_get(part, "type", &found) == 1)
		return json_span_kind(found) == JSON_SPAN_ARRAY ?
		    values_types_in(root, found, depth) :
		    values_type_named(found);
	if (json_span_get(part, "$ref", &found) == 1 &&
	    values_resolve(root, found, &found))
		return values_types_of(root, found, depth + 1);
	if (json_span_get(part, "enum", &found) == 1)
		return values_types_listed(found);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (json_span_get(part, lists[i], &found) == 1)
			types |= values_types_in(root, found, depth + 1);
	return types;
}

/* Refuses a text that is of none of the types. Returns -1 with err. */
static int
values_refuse(const char *name, const char *text, unsigned int types,
    struct err *err)
{
	auto_buffer struct buffer said = { 0 };
	size_t i;

	for (i = 0; i < VALUES_TYPES; i++) {
		if ((types & values_types[i].type) == 0)
			continue;
		types &= ~values_types[i].type;
		buffer_printf(&said, "%s%s", said.len > 0 ? " or " : "",
		    values_types[i].said);
	}
	return err_set(err, "the argument %s must be %s, and is \"%.60s\"",
	    name, said.data, text);
}

int
values_add(struct buffer *json, const char *name, const char *text,
    struct json_span schema, struct json_span property, struct err *err)
{
	unsigned int types = property.len == 0 ?
	    0 : values_types_of(schema, property, 0);
	size_t len = strlen(text);
	struct json_span value;

	/* Text in quotes stays text with quotes. */
	if ((types & ~(unsigned int)VALUES_STRING) != 0 &&
	    json_span_parse(text, len, &value, NULL) == 0 &&
	    json_span_kind(value) != JSON_SPAN_STRING &&
	    (values_type_of(value) & types) != 0) {
		buffer_add(json, value.p, value.len);
		return 0;
	}
	if (types != 0 && (types & VALUES_STRING) == 0)
		return values_refuse(name, text, types, err);
	if (!utf8_valid(text, len))
		return err_set(err, "the argument %s is not UTF-8", name);
	json_add_string(json, text, len);
	return 0;
}

/* One word: "name=value" or "name:=JSON". */
static int
values_add_word(struct buffer *json, const char *word,
    struct json_span schema, struct err *err)
{
	const char *sign = strchr(word, '=');
	int is_json = sign != NULL && sign > word && sign[-1] == ':';
	struct json_span properties, property = { NULL, 0 }, value;
	auto_free char *name = NULL;

	if (sign == NULL || sign == word || (is_json && sign == word + 1))
		return err_set(err, "\"%.60s\" is no argument: give "
		    "NAME=VALUE, NAME:=JSON or -", word);
	name = mem_dup(word, (size_t)(sign - word) - (is_json ? 1 : 0));
	if (!utf8_valid(name, strlen(name)))
		return err_set(err, "the name of an argument is not UTF-8");
	if (json->len > 1)
		buffer_add_text(json, ",");
	json_add_text(json, name);
	buffer_add_text(json, ":");
	if (!is_json) {
		if (json_span_get(schema, "properties", &properties) == 1)
			(void)json_span_get(properties, name, &property);
		return values_add(json, name, sign + 1, schema, property, err);
	}
	if (json_span_parse(sign + 1, strlen(sign + 1), &value, err) == -1)
		return err_wrap(err, "the argument %s is no JSON", name);
	buffer_add(json, value.p, value.len);
	return 0;
}

/* The members of the object on standard input. */
static int
values_add_input(struct buffer *json, struct err *err)
{
	auto_buffer struct buffer input = { 0 };
	struct json_span object, name, value;
	struct json_span_walk walk;
	ssize_t n;

	do {
		n = read(STDIN_FILENO, buffer_reserve(&input, PIPE_CHUNK),
		    PIPE_CHUNK);
		if (n > 0)
			input.len += (size_t)n;
		if (input.len > TOOL_ARGUMENTS_MAX)
			return err_set(err, "the arguments of a call have at "
			    "most %lu MiB as JSON", TOOL_ARGUMENTS_MAX / MIB);
	} while (n > 0 || (n == -1 && errno == EINTR));
	if (n == -1)
		return err_sys(err, "read standard input");
	if (json_span_parse(input.data, input.len, &object, err) == -1)
		return err_wrap(err, "standard input is no JSON");
	if (json_span_kind(object) != JSON_SPAN_OBJECT)
		return err_set(err, "standard input is no JSON object");
	walk = json_span_walk(object);
	if (json_span_next_member(&walk, &name, &value))
		buffer_add(json, object.p + 1, object.len - 2);
	return 0;
}

/* Whether what must be there is. */
static int
values_check_required(struct json_span schema, struct json_span object,
    struct err *err)
{
	struct json_span list, each, value;
	struct json_span_walk walk;
	size_t len;

	if (json_span_get(schema, "required", &list) != 1)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &each)) {
		auto_free char *name = json_span_string(each, &len, NULL);

		if (name != NULL && json_span_get(object, name, &value) == 0)
			return err_set(err, "the argument %s is missing",
			    name);
	}
	return 0;
}

/* Whether nothing is there that must not be, and all of it once. */
static int
values_check_names(struct json_span schema, struct json_span object,
    struct err *err)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value, properties, more, found;
	int closed =
	    json_span_get(schema, "additionalProperties", &more) == 1 &&
	    json_span_kind(more) == JSON_SPAN_FALSE &&
	    json_span_get(schema, "properties", &properties) == 1;
	size_t len;

	while (json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = json_span_string(name, &len, NULL);

		if (text == NULL)
			continue;
		if (json_span_get(object, text, &found) > 1)
			return err_set(err, "the argument %s is given more "
			    "than once", text);
		if (closed && json_span_get(properties, text, &found) == 0)
			return err_set(err, "it takes no argument %s", text);
	}
	return 0;
}

int
values_read(char *const *words, struct json_span schema,
    struct buffer *json, struct err *err)
{
	struct json_span object;

	buffer_add_text(json, "{");
	for (; *words != NULL; words++)
		if (strcmp(*words, "-") == 0) {
			if (json->len > 1)
				return err_set(err, "- comes before all other "
				    "arguments");
			if (values_add_input(json, err) == -1)
				return -1;
		} else if (values_add_word(json, *words, schema, err) == -1) {
			return -1;
		}
	buffer_add_text(json, "}");
	if (json->len > TOOL_ARGUMENTS_MAX)
		return err_set(err, "the arguments of a call have at most %lu "
		    "MiB as JSON", TOOL_ARGUMENTS_MAX / MIB);
	if (json_span_parse(json->data, json->len, &object, err) == -1 ||
	    values_check_names(schema, object, err) == -1)
		return -1;
	return values_check_required(schema, object, err);
}
