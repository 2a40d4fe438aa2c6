/*
 * Compares the arguments of a call with the schema of the tool before they are
 * sent: names, types and choices, including nested values. Anything that it
 * does not understand is allowed, because the server checks again. Run by the
 * command, in the box.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/limits.h"
#include "../../../common/mem.h"
#include "../../../common/utf8.h"

/* One comparison of the arguments of a call, or of a part of them. */
struct check {
	struct json_span root;
	struct buffer *says; /* the errors, separated by "; " */
	size_t wrong;        /* their number */
	unsigned int *left;  /* values that may still be examined */
};

static void check_value(struct check *check, const char *where,
    struct json_span value, struct json_span schema, int depth);

/*
 * Returns the object that is a member; otherwise an empty span without members.
 */
static struct json_span
check_object(struct json_span object, const char *name)
{
	struct json_span found;

	if (json_span_get(object, name, &found) != 1 ||
	    json_span_kind(found) != JSON_SPAN_OBJECT)
		return (struct json_span){ "null", 4 };
	return found;
}

static int
check_is_object(struct json_span value)
{
	return json_span_kind(value) == JSON_SPAN_OBJECT;
}

/* Whether a list that is a member contains this string. */
static int
check_has(struct json_span object, const char *name, const char *string)
{
	struct json_span list, each;
	struct json_span_walk walk;

	if (json_span_get(object, name, &list) != 1)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &each))
		if (json_span_is(each, string))
			return 1;
	return 0;
}

/* Starts a sentence; returns 0 if there are enough of them. */
static int
check_begin(struct check *check)
{
	if (check->wrong++ >= MCP_WRONG_MAX) {
		if (check->wrong == MCP_WRONG_MAX + 1)
			buffer_add_text(check->says, "; ...");
		return 0;
	}
	if (check->says->len > 0)
		buffer_add_text(check->says, "; ");
	return 1;
}

/* Values */

/* Appends the beginning of a value, as JSON. */
static void
check_show(struct buffer *text, struct json_span value)
{
	size_t kept = utf8_cut(value.p, value.len, MCP_SHOWN_MAX);

	if (json_span_kind(value) == JSON_SPAN_OBJECT ||
	    json_span_kind(value) == JSON_SPAN_ARRAY) {
		buffer_add_text(text, json_span_kind(value) == JSON_SPAN_ARRAY ?
		    "a JSON array" : "a JSON object");
		return;
	}
	buffer_add(text, value.p, kept);
	if (kept < value.len)
		buffer_add_text(text, "...");
}

/* Reports an invalid value, and the values allowed. */
static void
check_complain(struct check *check, const char *where, struct json_span value,
    const struct buffer *must)
{
	if (!check_begin(check))
		return;
	buffer_printf(
	    check->says, "the argument %s must be %s, and is ", where,
	    must->data);
	check_show(check->says, value);
}

/* Whether a number is an integer, or too large to know. */
static int
check_is_integer(struct json_span value)
{
	auto_free char *text = mem_dup(value.p, value.len);
	double number;

	if (strpbrk(text, ".eE") == NULL)
		return 1;
	number = strtod(text, NULL);
	return !isfinite(number) || fabs(number) >= 1e18 ||
	    number == (double)(long long)number;
}

static int
check_is_type(struct json_span value, unsigned int types)
{
	unsigned int own = schema_type_of(value);

	if (json_span_kind(value) == JSON_SPAN_NUMBER &&
	    (types & SCHEMA_NUMBER) == 0)
		return (types & SCHEMA_INTEGER) != 0 && check_is_integer(value);
	return (own & types) != 0;
}

static int
check_is_same_string(struct json_span value, struct json_span choice)
{
	size_t len, other_len;
	auto_free char *text = json_span_string(value, &len, NULL);
	auto_free char *other = json_span_string(choice, &other_len, NULL);

	if (text == NULL || other == NULL)
		return 1;
	return len == other_len && memcmp(text, other, len) == 0;
}

static int
check_is_same_number(struct json_span value, struct json_span choice)
{
	auto_free char *text = mem_dup(value.p, value.len);
	auto_free char *other = mem_dup(choice.p, choice.len);

	return strtod(text, NULL) == strtod(other, NULL);
}

/* Whether a value is one that a schema lists, or could be. */
static int
check_is_same(struct json_span value, struct json_span choice)
{
	enum json_span_kind kind = json_span_kind(value);

	if (kind != json_span_kind(choice))
		return 0;
	if (kind == JSON_SPAN_STRING)
		return check_is_same_string(value, choice);
	if (kind == JSON_SPAN_NUMBER)
		return check_is_same_number(value, choice);
	return 1;
}

/* Appends the list of allowed values. */
static void
check_add_choices(struct buffer *must, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	size_t n = 0;

	while (json_span_next_element(&walk, &each)) {
		if (n++ == MCP_CHOICES_MAX) {
			buffer_add_text(must, ", ...");
			return;
		}
		buffer_add_text(must, n > 1 ? ", " : "");
		check_show(must, each);
	}
	if (n > 1) {
		auto_free char *all = mem_printf("one of %s", must->data);

		must->len = 0;
		buffer_add_text(must, all);
	}
}

/*
 * Whether "const" and "enum" allow a value; otherwise appends the allowed
 * values.
 */
static int
check_choices(
    struct json_span part, struct json_span value, struct buffer *must)
{
	struct json_span choice, list;
	struct json_span_walk walk;
	int some = 0;

	if (json_span_get(part, "const", &choice) == 1 &&
	    !check_is_same(value, choice)) {
		check_show(must, choice);
		return 0;
	}
	if (json_span_get(part, "enum", &list) != 1)
		return 1;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &choice)) {
		some = 1;
		if (check_is_same(value, choice))
			return 1;
	}
	if (some)
		check_add_choices(must, list);
	return !some;
}

/* Whether "type" allows a value; otherwise appends the allowed types. */
static int
check_type(struct json_span part, struct json_span value, struct buffer *must)
{
	unsigned int types = schema_types_named(part);

	if (types == 0 || check_is_type(value, types))
		return 1;
	schema_add_types(must, types);
	return 0;
}

/* Names */

/* Appends the names of all arguments, required ones first. */
static void
check_add_known(struct buffer *says, struct json_span part)
{
	struct json_span properties = check_object(part, "properties");
	struct json_span name, value;
	size_t n = 0, len;
	int required;

	buffer_add_text(says, "; it takes ");
	for (required = 1; required >= 0; required--) {
		struct json_span_walk walk = json_span_walk(properties);

		while (json_span_next_member(&walk, &name, &value)) {
			auto_free char *text =
			    json_span_string(name, &len, NULL);

			if (text == NULL ||
			    check_has(part, "required", text) != required)
				continue;
			if (n++ == MCP_NAMED_MAX) {
				buffer_add_text(says, ", ...");
				return;
			}
			buffer_add_text(says, n > 1 ? ", " : "");
			listed_add_text(says, name, MCP_SHOWN_MAX);
			buffer_add_text(says, required ? " (required)" : "");
		}
	}
	if (n == 0)
		buffer_add_text(says, "none");
}

/* Appends one of several names; after a few of them only dots. */
static void
check_add_name(struct buffer *names, size_t n, struct json_span name)
{
	if (n > MCP_WRONG_MAX)
		return;
	buffer_add_text(names, n == 0 ? "" : ", ");
	if (n == MCP_WRONG_MAX)
		buffer_add_text(names, "...");
	else
		listed_add_text(names, name, MCP_SHOWN_MAX);
}

/* Collects the missing required names; returns their number. */
static size_t
check_find_missing(
    struct json_span part, struct json_span object, struct buffer *names)
{
	struct json_span properties = check_object(part, "properties");
	struct json_span list, each, found;
	struct json_span_walk walk;
	size_t len, n = 0;

	if (json_span_get(part, "required", &list) != 1)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &each)) {
		auto_free char *name = json_span_string(each, &len, NULL);

		/* A server may not need an argument that has a default. */
		if (name != NULL && json_span_get(object, name, &found) == 0 &&
		    json_span_get(check_object(properties, name), "default",
		        &found) == 0)
			check_add_name(names, n++, each);
	}
	return n;
}

/* Appends the names that resemble an unknown one. */
static void
check_add_close(struct buffer *close, const char *name,
    struct json_span properties, struct json_span object)
{
	struct json_span_walk walk = json_span_walk(properties);
	struct json_span other, value;
	size_t len;

	while (json_span_next_member(&walk, &other, &value)) {
		auto_free char *text = json_span_string(other, &len, NULL);

		if (text == NULL || !names_close(name, text) ||
		    json_span_get(object, text, &value) > 0)
			continue;
		buffer_add_text(close, close->len > 0 ? " or " : "");
		listed_add_text(close, other, MCP_SHOWN_MAX);
		return;
	}
}

/* Collects the names that are not properties; returns their number. */
static size_t
check_find_unknown(struct json_span part, struct json_span object,
    struct buffer *names, struct buffer *close)
{
	struct json_span properties = check_object(part, "properties");
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	size_t len, n = 0;

	while (json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = json_span_string(name, &len, NULL);

		if (text == NULL || json_span_get(properties, text, &value) > 0)
			continue;
		if (n < MCP_WRONG_MAX)
			check_add_close(close, text, properties, object);
		check_add_name(names, n++, name);
	}
	return n;
}

/* Whether names missing in "properties" may be allowed. */
static int
check_is_vague(struct json_span part)
{
	static const char *const vague[] = { "anyOf", "oneOf", "allOf", "not",
		"$ref", "if", "then", "else", "propertyNames",
		"dependentSchemas", "dependencies", "$dynamicRef",
		"$recursiveRef", "extends", "unevaluatedProperties" };
	struct json_span found;
	size_t i;

	for (i = 0; i < sizeof(vague) / sizeof(*vague); i++)
		if (json_span_get(part, vague[i], &found) > 0)
			return 1;
	return 0;
}

/*
 * Whether undeclared names are errors. For the arguments themselves they are,
 * unless the schema allows them.
 */
static int
check_is_closed(struct json_span part, int top)
{
	struct json_span properties, more;
	struct json_span_walk walk;
	int found = json_span_get(part, "additionalProperties", &more);
	int no_more = found == 1 && json_span_kind(more) == JSON_SPAN_FALSE;

	if (json_span_get(part, "properties", &properties) != 1 ||
	    !check_is_object(properties) ||
	    json_span_get(part, "patternProperties", &more) > 0 ||
	    (top && check_is_vague(part)))
		return 0;
	walk = json_span_walk(properties);
	if (!json_span_next_member(&walk, &properties, &more))
		return top && no_more;
	return no_more || (top && found == 0);
}

/* Reports the unknown and the missing names. */
static void
check_names(struct check *check, const char *where, struct json_span object,
    struct json_span part)
{
	const char *noun = where[0] == '\0' ? "argument" : "member";
	auto_buffer struct buffer missing = { 0 }, unknown = { 0 };
	auto_buffer struct buffer close = { 0 };
	size_t few = check_find_missing(part, object, &missing), many = 0;

	if (check_is_closed(part, where[0] == '\0'))
		many = check_find_unknown(part, object, &unknown, &close);
	if ((few == 0 && many == 0) || !check_begin(check))
		return;
	if (where[0] != '\0')
		buffer_printf(check->says, "the argument %s: ", where);
	if (many > 0)
		buffer_printf(check->says, "it takes no %s%s %s", noun,
		    many > 1 ? "s" : "", unknown.data);
	if (close.len > 0)
		buffer_printf(check->says, "; did you mean %s?", close.data);
	if (few > 0)
		buffer_printf(check->says, "%sthe %s%s %s %s missing",
		    many > 0 ? "; " : "", noun, few > 1 ? "s" : "",
		    missing.data, few > 1 ? "are" : "is");
	if (json_span_get(part, "properties", &object) == 1)
		check_add_known(check->says, part);
}

/* Parts */

static void
check_members(struct check *check, const char *where, struct json_span object,
    struct json_span part, int depth)
{
	struct json_span properties = check_object(part, "properties");
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value, schema;
	size_t len;

	check_names(check, where, object, part);
	while (*check->left > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = json_span_string(name, &len, NULL);
		auto_buffer struct buffer inner = { 0 };

		if (text == NULL ||
		    json_span_get(properties, text, &schema) != 1)
			continue;
		buffer_printf(&inner, "%s%s", where,
		    where[0] == '\0' ? "" : ".");
		listed_add_text(&inner, name, MCP_SHOWN_MAX);
		check_value(check, inner.data, value, schema, depth);
	}
}

static void
check_items(struct check *check, const char *where, struct json_span list,
    struct json_span part, int depth)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each, schema, first;
	size_t i = 0;

	if (json_span_get(part, "items", &schema) != 1 ||
	    json_span_get(part, "prefixItems", &first) > 0)
		return;
	while (*check->left > 0 && json_span_next_element(&walk, &each)) {
		auto_free char *inner = mem_printf("%s[%zu]", where, i++);

		check_value(check, inner, each, schema, depth);
	}
}

/*
 * One of several schemas must match; the error of the best match is reported.
 */
static void
check_either(struct check *check, const char *where, struct json_span value,
    struct json_span list, int depth)
{
	auto_buffer struct buffer likely = { 0 }, must = { 0 };
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0, known = 1;
	size_t n = 0;

	while (json_span_next_element(&walk, &each)) {
		auto_buffer struct buffer says = { 0 };
		struct check trial = { check->root, &says, 0, check->left };
		unsigned int some = schema_types_of(check->root, each, 0);

		check_value(&trial, where, value, each, depth);
		if (trial.wrong == 0)
			return;
		types |= some;
		known = known && some != 0;
		if ((some != 0 && !check_is_type(value, some)) ||
		    n++ >= MCP_WAYS_MAX)
			continue;
		buffer_printf(&likely, "%s%s", n > 1 ? ", or else " : "",
		    says.data);
	}
	if (likely.len > 0 || !known || types == 0) {
		if (likely.len > 0 && check_begin(check))
			buffer_add_text(check->says, likely.data);
		return;
	}
	schema_add_types(&must, types);
	check_complain(check, where, value, &must);
}

/* Checks a value against a schema without references. */
static void
check_plain(struct check *check, const char *where, struct json_span value,
    struct json_span part, int depth)
{
	static const char *const ways[] = { "anyOf", "oneOf" };
	auto_buffer struct buffer must = { 0 };
	struct json_span found;
	size_t i;

	if (json_span_kind(value) == JSON_SPAN_NULL &&
	    json_span_get(part, "nullable", &found) == 1 &&
	    json_span_kind(found) == JSON_SPAN_TRUE)
		return;
	if (!check_choices(part, value, &must) ||
	    !check_type(part, value, &must)) {
		check_complain(check, where, value, &must);
		return;
	}
	if (json_span_kind(value) == JSON_SPAN_OBJECT)
		check_members(check, where, value, part, depth + 1);
	else if (json_span_kind(value) == JSON_SPAN_ARRAY)
		check_items(check, where, value, part, depth + 1);
	for (i = 0; i < 2; i++)
		if (json_span_get(part, ways[i], &found) == 1)
			check_either(check, where, value, found, depth + 1);
}

static void
check_value(struct check *check, const char *where, struct json_span value,
    struct json_span schema, int depth)
{
	struct json_span found;
	struct json_span_walk walk;
	size_t wrong = check->wrong;

	if (depth > MCP_CHECK_DEPTH || *check->left == 0 ||
	    !check_is_object(schema))
		return;
	(*check->left)--;
	/* References inside a part with its own name have other targets. */
	if (schema_is_apart(schema, check->root))
		return;
	if (json_span_get(schema, "$ref", &found) > 0) {
		if (schema_resolve(check->root, found, &found))
			check_value(check, where, value, found, depth + 1);
		return;
	}
	check_plain(check, where, value, schema, depth);
	if (json_span_get(schema, "allOf", &found) != 1)
		return;
	walk = json_span_walk(found);
	while (check->wrong == wrong && json_span_next_element(&walk, &found))
		check_value(check, where, value, found, depth + 1);
}

int
check_arguments(
    struct json_span schema, struct json_span object, struct err *err)
{
	auto_buffer struct buffer says = { 0 };
	unsigned int left = MCP_CHECKS_MAX;
	struct check check = { schema, &says, 0, &left };
	struct json_span type;

	if (json_span_get(schema, "type", &type) > 0 &&
	    !json_span_is(type, "object"))
		return 0;
	check_members(&check, "", object, schema, 0);
	return check.wrong == 0 ? 0 : err_set(err, "%s", says.data);
}
