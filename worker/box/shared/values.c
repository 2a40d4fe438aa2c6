/*
 * The arguments of a call, as words of a command line. The schema of the tool
 * determines the types of values; the broker checks them. Run by the command,
 * in the box.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"

/* Converts text to one value, as JSON. Returns 0, or -1 with err. */
static int
values_add(struct buffer *json, const char *name, const char *text,
    struct json_span schema, struct json_span property, struct err *err)
{
	unsigned int types = property.len == 0 ?
	    0 : schema_types_of(schema, property, 0);
	size_t len = strlen(text);
	struct json_span value;

	/* The broker finds out which numbers are integers. */
	if (types & SCHEMA_INTEGER)
		types |= SCHEMA_NUMBER;
	/* Quoted text keeps its quotes. */
	if ((types & ~(unsigned int)SCHEMA_STRING) != 0 &&
	    json_span_parse(text, len, &value, NULL) == 0 &&
	    json_span_kind(value) != JSON_SPAN_STRING &&
	    (schema_type_of_kind(value) & types) != 0) {
		buffer_add(json, value.p, value.len);
		return 0;
	}
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
		return err_set(err, "\"%.60s\" is not an argument: give "
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
		return err_wrap(err, "the argument %s is not valid JSON", name);
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

	if (fd_read_all(STDIN_FILENO, FD_READ_ON, TOOL_ARGUMENTS_MAX, &input) ==
	    -1)
		return errno == EFBIG ? serve_refuse_size(err) :
		    err_sys(err, "read standard input");
	if (json_span_parse(input.data, input.len, &object, err) == -1)
		return err_wrap(err, "standard input is not valid JSON");
	if (json_span_kind(object) != JSON_SPAN_OBJECT)
		return err_set(err, "standard input is not a JSON object");
	walk = json_span_walk(object);
	if (json_span_next_member(&walk, &name, &value))
		buffer_add(json, object.p + 1, object.len - 2);
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
				return err_set(err, "- must come before all "
				    "other arguments");
			if (values_add_input(json, err) == -1)
				return -1;
		} else if (values_add_word(json, *words, schema, err) == -1) {
			return -1;
		}
	buffer_add_text(json, "}");
	if (json->len > TOOL_ARGUMENTS_MAX)
		return serve_refuse_size(err);
	return json_span_parse(json->data, json->len, &object, err);
}
