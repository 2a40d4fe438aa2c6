/*
 * The names of arguments, and of members of nested objects: which are unknown
 * and which are missing. See arguments.h. Runs in the broker.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "arguments.h"

#define NAMES_WORK 100 /* for a name that is copied, sorted or looked for */

/* Some names, of which the first are told. */
struct names_some {
	struct json_span list[ARGUMENTS_NAMED_MAX];
	size_t count;
	size_t most; /* that are told; one more is counted */
};

static void
names_add(struct names_some *some, struct json_span name)
{
	if (some->count < some->most)
		some->list[some->count] = name;
	some->count++;
}

static int
names_is_full(const struct names_some *some)
{
	return some->count > some->most;
}

static int
names_has(const struct names_some *some, const char *name)
{
	size_t n;

	for (n = 0; n < some->count && n < some->most; n++)
		if (json_span_is(some->list[n], name))
			return 1;
	return 0;
}

static int
names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *
names_decode(struct json_span name)
{
	size_t len;
	char *text = json_span_string(name, &len, NULL);

	if (text == NULL || strlen(text) == len)
		return text;
	mem_auto_free(&text);
	return NULL;
}

void
names_collect(struct schema *schema, struct json_span object,
    struct names_given *given)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	char *text;

	*given = (struct names_given){ NULL, 0 };
	while (json_span_next_member(&walk, &name, &value) &&
	    schema_spend(schema, NAMES_WORK + name.len)) {
		text = names_decode(name);
		if (text == NULL)
			continue;
		/* Twice as large at powers of two. */
		if ((given->count & (given->count - 1)) == 0)
			given->list = mem_resize(given->list,
			    (2 * given->count + 1) * sizeof(*given->list));
		given->list[given->count++] = text;
	}
	if (given->count > 1)
		qsort(given->list, given->count, sizeof(*given->list),
		    names_compare);
}

void
names_release(struct names_given *given)
{
	while (given->count > 0)
		free(given->list[--given->count]);
	free(mem_take(&given->list));
}

size_t
names_times(struct schema *schema, const struct names_given *given,
    const char *name)
{
	size_t low = 0, high = given->count, middle, first;

	if (!schema_spend(schema, NAMES_WORK + strlen(name)))
		return 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(given->list[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (first = low; low < given->count &&
	     strcmp(given->list[low], name) == 0; low++)
		;
	return low - first;
}

int
names_property(struct schema *schema, const struct schema_parts *parts,
    size_t *n, const char *name, struct json_span *property)
{
	while (*n < parts->count) {
		const struct schema_part *part = &parts->list[(*n)++];

		if (part->properties.len > 0 && schema_get(schema,
		        part->properties, name, property) > 0)
			return 1;
		*property = part->more;
		if (part->more.len > 0 && schema->work > 0)
			return 1;
	}
	return 0;
}

int
names_required(struct schema *schema, const struct schema_parts *parts,
    const char *name)
{
	struct json_span_walk walk;
	struct json_span each;
	size_t n;

	for (n = 0; n < parts->count; n++) {
		walk = json_span_walk(parts->list[n].required);
		if (!schema_spend(schema, parts->list[n].required.len))
			return 0;
		while (json_span_next_element(&walk, &each))
			if (json_span_is(each, name))
				return 1;
	}
	return 0;
}

/* Whether a name is a property of a part. */
static int
names_is_known(struct schema *schema, const struct schema_parts *parts,
    const char *name)
{
	struct json_span property;
	size_t n = 0;

	return names_property(schema, parts, &n, name, &property);
}

/* Whether a server may be content without this name. */
static int
names_has_default(struct schema *schema, const struct schema_parts *parts,
    const char *name)
{
	struct json_span property, found;
	size_t n = 0;

	return names_property(schema, parts, &n, name, &property) &&
	    schema_get(schema, property, "default", &found) > 0;
}

/* Finds the names that a part requires and an object does not have. */
static void
names_find_missing(struct schema *schema, const struct schema_parts *parts,
    size_t part, const struct names_given *given,
    struct names_some *missing)
{
	struct json_span_walk walk = json_span_walk(parts->list[part].required);
	struct json_span each;

	while (!names_is_full(missing) && schema->work > 0 &&
	    json_span_next_element(&walk, &each)) {
		auto_free char *name = names_decode(each);

		if (name != NULL && !names_has(missing, name) &&
		    names_times(schema, given, name) == 0 &&
		    !names_has_default(schema, parts, name))
			names_add(missing, each);
	}
}

/* Finds the names of an object that no part has. */
static void
names_find_unknown(struct schema *schema, const struct schema_parts *parts,
    struct json_span object, struct names_some *unknown)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;

	while (!names_is_full(unknown) && schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = names_decode(name);

		if (text == NULL || !names_is_known(schema, parts, text))
			names_add(unknown, name);
	}
}

/* The sentence */

/* Appends names behind a noun: "s \"a\", \"b\"". */
static void
names_list(struct buffer *says, const struct names_some *some)
{
	size_t n;

	buffer_add_text(says, some->count > 1 ? "s " : " ");
	for (n = 0; n < some->count; n++) {
		buffer_add_text(says, n > 0 ? ", " : "");
		if (n == some->most) {
			buffer_add_text(says, "...");
			return;
		}
		buffer_add_text(says, "\"");
		sentence_add_name(says, some->list[n]);
		buffer_add_text(says, "\"");
	}
}

/* Compares an unknown name with all that are known and not given. */
static void
names_find_near(struct schema *schema, const struct schema_parts *parts,
    const struct names_given *given, struct alike *alike)
{
	struct json_span known, property;
	struct json_span_walk walk;
	size_t n;

	for (n = 0; n < parts->count; n++) {
		walk = json_span_walk(parts->list[n].properties);
		while (schema->work > 0 &&
		    json_span_next_member(&walk, &known, &property)) {
			auto_free char *text = names_decode(known);

			if (text != NULL &&
			    names_times(schema, given, text) == 0)
				alike_try(alike, schema, text);
		}
	}
}

/* Appends the names that come close to unknown ones; returns their number. */
static size_t
names_add_near(struct conform *conform, const struct schema_parts *parts,
    const struct names_given *given, const struct names_some *unknown)
{
	auto_buffer struct buffer close = { 0 };
	size_t n, m, count = 0;
	const char *known;
	struct alike alike;

	for (n = 0; n < unknown->count && n < unknown->most; n++) {
		auto_free char *name = names_decode(unknown->list[n]);

		alike_begin(&alike, name == NULL ? "" : name, 1);
		names_find_near(conform->schema, parts, given, &alike);
		for (m = 0; (known = alike_name(&alike, m)) != NULL; m++) {
			auto_buffer struct buffer quoted = { 0 };

			json_add_text(&quoted, known);
			if (count == ARGUMENTS_WRONG_MAX || (close.len > 0 &&
			        strstr(close.data, quoted.data) != NULL))
				continue;
			buffer_printf(&close, "%s%s",
			    count++ > 0 ? " or " : "", quoted.data);
		}
	}
	if (count > 0)
		buffer_printf(conform->says, "; did you mean %s?", close.data);
	return count;
}

/* Finds the names that a part requires. */
static void
names_find_required(const struct schema_part *part, struct names_some *all)
{
	struct json_span_walk walk = json_span_walk(part->required);
	struct json_span each;

	while (!names_is_full(all) && json_span_next_element(&walk, &each)) {
		auto_free char *name = names_decode(each);

		if (name != NULL && !names_has(all, name))
			names_add(all, each);
	}
}

/* Finds the names of properties of a part that no part requires. */
static void
names_find_optional(struct schema *schema, const struct schema_parts *parts,
    size_t part, struct names_some *all)
{
	struct json_span_walk walk =
	    json_span_walk(parts->list[part].properties);
	struct json_span name, value;

	while (!names_is_full(all) && schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = names_decode(name);

		if (text != NULL && !names_has(all, text) &&
		    !names_required(schema, parts, text))
			names_add(all, name);
	}
}

/* Appends all names that there may be: "it takes path (required), head". */
static void
names_add_all(struct schema *schema, const struct schema_parts *parts,
    size_t most, struct buffer *says)
{
	struct names_some all = { .most = most };
	size_t n, required;

	for (n = 0; n < parts->count; n++)
		names_find_required(&parts->list[n], &all);
	required = all.count;
	for (n = 0; n < parts->count; n++)
		names_find_optional(schema, parts, n, &all);
	if (schema->work == 0)
		return;
	buffer_add_text(says, all.count > 0 ? "; it takes " :
	    "; it takes none");
	for (n = 0; n < all.count && n < most; n++) {
		buffer_add_text(says, n > 0 ? ", " : "");
		sentence_add_name(says, all.list[n]);
		buffer_add_text(says, n < required ? " (required)" : "");
	}
	buffer_add_text(says, all.count > most ? ", ..." : "");
}

/* Reports names that are wrong. */
static void
names_complain(struct conform *conform, const struct conform_place *place,
    const struct names_given *given, const struct schema_parts *parts,
    const struct names_some *unknown, const struct names_some *missing)
{
	const char *noun = place == NULL ? "argument" : "member";
	struct buffer *says = conform->says;
	size_t near = 0;

	if (!sentence_begin(conform))
		return;
	if (place != NULL) {
		buffer_add_text(says, "argument ");
		sentence_add_place(says, place);
		buffer_add_text(says, ": ");
	}
	if (unknown->count > 0) {
		buffer_printf(says, "unknown %s", noun);
		names_list(says, unknown);
		near = names_add_near(conform, parts, given, unknown);
	}
	if (missing->count > 0) {
		/* Python adds what these hold: with_types in mcp/_schema.py. */
		buffer_printf(says, "%smissing %s",
		    unknown->count > 0 ? "; " : "", noun);
		names_list(says, missing);
	}
	names_add_all(conform->schema, parts, near > 0 ?
	    ARGUMENTS_NAMED_NEAR_MAX : ARGUMENTS_NAMED_MAX, says);
}

void
names_check(struct conform *conform, const struct conform_place *place,
    struct json_span object, const struct schema_parts *parts, int closed)
{
	struct names_some unknown = { .most = ARGUMENTS_WRONG_MAX };
	struct names_some missing = { .most = ARGUMENTS_WRONG_MAX };
	struct names_given given;
	size_t n;

	/* Nested values are scanned for each schema that they must fit. */
	if (place != NULL && !schema_spend(conform->schema, object.len))
		return;
	names_collect(conform->schema, object, &given);
	for (n = 0; n < parts->count; n++)
		names_find_missing(
		    conform->schema, parts, n, &given, &missing);
	if (closed)
		names_find_unknown(conform->schema, parts, object, &unknown);
	/* Without work left, names were not found for that reason. */
	if ((unknown.count > 0 || missing.count > 0) &&
	    conform->schema->work > 0)
		names_complain(
		    conform, place, &given, parts, &unknown, &missing);
	names_release(&given);
}
