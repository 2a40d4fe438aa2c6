/* The shape of a tool's results: see tools.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "tools.h"

/* The depth of types, and the maximum length of the text. */
static const struct shape_level {
	int depth;
	size_t most;
} shape_levels[] = { { 2, SHAPE_TEXT_MAX / 2 }, { 1, SHAPE_TEXT_MAX },
	{ 0, SHAPE_TEXT_MAX } };

static void shape_write(struct buffer *text, struct json_span value, int depth);

/* Whether a member has a name as in programs; other names are data. */
static int
shape_is_name(struct json_span name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t i;

	if (name.len < 3 || name.len > SHAPE_NAME_MAX + 2 ||
	    (name.p[1] >= '0' && name.p[1] <= '9'))
		return 0;
	for (i = 1; i < name.len - 1; i++)
		if (name.p[i] == '\0' || strchr(letters, name.p[i]) == NULL)
			return 0;
	return 1;
}

/* Whether an object has few members, all with such names. */
static int
shape_is_record(struct json_span object)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	size_t n = 0;

	while (json_span_next_member(&walk, &name, &value))
		if (++n > SHAPE_KEYS_MAX || !shape_is_name(name))
			return 0;
	return 1;
}

/*
 * Appends a shape, unless it is one of those after start, separated by " | ".
 */
static void
shape_write_other(
    struct buffer *text, size_t start, struct json_span value, int depth)
{
	auto_buffer struct buffer shape = { 0 };
	const char *found;

	shape_write(&shape, value, depth);
	for (found = text->data + start; text->len > start;
	     found += shape.len) {
		found = strstr(found, shape.data);
		if (found == NULL)
			break;
		if ((found == text->data + start || found[-1] == ' ') &&
		    (found[shape.len] == '\0' || found[shape.len] == ' '))
			return;
	}
	if (text->len > start)
		buffer_add_text(text, " | ");
	buffer_add(text, shape.data, shape.len);
}

/* The shape of the items of a list, or of the members of an object of data. */
static void
shape_write_items(struct buffer *text, struct json_span whole, int depth)
{
	struct json_span_walk walk = json_span_walk(whole);
	struct json_span name, value;
	size_t n, start = text->len;
	int object = json_span_kind(whole) == JSON_SPAN_OBJECT;
	int records = 0;

	for (n = 0; n < SHAPE_ITEMS_MAX; n++) {
		if (object ? !json_span_next_member(&walk, &name, &value)
		           : !json_span_next_element(&walk, &value))
			break;
		/* The first object stands for all objects. */
		if (json_span_kind(value) == JSON_SPAN_OBJECT && records++)
			continue;
		shape_write_other(text, start, value, depth);
		if (text->len - start > SHAPE_TEXT_MAX)
			break;
	}
}

static void
shape_write_object(struct buffer *text, struct json_span object, int depth)
{
	if (shape_is_record(object)) {
		struct json_span_walk walk = json_span_walk(object);
		struct json_span name, value;
		size_t n = 0;

		buffer_add_text(text, "{");
		while (json_span_next_member(&walk, &name, &value)) {
			if (n > 0)
				buffer_add_text(text, ", ");
			if (depth == 0 && n == SHAPE_NAMES_MAX) {
				buffer_add_text(text, "...");
				break;
			}
			buffer_add(text, name.p + 1, name.len - 2);
			if (depth > 0) {
				buffer_add_text(text, ": ");
				shape_write(text, value, depth - 1);
			}
			n++;
		}
		buffer_add_text(text, "}");
		return;
	}
	buffer_add_text(text, "{str: ");
	shape_write_items(text, object, depth > 0 ? depth - 1 : 0);
	buffer_add_text(text, "}");
}

/* For Python a number with a point or an exponent is not an integer. */
static int
shape_is_integer(struct json_span number)
{
	return memchr(number.p, '.', number.len) == NULL &&
	    memchr(number.p, 'e', number.len) == NULL &&
	    memchr(number.p, 'E', number.len) == NULL;
}

static void
shape_write(struct buffer *text, struct json_span value, int depth)
{
	size_t start;

	switch (json_span_kind(value)) {
	case JSON_SPAN_OBJECT:
		shape_write_object(text, value, depth);
		return;
	case JSON_SPAN_ARRAY:
		buffer_add_text(text, "list of ");
		start = text->len;
		shape_write_items(text, value, depth);
		if (text->len == start) /* an empty one */
			buffer_add_text(text, "Any");
		return;
	case JSON_SPAN_STRING:
		buffer_add_text(text, "str");
		return;
	case JSON_SPAN_NUMBER:
		buffer_add_text(
		    text, shape_is_integer(value) ? "int" : "float");
		return;
	case JSON_SPAN_TRUE:
	case JSON_SPAN_FALSE:
		buffer_add_text(text, "bool");
		return;
	case JSON_SPAN_NULL:
		buffer_add_text(text, "None");
		return;
	}
}

/* Appends the shape of a value, as deep as there is room, or cut. */
static void
shape_add_value(struct buffer *text, struct json_span value)
{
	auto_buffer struct buffer shape = { 0 };
	size_t n;

	for (n = 0; n < sizeof(shape_levels) / sizeof(shape_levels[0]); n++) {
		buffer_reset(&shape);
		shape_write(&shape, value, shape_levels[n].depth);
		if (shape.len <= shape_levels[n].most)
			break;
	}
	if (shape.len > SHAPE_TEXT_MAX) {
		buffer_add(text, shape.data, SHAPE_TEXT_MAX - 3);
		buffer_add_text(text, "...");
	} else {
		buffer_add(text, shape.data, shape.len);
	}
}

/*
 * Finds the text of a result with one block of text. Returns the number of
 * blocks.
 */
static size_t
shape_find_text(struct json_span result, struct json_span *text)
{
	struct json_span content, block, member;
	struct json_span_walk walk;
	size_t n = 0;

	if (json_span_get(result, "content", &content) == 0 ||
	    json_span_kind(content) != JSON_SPAN_ARRAY)
		return 0;
	walk = json_span_walk(content);
	while (json_span_next_element(&walk, &block)) {
		if (json_span_get(block, "type", &member) == 0)
			continue;
		if (json_span_is(member, "resource")) {
			if (json_span_get(block, "resource", &member) == 0)
				continue;
			block = member;
		} else if (!json_span_is(member, "text")) {
			continue;
		}
		if (json_span_get(block, "text", text) == 0 ||
		    json_span_kind(*text) != JSON_SPAN_STRING)
			continue;
		n++;
	}
	return n;
}

/* The text of a block may be an object or an array of JSON. */
static void
shape_add_text(struct buffer *text, struct json_span string)
{
	auto_free char *decoded = NULL;
	struct json_span value;
	struct err err;
	size_t len;

	decoded = json_span_string(string, &len, &err);
	if (decoded != NULL &&
	    json_span_parse(decoded, len, &value, &err) == 0 &&
	    (json_span_kind(value) == JSON_SPAN_OBJECT ||
	        json_span_kind(value) == JSON_SPAN_ARRAY))
		shape_add_value(text, value);
	else
		buffer_add_text(text, "str");
}

void
shape_add(struct buffer *text, struct json_span result)
{
	struct json_span data, block = { NULL, 0 }, error;
	size_t blocks;

	if (result.len > SHAPE_RESULT_MAX ||
	    json_span_kind(result) != JSON_SPAN_OBJECT ||
	    (json_span_get(result, "isError", &error) > 0 &&
	        json_span_kind(error) == JSON_SPAN_TRUE))
		return;
	blocks = shape_find_text(result, &block);
	if (json_span_get(result, "structuredContent", &data) > 0 &&
	    json_span_kind(data) == JSON_SPAN_OBJECT)
		shape_add_value(text, data);
	else if (blocks == 1)
		shape_add_text(text, block);
	else if (blocks > 1)
		buffer_add_text(text, "str");
}
