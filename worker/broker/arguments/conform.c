/*
 * Compares one value with a schema: type, "enum" and "const", members, items
 * and alternatives. See arguments.h.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "arguments.h"

/* The rules of a part that are understood. */
enum conform_rule {
	RULE_NULLABLE, RULE_CONST, RULE_ENUM, RULE_ITEMS, RULE_PREFIX,
	RULE_REST, RULE_ANY, RULE_ONE, RULES
};

/* The value that is compared with a part. */
struct conform_value {
	const struct conform_place *place;
	struct json_span value;
	int depth;
	bool optional;
};

static void
conform_complain(struct conform *conform, const struct conform_value *given,
    const struct buffer *must)
{
	struct buffer *says = conform->says;

	if (!sentence_begin(conform))
		return;
	buffer_add_text(says, "argument ");
	sentence_add_place(says, given->place);
	buffer_add_text(says, " is ");
	sentence_add_value(says, given->value);
	buffer_printf(says, ", and must be %s", must->data);
	if (given->optional)
		buffer_add_text(says, ", or be left out");
}

/* Choices */

static int
conform_is_same_string(struct json_span value, struct json_span choice)
{
	size_t len, other_len;
	auto_free char *text = json_span_string(value, &len, NULL);
	auto_free char *other = json_span_string(choice, &other_len, NULL);

	if (text == NULL || other == NULL)
		return 1;
	return len == other_len && memcmp(text, other, len) == 0;
}

static int
conform_is_same_number(struct json_span value, struct json_span choice)
{
	auto_free char *text = NULL, *other = NULL;

	if (value.len > ARGUMENTS_DIGITS_MAX ||
	    choice.len > ARGUMENTS_DIGITS_MAX)
		return 1;
	text = mem_dup(value.p, value.len);
	other = mem_dup(choice.p, choice.len);
	return strtod(text, NULL) == strtod(other, NULL);
}

/* Whether a value is one that a schema lists, or could be. */
static int
conform_is_same(struct schema *schema, struct json_span value,
    struct json_span choice)
{
	enum json_span_kind kind = json_span_kind(value);

	if (!schema_spend(schema, SCHEMA_VALUE_WORK + choice.len))
		return 1;
	if (kind != json_span_kind(choice))
		return 0;
	if (kind != JSON_SPAN_STRING && kind != JSON_SPAN_NUMBER)
		return 1;
	if (!schema_spend(schema, SCHEMA_VALUE_WORK + value.len))
		return 1;
	return kind == JSON_SPAN_STRING ?
	    conform_is_same_string(value, choice) :
	    conform_is_same_number(value, choice);
}

/* Whether a value is one of a list; an empty list, or none, allows all. */
static int
conform_is_chosen(
    struct schema *schema, struct json_span value, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span choice;
	int some = 0;

	if (json_span_kind(list) != JSON_SPAN_ARRAY)
		return 1;
	while (json_span_next_element(&walk, &choice)) {
		if (conform_is_same(schema, value, choice))
			return 1;
		some = 1;
	}
	return !some;
}

/* Appends the values of a list: "1, 2 or 3", of many "one of 1, 2, ...". */
static void
conform_add_choices(struct buffer *must, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list), count = walk;
	struct json_span choice;
	size_t n, total = 0;

	while (total <= ARGUMENTS_CHOICES_MAX &&
	    json_span_next_element(&count, &choice))
		total++;
	buffer_add_text(must, total > ARGUMENTS_CHOICES_MAX ? "one of " : "");
	for (n = 0; n < ARGUMENTS_CHOICES_MAX &&
	     json_span_next_element(&walk, &choice); n++) {
		if (n > 0)
			buffer_add_text(must, n + 1 == total ? " or " : ", ");
		sentence_add_json(must, choice);
	}
	buffer_add_text(must, total > ARGUMENTS_CHOICES_MAX ? ", ..." : "");
}

/* Appends the choices that come close to a string. */
static void
conform_add_similar(struct schema *schema, struct buffer *must,
    struct json_span value, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span choice;
	struct alike alike;
	const char *known;
	size_t len, n;
	auto_free char *text = json_span_string(value, &len, NULL);

	alike_begin(&alike, text == NULL ? "" : text, 0);
	while (schema->work > 0 && json_span_next_element(&walk, &choice)) {
		auto_free char *other = json_span_string(choice, &len, NULL);

		if (other != NULL)
			alike_try(&alike, schema, other);
	}
	for (n = 0; (known = alike_name(&alike, n)) != NULL; n++) {
		if (n > 0 && strcmp(known, alike_name(&alike, n - 1)) == 0)
			continue;
		buffer_add_text(must, n == 0 ? "; did you mean " : " or ");
		json_add_text(must, known);
	}
	buffer_add_text(must, n > 0 ? "?" : "");
}

/* Whether "const" and "enum" allow a value; else appends what it must be. */
static int
conform_choice(struct schema *schema, struct json_span value,
    const struct json_span_member *rules, struct buffer *must)
{
	if (rules[RULE_CONST].count > 0 &&
	    !conform_is_same(schema, value, rules[RULE_CONST].value)) {
		sentence_add_json(must, rules[RULE_CONST].value);
		return 0;
	}
	if (rules[RULE_ENUM].count == 0 ||
	    conform_is_chosen(schema, value, rules[RULE_ENUM].value))
		return 1;
	conform_add_choices(must, rules[RULE_ENUM].value);
	conform_add_similar(schema, must, value, rules[RULE_ENUM].value);
	return 0;
}

/* Whether "type" allows a value; otherwise appends the allowed types. */
static int
conform_type(struct schema *schema, struct json_span value,
    struct json_span part, struct buffer *must)
{
	unsigned int types = schema_types_named(schema, part);
	unsigned int own = schema_type_of(value);

	if ((types & SCHEMA_NUMBER) != 0)
		types |= SCHEMA_INTEGER;
	if (types == 0 || (own & types) != 0)
		return 1;
	schema_add_types(must, types);
	return 0;
}

/* Conversion */

/* Whether a value is a string of an integer as JSON writes it. */
static int
conform_is_numeral(struct json_span value)
{
	const char *p = value.p + 1, *end = value.p + value.len - 1;

	if (json_span_kind(value) != JSON_SPAN_STRING)
		return 0;
	if (p < end && *p == '-')
		p++;
	if (p == end || (*p == '0' && p + 1 < end))
		return 0;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p == end;
}

void
conform_cut(struct conform *conform, const char *p, size_t len)
{
	/* Twice as large at powers of two. */
	if ((conform->ncuts & (conform->ncuts - 1)) == 0)
		conform->cuts = mem_resize(conform->cuts,
		    (2 * conform->ncuts + 1) * sizeof(*conform->cuts));
	conform->cuts[conform->ncuts++] = (struct conform_cut){ p, len };
}

/* Removes the quotes of a numeral where a schema asks for an integer. */
static void
conform_convert(struct conform *conform, struct conform_value *given,
    struct json_span from)
{
	unsigned int types;
	struct json_span *value = &given->value;

	if (conform->exact || !conform_is_numeral(*value))
		return;
	types = schema_types_allowed(conform->schema, from, given->depth);
	if ((types & SCHEMA_INTEGER) == 0 || (types & SCHEMA_STRING) != 0)
		return;
	conform_cut(conform, value->p, 1);
	conform_cut(conform, value->p + value->len - 1, 1);
	*value = (struct json_span){ value->p + 1, value->len - 2 };
}

/* Parts */

static void
conform_members(struct conform *conform, const struct conform_value *given,
    const struct schema_part *part)
{
	struct schema_parts only = { .list = { *part }, .count = 1 };
	struct json_span_walk walk = json_span_walk(given->value);
	struct json_span name, value, property;
	const struct names_entry *entry;
	struct names_given names;

	/* Nested values are scanned for each schema that they must fit. */
	if (!schema_spend(conform->schema, given->value.len))
		return;
	names_collect(conform->schema, given->value, &only, &names);
	names_check(conform, given->place, given->value, &only, &names,
	    part->closed && part->properties.len > 2);
	while (part->properties.len + part->more.len > 0 &&
	    *conform->values > 0 && conform->schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		struct conform_place place = { given->place, name, 0 };
		auto_free char *text = names_decode(name);
		size_t n = 0, at = 0;

		entry = text == NULL ? NULL :
		    names_find(conform->schema, &names, text);
		if (entry != NULL && names_property(conform->schema, &only,
		        &names, entry, &n, &at, &property))
			conform_value(conform, &place, value, property,
			    given->depth + 1,
			    json_span_kind(value) == JSON_SPAN_NULL &&
			        !entry->required);
	}
	names_release(&names);
}

/* The first items have a schema each, all others one together. */
static void
conform_items(struct conform *conform, const struct conform_value *given,
    const struct json_span_member *rules)
{
	const struct json_span_member *first = &rules[RULE_PREFIX];
	const struct json_span_member *rest = &rules[RULE_ITEMS];
	struct json_span_walk walk = json_span_walk(given->value), firsts;
	struct conform_place place = { given->place, { NULL, 0 }, 0 };
	struct json_span each, from;

	/* As it was written before 2020. */
	if (first->count == 0 && rest->count > 0 &&
	    json_span_kind(rest->value) == JSON_SPAN_ARRAY) {
		first = rest;
		rest = &rules[RULE_REST];
	}
	if (first->count > 0 && json_span_kind(first->value) != JSON_SPAN_ARRAY)
		return;
	if (!schema_spend(conform->schema, given->value.len))
		return;
	firsts = json_span_walk(first->value);
	for (; *conform->values > 0 && conform->schema->work > 0 &&
	     json_span_next_element(&walk, &each); place.index++) {
		if (!json_span_next_element(&firsts, &from))
			from = rest->value;
		if (from.len == 0)
			return;
		conform_value(conform, &place, each, from, given->depth + 1, 0);
	}
}

/* Compares with one alternative; returns whether the value fits it. */
static int
conform_try(struct conform *conform, const struct conform_value *given,
    struct json_span choice, struct buffer *says)
{
	struct conform trial = { .schema = conform->schema,
		.values = conform->values, .says = says, .most = 1,
		.exact = true };

	conform_value(&trial, given->place, given->value, choice,
	    given->depth + 1, given->optional);
	return trial.wrong == 0;
}

/* Alternatives that allow the type of a value. */
struct conform_ways {
	struct json_span only;
	size_t count;
	unsigned int types; /* of all alternatives */
	struct buffer says; /* what is wrong by the first of them */
};

/* Compares with all alternatives; returns whether the value fits one. */
static int
conform_try_all(struct conform *conform, const struct conform_value *given,
    struct json_span list, struct conform_ways *ways)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span choice;
	unsigned int types, own = schema_type_of(given->value);

	while (json_span_next_element(&walk, &choice)) {
		auto_buffer struct buffer says = { 0 };

		if (conform_try(conform, given, choice, &says))
			return 1;
		types = schema_types_allowed(
		    conform->schema, choice, given->depth + 1);
		ways->types |= types;
		if (types != 0 && (own & types) == 0)
			continue;
		ways->only = choice;
		if (++ways->count <= ARGUMENTS_WAYS_MAX)
			buffer_printf(&ways->says, "%s%s",
			    ways->count > 1 ? ", or else " : "", says.data);
	}
	return 0;
}

/* Reports a value that fits none of several alternatives. */
static void
conform_either(struct conform *conform, const struct conform_value *given,
    struct json_span list)
{
	auto_buffer struct buffer must = { 0 };
	struct conform_ways ways = { .count = 0 };
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	size_t count = 0;

	if (json_span_kind(list) == JSON_SPAN_ARRAY &&
	    schema_spend(conform->schema, list.len))
		while (json_span_next_element(&walk, &each))
			count++;
	if (count == 0 || count > ARGUMENTS_PARTS_MAX ||
	    conform_try_all(conform, given, list, &ways)) {
		buffer_reset(&ways.says);
		return;
	}
	if (ways.count == 1) {
		conform_value(conform, given->place, given->value, ways.only,
		    given->depth + 1, given->optional);
	} else if (ways.count > 1) {
		if (sentence_begin(conform))
			buffer_add(conform->says, ways.says.data,
			    ways.says.len);
	} else if (ways.types != 0) {
		schema_add_types(&must, ways.types);
		conform_complain(conform, given, &must);
	}
	buffer_reset(&ways.says);
}

static void
conform_part(struct conform *conform, const struct conform_value *given,
    const struct schema_part *part)
{
	struct json_span_member rules[RULES] = {
		[RULE_NULLABLE] = { .name = "nullable" },
		[RULE_CONST] = { .name = "const" },
		[RULE_ENUM] = { .name = "enum" },
		[RULE_ITEMS] = { .name = "items" },
		[RULE_PREFIX] = { .name = "prefixItems" },
		[RULE_REST] = { .name = "additionalItems" },
		[RULE_ANY] = { .name = "anyOf" },
		[RULE_ONE] = { .name = "oneOf" },
	};
	auto_buffer struct buffer must = { 0 };

	if (!schema_spend(conform->schema, part->all.len))
		return;
	json_span_members(part->all, rules, RULES);
	/* As OpenAPI writes it. */
	if (json_span_kind(given->value) == JSON_SPAN_NULL &&
	    rules[RULE_NULLABLE].count > 0 &&
	    json_span_kind(rules[RULE_NULLABLE].value) == JSON_SPAN_TRUE)
		return;
	if (!conform_choice(conform->schema, given->value, rules, &must) ||
	    !conform_type(
	        conform->schema, given->value, part->all, &must)) {
		if (conform->schema->work > 0)
			conform_complain(conform, given, &must);
		return;
	}
	if (json_span_kind(given->value) == JSON_SPAN_OBJECT)
		conform_members(conform, given, part);
	else if (json_span_kind(given->value) == JSON_SPAN_ARRAY)
		conform_items(conform, given, rules);
	if (rules[RULE_ANY].count > 0)
		conform_either(conform, given, rules[RULE_ANY].value);
	if (rules[RULE_ONE].count > 0)
		conform_either(conform, given, rules[RULE_ONE].value);
}

void
conform_value(struct conform *conform, const struct conform_place *place,
    struct json_span value, struct json_span from, int depth, int optional)
{
	struct conform_value given = { place, value, depth, optional };
	struct schema_parts parts;
	size_t n, wrong = conform->wrong;

	if (depth > ARGUMENTS_DEPTH_MAX || *conform->values == 0 ||
	    conform->schema->work == 0 || conform->wrong > conform->most)
		return;
	(*conform->values)--;
	conform_convert(conform, &given, from);
	schema_find_parts(conform->schema, from, &parts);
	for (n = 0; n < parts.count && conform->wrong == wrong; n++)
		if (!parts.list[n].beside)
			conform_part(conform, &given, &parts.list[n]);
}

int
conform_fits(
    struct conform *conform, struct json_span value, struct json_span from)
{
	struct conform_place place = { NULL, { "\"\"", 2 }, 0 };
	struct conform_value given = { &place, value, -1, 0 };
	auto_buffer struct buffer says = { 0 };

	return conform_try(conform, &given, from, &says);
}
