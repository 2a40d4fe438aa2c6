/* The arguments of a call as a whole: see arguments.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "arguments.h"

/* Where these stand, there may be names that no property has. */
static const char *const arguments_vague[] = { "anyOf", "oneOf", "not", "if",
	"then", "else", "patternProperties", "propertyNames",
	"dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef",
	"extends", "unevaluatedProperties", "additionalProperties",
	"properties", "type" };

enum {
	ARGUMENTS_NAMES = sizeof(arguments_vague) / sizeof(arguments_vague[0]),
	ARGUMENTS_TYPE = ARGUMENTS_NAMES - 1,
	ARGUMENTS_PROPERTIES = ARGUMENTS_NAMES - 2,
	ARGUMENTS_MORE = ARGUMENTS_NAMES - 3,
	ARGUMENTS_UNEVALUATED = ARGUMENTS_NAMES - 4,
};

/* What the parts of a schema say of names. */
struct arguments_rules {
	bool judged; /* names are judged at all: it describes an object */
	bool closed; /* a part says that there are no others */
	bool open;   /* a part says, or may say, that there are others */
	bool named;  /* there are properties */
};

static int
arguments_is(const struct json_span_member *member, enum json_span_kind kind)
{
	return member->count > 0 && json_span_kind(member->value) == kind;
}

static int
arguments_is_object(const struct json_span_member *type)
{
	struct json_span_walk walk;
	struct json_span first, second;

	if (type->count == 0 || json_span_is(type->value, "object"))
		return 1;
	walk = json_span_walk(type->value);
	return json_span_kind(type->value) == JSON_SPAN_ARRAY &&
	    json_span_next_element(&walk, &first) &&
	    json_span_is(first, "object") &&
	    !json_span_next_element(&walk, &second);
}

static void
arguments_read_rules(struct schema *schema, const struct schema_part *part,
    struct arguments_rules *rules)
{
	struct json_span_member found[ARGUMENTS_NAMES];
	size_t n;

	for (n = 0; n < ARGUMENTS_NAMES; n++)
		found[n].name = arguments_vague[n];
	if (!schema_spend(schema, part->all.len))
		return;
	json_span_members(part->all, found, ARGUMENTS_NAMES);
	for (n = 0; n < ARGUMENTS_UNEVALUATED; n++)
		rules->open |= found[n].count > 0;
	rules->judged &= arguments_is_object(&found[ARGUMENTS_TYPE]);
	rules->open |= found[ARGUMENTS_UNEVALUATED].count > 0 &&
	    !arguments_is(&found[ARGUMENTS_UNEVALUATED], JSON_SPAN_FALSE);
	if (arguments_is(&found[ARGUMENTS_MORE], JSON_SPAN_FALSE))
		rules->closed = true;
	else
		rules->open |= found[ARGUMENTS_MORE].count > 0;
	rules->open |= found[ARGUMENTS_PROPERTIES].count > 0 &&
	    part->properties.len == 0;
	rules->named |= part->properties.len > 0 &&
	    memchr(part->properties.p, '"', part->properties.len) != NULL;
}

/*
 * Names are taken for all that there are where properties are declared, and
 * nothing says that there may be more.
 */
static void
arguments_check_names(struct conform *conform, struct json_span object,
    const struct schema_parts *parts, const struct names_given *given)
{
	struct arguments_rules rules = { .judged = true };
	size_t n;

	for (n = 0; n < parts->count; n++)
		arguments_read_rules(conform->schema, &parts->list[n], &rules);
	if (rules.judged)
		names_check(conform, NULL, object, parts, given,
		    parts->whole && !rules.open &&
		        (rules.closed || rules.named));
}

/* Whether one of the parts does not allow null for an argument. */
static int
arguments_is_left_out(struct conform *conform,
    const struct schema_parts *parts, const struct names_given *given,
    const struct names_entry *entry, struct json_span value)
{
	struct json_span property;
	size_t n = 0, at = 0;

	if (json_span_kind(value) != JSON_SPAN_NULL || entry->required)
		return 0;
	while (names_property(conform->schema, parts, given, entry, &n, &at,
	    &property))
		if (!parts->list[n - 1].beside &&
		    !conform_fits(conform, value, property))
			return 1;
	return 0;
}

static void
arguments_check_value(struct conform *conform, const struct schema_parts *parts,
    const struct names_given *given, const struct names_entry *entry,
    struct json_span name, struct json_span value)
{
	struct conform_place place = { NULL, name, 0 };
	size_t n = 0, at = 0, wrong = conform->wrong;
	struct json_span property;

	while (conform->wrong == wrong &&
	    names_property(conform->schema, parts, given, entry, &n, &at,
	        &property))
		if (!parts->list[n - 1].beside)
			conform_value(conform, &place, value, property, 0, 0);
}

/*
 * Compares the values. One that is left out is cut with the comma that follows
 * it, or, if it is the last, with all from the end of the last one that stays.
 * Of one that is given twice the server takes what it likes.
 */
static void
arguments_check_values(struct conform *conform, struct json_span object,
    const struct schema_parts *parts, const struct names_given *given)
{
	struct json_span_walk walk = json_span_walk(object);
	const char *kept = object.p + 1, *left_out = NULL;
	struct json_span name, value;
	const struct names_entry *entry;

	/* Without work left, nothing is cut. */
	while (conform->schema->work > 0 &&
	    json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = names_decode(name);

		entry = text == NULL ? NULL :
		    names_find(conform->schema, given, text);
		if (entry != NULL && entry->times > 1)
			entry = NULL;
		if (left_out != NULL)
			conform_cut(conform, left_out,
			    (size_t)(name.p - left_out));
		left_out = NULL;
		if (entry != NULL && arguments_is_left_out(
		        conform, parts, given, entry, value)) {
			left_out = name.p;
			continue;
		}
		kept = value.p + value.len;
		if (entry != NULL)
			arguments_check_value(
			    conform, parts, given, entry, name, value);
	}
	if (left_out != NULL)
		conform_cut(conform, kept,
		    (size_t)(object.p + object.len - 1 - kept));
}

/* Sorts by place; of two at the same place the longer one comes first. */
static int
arguments_compare(const void *a, const void *b)
{
	const struct conform_cut *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->len < y->len) - (x->len > y->len);
}

/* Appends the arguments without what is cut, which may overlap. */
static void
arguments_write(const struct conform *conform, struct json_span object,
    struct buffer *settled)
{
	const char *p = object.p, *end = object.p + object.len;
	const struct conform_cut *cut;
	size_t n;

	if (conform->ncuts > 0)
		qsort(conform->cuts, conform->ncuts, sizeof(*conform->cuts),
		    arguments_compare);
	for (n = 0; n < conform->ncuts; n++) {
		cut = &conform->cuts[n];
		if (cut->p > p)
			buffer_add(settled, p, (size_t)(cut->p - p));
		if (cut->p + cut->len > p)
			p = cut->p + cut->len;
	}
	buffer_add(settled, p, (size_t)(end - p));
}

int
arguments_settle(struct json_span schema, struct json_span object,
    struct buffer *settled, struct buffer *says)
{
	struct schema whole = { schema, ARGUMENTS_WORK_MAX };
	size_t values = ARGUMENTS_VALUES_MAX;
	struct conform conform = { .schema = &whole, .values = &values,
		.says = says, .most = ARGUMENTS_WRONG_MAX + 1 };
	struct names_given given;
	struct schema_parts parts;

	schema_find_parts(&whole, schema, &parts);
	names_collect(&whole, object, &parts, &given);
	arguments_check_names(&conform, object, &parts, &given);
	conform.most = ARGUMENTS_WRONG_MAX + conform.wrong;
	arguments_check_values(&conform, object, &parts, &given);
	names_release(&given);
	/* What is too much is for the server to judge, as it was written. */
	if (values == 0 || whole.work == 0)
		conform.ncuts = 0;
	if (conform.wrong == 0)
		arguments_write(&conform, object, settled);
	else
		names_add_all(&whole, &parts, "the tool", says);
	free(conform.cuts);
	return conform.wrong == 0;
}
