/*
 * Reads the schema of a tool as far as its rules are known: see schema.h. Each
 * look at it takes from its work, so no schema costs more than that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "schema.h"

int
schema_spend(struct schema *schema, size_t work)
{
	if (work >= schema->work) {
		schema->work = 0;
		return 0;
	}
	schema->work -= work;
	return 1;
}

int
schema_get(struct schema *schema, struct json_span object, const char *name,
    struct json_span *value)
{
	return schema_spend(schema, object.len) ?
	    json_span_get(object, name, value) : 0;
}

/* References */

/* What a part says of its name, of other schemas and of names. */
enum schema_link {
	LINK_REF, LINK_ALL, LINK_ID, LINK_OLD_ID, LINK_PROPERTIES,
	LINK_REQUIRED, LINK_MORE, LINK_PATTERNS, LINKS
};

static void
schema_read_links(struct json_span part, struct json_span_member *links)
{
	links[LINK_REF].name = "$ref";
	links[LINK_ALL].name = "allOf";
	links[LINK_ID].name = "$id";
	links[LINK_OLD_ID].name = "id";
	links[LINK_PROPERTIES].name = "properties";
	links[LINK_REQUIRED].name = "required";
	links[LINK_MORE].name = "additionalProperties";
	links[LINK_PATTERNS].name = "patternProperties";
	json_span_members(part, links, LINKS);
}

/*
 * Whether a part has a name of its own, to which the references in it are
 * relative. Older dialects call it "id", as properties may be called, too.
 */
static int
schema_is_apart(const struct schema *schema, struct json_span part,
    const struct json_span_member *links)
{
	if (part.p == schema->root.p)
		return 0;
	return (links[LINK_ID].count > 0 && json_span_kind(
	            links[LINK_ID].value) == JSON_SPAN_STRING) ||
	    (links[LINK_OLD_ID].count > 0 && json_span_kind(
	        links[LINK_OLD_ID].value) == JSON_SPAN_STRING);
}

/* Decodes ~0 and ~1 in a step of a JSON pointer, in place. */
static void
schema_undo_tilde(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++)
		if (text[0] == '~' && (text[1] == '0' || text[1] == '1'))
			*to++ = *++text == '0' ? '~' : '/';
		else
			*to++ = *text;
	*to = '\0';
}

/* One step of a JSON pointer. Returns 1 with the part, or 0. */
static int
schema_step(struct schema *schema, struct json_span *part, char *step)
{
	struct json_span_walk walk = json_span_walk(*part);
	struct json_span_member links[LINKS];
	size_t n;

	if (!schema_spend(schema, 2 * part->len))
		return 0;
	schema_read_links(*part, links);
	if (schema_is_apart(schema, *part, links))
		return 0;
	schema_undo_tilde(step);
	if (json_span_kind(*part) != JSON_SPAN_ARRAY)
		return json_span_get(*part, step, part) > 0;
	if (step[0] == '\0' || step[strspn(step, "0123456789")] != '\0' ||
	    strlen(step) > 6)
		return 0;
	for (n = strtoul(step, NULL, 10) + 1; n > 0; n--)
		if (!json_span_next_element(&walk, part))
			return 0;
	return 1;
}

int
schema_resolve(struct schema *schema, struct json_span reference,
    struct json_span *part)
{
	size_t len, steps = 0;
	auto_free char *path = json_span_string(reference, &len, NULL);
	char *rest, *step;

	*part = schema->root;
	if (path != NULL && strcmp(path, "#") == 0)
		return 1;
	/* Anchors and percent signs in it are rare. */
	if (path == NULL || strlen(path) != len ||
	    strncmp(path, "#/", 2) != 0 || strchr(path, '%') != NULL)
		return 0;
	rest = path + 2;
	while ((step = strsep(&rest, "/")) != NULL)
		if (++steps > ARGUMENTS_STEPS_MAX ||
		    !schema_step(schema, part, step))
			return 0;
	return 1;
}

/* Parts */

/* Adds a schema to those that are to be looked at, each once. */
static void
schema_add_part(struct schema_parts *parts, struct json_span part)
{
	size_t n;

	if (json_span_kind(part) == JSON_SPAN_TRUE)
		return;
	for (n = 0; n < parts->count; n++)
		if (parts->list[n].all.p == part.p)
			return;
	if (json_span_kind(part) != JSON_SPAN_OBJECT ||
	    parts->count == ARGUMENTS_PARTS_MAX)
		parts->whole = false;
	else
		parts->list[parts->count++] =
		    (struct schema_part){ .all = part };
}

/* Adds the schemas that a part refers to. */
static void
schema_follow(struct schema *schema, struct schema_parts *parts,
    const struct json_span_member *links)
{
	struct json_span_walk walk;
	struct json_span each;

	if (links[LINK_REF].count > 0) {
		if (schema_resolve(schema, links[LINK_REF].value, &each))
			schema_add_part(parts, each);
		else
			parts->whole = false;
	}
	if (links[LINK_ALL].count == 0)
		return;
	walk = json_span_walk(links[LINK_ALL].value);
	if (json_span_kind(links[LINK_ALL].value) != JSON_SPAN_ARRAY)
		parts->whole = false;
	else
		while (json_span_next_element(&walk, &each))
			schema_add_part(parts, each);
}

/* Returns a member of this kind, or one of length 0. */
static struct json_span
schema_take(const struct json_span_member *link, enum json_span_kind kind)
{
	if (link->count == 0 || json_span_kind(link->value) != kind)
		return (struct json_span){ NULL, 0 };
	return link->value;
}

/*
 * Reads and follows the nth part. Returns 0 if it has a name of its own: its
 * references lead to other places.
 */
static int
schema_find_more(struct schema *schema, struct schema_parts *parts, size_t n)
{
	struct schema_part *part = &parts->list[n];
	struct json_span_member links[LINKS];

	if (!schema_spend(schema, part->all.len))
		return 0;
	schema_read_links(part->all, links);
	if (schema_is_apart(schema, part->all, links))
		return 0;
	part->properties =
	    schema_take(&links[LINK_PROPERTIES], JSON_SPAN_OBJECT);
	part->required = schema_take(&links[LINK_REQUIRED], JSON_SPAN_ARRAY);
	if (links[LINK_PATTERNS].count == 0) {
		part->more = schema_take(&links[LINK_MORE], JSON_SPAN_OBJECT);
		part->closed = links[LINK_MORE].count > 0 && json_span_kind(
		    links[LINK_MORE].value) == JSON_SPAN_FALSE;
	}
	part->beside = links[LINK_REF].count > 0;
	schema_follow(schema, parts, links);
	return 1;
}

void
schema_find_parts(struct schema *schema, struct json_span from,
    struct schema_parts *parts)
{
	size_t n = 0;

	parts->count = 0;
	parts->whole = true;
	schema_add_part(parts, from);
	while (n < parts->count)
		if (schema_find_more(schema, parts, n)) {
			n++;
		} else {
			parts->whole = false;
			parts->list[n] = parts->list[--parts->count];
		}
}

/* Types */

/* Whether a number is an integer, or too large to know. */
static int
schema_is_integer(struct json_span value)
{
	auto_free char *text = NULL;
	double number;

	if (value.len > ARGUMENTS_DIGITS_MAX)
		return 1;
	text = mem_dup(value.p, value.len);
	if (strpbrk(text, ".eE") == NULL)
		return 1;
	number = strtod(text, NULL);
	return !isfinite(number) || fabs(number) >= 1e18 ||
	    number == (double)(long long)number;
}

unsigned int
schema_type_of(struct json_span value)
{
	unsigned int type = schema_type_of_kind(value);

	return type == SCHEMA_NUMBER && schema_is_integer(value) ?
	    SCHEMA_INTEGER : type;
}

unsigned int
schema_types_in(struct json_span found)
{
	struct json_span_walk walk = json_span_walk(found);
	struct json_span each;
	unsigned int types = 0, type;

	if (json_span_kind(found) != JSON_SPAN_ARRAY)
		return schema_type_named(found);
	while (json_span_next_element(&walk, &each)) {
		type = schema_type_named(each);
		if (type == 0)
			return 0;
		types |= type;
	}
	return types;
}

unsigned int
schema_types_named(struct schema *schema, struct json_span part)
{
	struct json_span found;

	return schema_get(schema, part, "type", &found) == 0 ? 0 :
	    schema_types_in(found);
}

/* The types of the values of an array; 0 for anything else. */
static unsigned int
schema_types_listed(struct schema *schema, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0;

	if (json_span_kind(list) == JSON_SPAN_ARRAY)
		while (schema_spend(schema, SCHEMA_VALUE_WORK) &&
		    json_span_next_element(&walk, &each))
			types |= schema_type_of(each);
	return types;
}

/* The types of all alternatives; 0 if one is unknown, or there are none. */
static unsigned int
schema_types_either(struct schema *schema, struct json_span list, int depth)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0, some;

	if (json_span_kind(list) != JSON_SPAN_ARRAY)
		return 0;
	while (json_span_next_element(&walk, &each)) {
		some = schema_types_allowed(schema, each, depth);
		if (some == 0)
			return 0;
		types |= some;
	}
	return types;
}

/* The types that one part allows; 0: any, or unknown. */
static unsigned int
schema_types_of_part(struct schema *schema, struct json_span part, int depth)
{
	struct json_span_member rules[] = { { .name = "const" },
		{ .name = "enum" }, { .name = "anyOf" }, { .name = "oneOf" } };
	unsigned int sets[5] = { 0 }, types = 0;
	size_t n;

	if (!schema_spend(schema, part.len))
		return 0;
	json_span_members(part, rules, 4);
	sets[0] = schema_types_named(schema, part);
	if (rules[0].count > 0)
		sets[1] = schema_type_of(rules[0].value);
	if (rules[1].count > 0)
		sets[2] = schema_types_listed(schema, rules[1].value);
	for (n = 2; n < 4; n++)
		if (rules[n].count > 0)
			sets[n + 1] = schema_types_either(
			    schema, rules[n].value, depth + 1);
	for (n = 0; n < 5; n++) {
		if (sets[n] & SCHEMA_NUMBER)
			sets[n] |= SCHEMA_INTEGER;
		if (sets[n] != 0)
			types = types == 0 ? sets[n] : types & sets[n];
	}
	return types;
}

unsigned int
schema_types_allowed(struct schema *schema, struct json_span from, int depth)
{
	struct schema_parts parts;
	unsigned int types = 0, some;
	size_t n;

	if (depth > ARGUMENTS_DEPTH_MAX)
		return 0;
	schema_find_parts(schema, from, &parts);
	for (n = 0; n < parts.count; n++) {
		if (parts.list[n].beside)
			continue;
		some = schema_types_of_part(schema, parts.list[n].all, depth);
		if (some != 0)
			types = types == 0 ? some : types & some;
	}
	return types;
}

void
schema_add_types(struct buffer *says, unsigned int types)
{
	size_t n;

	if (types & SCHEMA_NUMBER)
		types &= ~(unsigned int)SCHEMA_INTEGER;
	for (n = 0; n < SCHEMA_TYPES; n++) {
		if ((types & schema_types[n].type) == 0)
			continue;
		buffer_add_text(says, schema_types[n].said);
		types &= ~schema_types[n].type;
		if (types != 0)
			buffer_add_text(
			    says, (types & (types - 1)) != 0 ? ", " : " or ");
	}
}
