/*
 * The names of arguments, and of members of nested objects: which are unknown
 * and which are missing. See arguments.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "arguments.h"

#define NAMES_WORK 300 /* for a name that is copied, sorted or looked for */

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
	const struct names_entry *x = a, *y = b;

	return strcmp(x->text, y->text);
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

/* Grows a list whose number of elements is a power of two, or 0. */
static void *
names_grow(void *list, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return list;
	return mem_resize(list, (2 * count + 1) * size);
}

/* Sorts the names, and keeps each once. */
static void
names_sort(struct names_given *given)
{
	struct names_entry *list = given->list;
	size_t n, kept = 0;

	if (given->count < 2)
		return;
	qsort(list, given->count, sizeof(*list), names_compare);
	for (n = 1; n < given->count; n++)
		if (strcmp(list[kept].text, list[n].text) == 0) {
			list[kept].times++;
			free(list[n].text);
		} else {
			list[++kept] = list[n];
		}
	given->count = kept + 1;
}

/* Adds the property of a name in a part; the last of one part counts. */
static void
names_put(struct names_given *given, struct names_entry *entry, size_t part,
    struct json_span property)
{
	if (entry->last > 0 && given->found[entry->last - 1].part == part) {
		given->found[entry->last - 1].property = property;
		return;
	}
	given->found = names_grow(
	    given->found, given->nfound, sizeof(*given->found));
	given->found[given->nfound++] =
	    (struct names_found){ part, property, 0 };
	if (entry->last > 0)
		given->found[entry->last - 1].next = given->nfound;
	else
		entry->first = given->nfound;
	entry->last = given->nfound;
}

struct names_entry *
names_find(struct schema *schema, const struct names_given *given,
    const char *name)
{
	const struct names_entry wanted = { .text = (char *)name };

	if (given->count == 0 ||
	    !schema_spend(schema, NAMES_WORK + strlen(name)))
		return NULL;
	return bsearch(&wanted, given->list, given->count,
	    sizeof(*given->list), names_compare);
}

/* Looks which names have properties in a part, and which it requires. */
static void
names_look(struct schema *schema, const struct schema_parts *parts,
    size_t part, struct names_given *given)
{
	struct json_span_walk walk =
	    json_span_walk(parts->list[part].properties);
	struct json_span name, value;
	struct names_entry *entry;

	while (schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = names_decode(name);

		entry = text == NULL ? NULL : names_find(schema, given, text);
		if (entry != NULL)
			names_put(given, entry, part, value);
	}
	walk = json_span_walk(parts->list[part].required);
	while (schema->work > 0 && json_span_next_element(&walk, &name)) {
		auto_free char *text = names_decode(name);

		entry = text == NULL ? NULL : names_find(schema, given, text);
		if (entry != NULL)
			entry->required = 1;
	}
}

void
names_collect(struct schema *schema, struct json_span object,
    const struct schema_parts *parts, struct names_given *given)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	char *text;
	size_t n;

	*given = (struct names_given){ NULL, 0, NULL, 0 };
	while (json_span_next_member(&walk, &name, &value) &&
	    schema_spend(schema, NAMES_WORK + name.len)) {
		text = names_decode(name);
		if (text == NULL)
			continue;
		given->list = names_grow(
		    given->list, given->count, sizeof(*given->list));
		given->list[given->count++] =
		    (struct names_entry){ .text = text, .times = 1 };
	}
	names_sort(given);
	for (n = 0; n < parts->count && given->count > 0; n++)
		if (schema_spend(schema, parts->list[n].properties.len +
		        parts->list[n].required.len))
			names_look(schema, parts, n, given);
}

void
names_release(struct names_given *given)
{
	while (given->count > 0)
		free(given->list[--given->count].text);
	free(mem_take(&given->list));
	free(mem_take(&given->found));
}

int
names_property(const struct schema *schema, const struct schema_parts *parts,
    const struct names_given *given, const struct names_entry *entry,
    size_t *n, size_t *at, struct json_span *property)
{
	const struct names_found *found;

	if (*n == 0)
		*at = entry->first;
	while (*n < parts->count) {
		found = *at > 0 ? &given->found[*at - 1] : NULL;
		*property = parts->list[*n].more;
		if (found != NULL && found->part == *n) {
			*property = found->property;
			*at = found->next;
		}
		(*n)++;
		if (property->len > 0 && schema->work > 0)
			return 1;
	}
	return 0;
}

/* Whether a part requires a name that may not be given. */
static int
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

/*
 * Whether a server may be content without this name: the first part that has it
 * as a property, or else describes others, has a default.
 */
static int
names_has_default(struct schema *schema, const struct schema_parts *parts,
    const char *name)
{
	struct json_span property = { NULL, 0 }, found;
	const struct schema_part *part;
	size_t n;

	for (n = 0; n < parts->count && property.len == 0; n++) {
		part = &parts->list[n];
		if (part->properties.len == 0 || schema_get(schema,
		        part->properties, name, &property) == 0)
			property = part->more;
	}
	return property.len > 0 &&
	    schema_get(schema, property, "default", &found) > 0;
}

/* Finds the names of an object that no part has. */
static void
names_find_unknown(struct schema *schema, const struct schema_parts *parts,
    struct json_span object, const struct names_given *given,
    struct names_some *unknown)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value, property;
	const struct names_entry *entry;

	while (!names_is_full(unknown) && schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = names_decode(name);
		size_t n = 0, at = 0;

		entry = text == NULL ? NULL : names_find(schema, given, text);
		if (entry == NULL || !names_property(schema, parts, given,
		        entry, &n, &at, &property))
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
names_find_similar(struct schema *schema, const struct schema_parts *parts,
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
			    names_find(schema, given, text) == NULL)
				alike_try(alike, schema, text);
		}
	}
}

/* Appends the names that come close to unknown ones. */
static void
names_add_similar(struct conform *conform, const struct schema_parts *parts,
    const struct names_given *given, const struct names_some *unknown)
{
	auto_buffer struct buffer close = { 0 };
	size_t n, m, count = 0;
	const char *known;
	struct alike alike;

	for (n = 0; n < unknown->count && n < unknown->most; n++) {
		auto_free char *name = names_decode(unknown->list[n]);

		alike_begin(&alike, name == NULL ? "" : name, 1);
		names_find_similar(conform->schema, parts, given, &alike);
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

/* Appends the type of a name, as the first part with such a property has it. */
static void
names_add_type(struct schema *schema, const struct schema_parts *parts,
    struct json_span name, struct buffer *says)
{
	struct json_span property;
	auto_free char *text = names_decode(name);
	size_t n;

	for (n = 0; n < parts->count && text != NULL; n++)
		if (schema_get(schema, parts->list[n].properties, text,
		        &property) > 0) {
			type_add_brief(schema, property, says);
			return;
		}
}

void
names_add_all(struct schema *schema, const struct schema_parts *parts,
    const char *taker, struct buffer *says)
{
	struct names_some all = { .most = ARGUMENTS_NAMED_MAX };
	size_t n, required, end = says->len + ARGUMENTS_TAKES_MAX;

	for (n = 0; n < parts->count; n++) {
		struct json_span_walk walk =
		    json_span_walk(parts->list[n].required);
		struct json_span each;

		while (!names_is_full(&all) &&
		    json_span_next_element(&walk, &each)) {
			auto_free char *name = names_decode(each);

			if (name != NULL && !names_has(&all, name))
				names_add(&all, each);
		}
	}
	required = all.count;
	for (n = 0; n < parts->count; n++)
		names_find_optional(schema, parts, n, &all);
	if (schema->work == 0)
		return;
	buffer_printf(says, "; %s takes %s", taker,
	    all.count > 0 ? "" : "none");
	for (n = 0; n < all.count && n < all.most && says->len < end; n++) {
		buffer_add_text(says, n > 0 ? ", " : "");
		sentence_add_name(says, all.list[n]);
		buffer_add_text(says, n < required ? "" : "?");
		names_add_type(schema, parts, all.list[n], says);
	}
	buffer_add_text(says, n < all.count ? ", ..." : "");
}

/* Reports names that are wrong. */
static void
names_complain(struct conform *conform, const struct conform_place *place,
    const struct names_given *given, const struct schema_parts *parts,
    const struct names_some *unknown, const struct names_some *missing)
{
	const char *noun = place == NULL ? "argument" : "member";
	struct buffer *says = conform->says;

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
		names_add_similar(conform, parts, given, unknown);
	}
	if (missing->count > 0) {
		buffer_printf(says, "%smissing %s",
		    unknown->count > 0 ? "; " : "", noun);
		names_list(says, missing);
	}
	if (place != NULL)
		names_add_all(conform->schema, parts, "it", says);
}

void
names_check(struct conform *conform, const struct conform_place *place,
    struct json_span object, const struct schema_parts *parts,
    const struct names_given *given, int closed)
{
	struct names_some unknown = { .most = ARGUMENTS_WRONG_MAX };
	struct names_some missing = { .most = ARGUMENTS_WRONG_MAX };
	size_t n;

	for (n = 0; n < parts->count; n++) {
		struct json_span_walk walk =
		    json_span_walk(parts->list[n].required);
		struct json_span each;

		while (!names_is_full(&missing) && conform->schema->work > 0 &&
		    json_span_next_element(&walk, &each)) {
			auto_free char *name = names_decode(each);

			if (name != NULL && !names_has(&missing, name) &&
			    names_find(conform->schema, given, name) == NULL &&
			    !names_has_default(conform->schema, parts, name))
				names_add(&missing, each);
		}
	}
	if (closed)
		names_find_unknown(
		    conform->schema, parts, object, given, &unknown);
	/* Without work left, names were not found for that reason. */
	if ((unknown.count > 0 || missing.count > 0) &&
	    conform->schema->work > 0)
		names_complain(
		    conform, place, given, parts, &unknown, &missing);
}
