/*
 * The TypeScript of schemas: see schema.h. A reference from a member or an item
 * is the name of a type, so that types may hold themselves; one from anywhere
 * else is written out, since the compiler refuses a type that is itself.
 */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "../state/state.h"
#include "schema.h"

enum type_rule {
	TYPE_TYPE, TYPE_CONST, TYPE_ENUM, TYPE_REF, TYPE_ANY, TYPE_ONE,
	TYPE_ALL, TYPE_PROPERTIES, TYPE_REQUIRED, TYPE_MORE, TYPE_PATTERNS,
	TYPE_ITEMS, TYPE_PREFIX, TYPE_NULLABLE, TYPE_ID, TYPE_OLD_ID,
	TYPE_RULES
};

static const char *const type_rules[TYPE_RULES] = { "type", "const", "enum",
	"$ref", "anyOf", "oneOf", "allOf", "properties", "required",
	"additionalProperties", "patternProperties", "items", "prefixItems",
	"nullable", "$id", "id" };

static const struct json_span type_any = { "true", 4 };

/* inner: alternatives are enclosed. */
static void type_add_in(
    struct type_writer *writer, struct json_span from, int inner);

static int
type_is(const struct json_span_member *rule, enum json_span_kind kind)
{
	return rule->count > 0 && json_span_kind(rule->value) == kind;
}

static int
type_is_over(const struct type_writer *writer)
{
	return writer->text->len >= writer->end || writer->schema->work == 0;
}

/* For what is too long, too deep or not understood. */
static void
type_give_up(struct type_writer *writer)
{
	buffer_add_text(writer->text, writer->curt ? "..." : "unknown");
}

/* Whether nothing, or nothing of use, was written from there on. */
static int
type_is_any(const struct buffer *text, size_t at)
{
	return strcmp(text->data + at, "unknown") == 0 || text->len == at;
}

static void
type_undo(struct buffer *text, size_t at)
{
	text->len = at;
	text->data[at] = '\0';
}

int
type_is_identifier(const char *name)
{
	const char *p;

	for (p = name; *p != '\0'; p++)
		if (*p != '_' && *p != '$' && !(isascii(*p) && isalnum(*p)))
			return 0;
	return p > name && !isdigit((unsigned char)name[0]);
}

void
type_add_line(struct type_writer *writer)
{
	size_t n;

	buffer_add_text(writer->text, "\n");
	for (n = 0; n < writer->indent; n++)
		buffer_add_text(writer->text, "\t");
}

void
type_add_about(struct type_writer *writer, struct json_span object, size_t most)
{
	auto_buffer struct buffer about = { 0 };
	auto_free char *plain = NULL;
	struct json_span said = { NULL, 0 };
	size_t len, kept;
	const char *p;

	(void)schema_get(writer->schema, object, "description", &said);
	plain = said.len > 0 ? json_span_string(said, &len, NULL) : NULL;
	if (plain == NULL)
		return;
	kept = utf8_cut(plain, len, most);
	reason_add_text(&about, plain, kept);
	type_add_line(writer);
	buffer_add_text(writer->text, "/** ");
	for (p = about.data; p != NULL && *p != '\0'; p++)
		if (p[0] == '*' && p[1] == '/')
			buffer_add_text(writer->text, "*\\");
		else if (!isspace((unsigned char)*p))
			buffer_add(writer->text, p, 1);
		else if (!isspace((unsigned char)p[1]) && p[1] != '\0')
			buffer_add_text(writer->text, " ");
	buffer_add_text(writer->text, kept < len ? "... */" : " */");
}

/* Appends a literal; a string of JSON is one of TypeScript, too. */
static void
type_add_literal(struct type_writer *writer, struct json_span value)
{
	enum json_span_kind kind = json_span_kind(value);
	size_t len, most =
	    writer->curt ? ARGUMENTS_SHOWN_MAX : TYPES_LITERAL_MAX;
	auto_free char *plain = NULL;

	if (kind == JSON_SPAN_STRING && value.len <= most)
		plain = json_span_string(value, &len, NULL);
	if (plain != NULL)
		json_add_string(writer->text, plain, len);
	else if (kind == JSON_SPAN_STRING)
		buffer_add_text(writer->text, "string");
	else if (kind == JSON_SPAN_ARRAY || kind == JSON_SPAN_OBJECT)
		type_give_up(writer);
	else
		buffer_add(writer->text, value.p, value.len);
}

/* Appends alternatives, or with choices the values of a list. */
static void
type_add_either(struct type_writer *writer, struct json_span list, int inner,
    int choices)
{
	struct json_span_walk walk = json_span_walk(list), ahead = walk;
	size_t n = 0, at = writer->text->len, begin,
	    most = writer->curt ? ARGUMENTS_CHOICES_MAX : TYPES_CHOICES_MAX;
	struct json_span each;

	inner = inner && json_span_next_element(&ahead, &each) &&
	    json_span_next_element(&ahead, &each);
	buffer_add_text(writer->text, inner ? "(" : "");
	while (json_span_next_element(&walk, &each)) {
		buffer_add_text(writer->text, n++ > 0 ? " | " : "");
		if (n > most || type_is_over(writer)) {
			type_give_up(writer);
			break;
		}
		begin = writer->text->len;
		if (choices)
			type_add_literal(writer, each);
		else
			type_add_in(writer, each, 0);
		/* One that may be anything says all. */
		if (!choices && type_is_any(writer->text, begin)) {
			type_undo(writer->text, at);
			buffer_add_text(writer->text, "unknown");
			return;
		}
	}
	buffer_add_text(writer->text, inner ? ")" : "");
}

/* Whether a name is in the list of those that are required. */
static int
type_requires(struct type_writer *writer, struct json_span required,
    struct json_span name)
{
	struct json_span_walk walk = json_span_walk(required);
	struct json_span each;

	if (schema_spend(writer->schema, required.len))
		while (json_span_next_element(&walk, &each))
			if (each.len == name.len &&
			    memcmp(each.p, name.p, name.len) == 0)
				return 1;
	return 0;
}

/* An object that is written: with lines, each member has one. */
struct type_object {
	size_t members, required;
	bool lines;
};

/* Appends a member; without a name, what any other one is. */
static void
type_add_member(struct type_writer *writer, struct type_object *object,
    const char *name, int optional, struct json_span schema)
{
	if (object->lines) {
		type_add_about(writer, schema, TYPES_MEMBER_ABOUT_MAX);
		type_add_line(writer);
	} else {
		buffer_add_text(writer->text, object->members > 0 ? "; " : " ");
	}
	object->members++;
	if (name == NULL || type_is_identifier(name))
		buffer_add_text(
		    writer->text, name == NULL ? "[key: string]" : name);
	else
		json_add_text(writer->text, name);
	buffer_add_text(writer->text, optional ? "?: " : ": ");
	type_add_in(writer, schema, 0);
	buffer_add_text(writer->text, object->lines ? ";" : "");
}

/* Adds a name to a set, which takes it; returns 0 if it was there. */
static int
type_note(void **set, char *name)
{
	char *const *found =
	    tsearch(name, set, (int (*)(const void *, const void *))strcmp);

	if (found != NULL && *found == name)
		return 1;
	free(name);
	return 0;
}

/*
 * Appends the properties of an object, each once. Returns 0 if some are left
 * out.
 */
static int
type_add_properties(struct type_writer *writer, struct type_object *object,
    struct json_span properties, struct json_span required)
{
	struct json_span_walk walk = json_span_walk(properties);
	struct json_span name, value, found;
	void *names = NULL;
	size_t len;
	int whole = 1, needed;

	while (whole && json_span_next_member(&walk, &name, &value)) {
		auto_free char *plain = json_span_string(name, &len, NULL);

		whole = plain != NULL && strlen(plain) == len &&
		    !type_is_over(writer);
		if (!whole || !type_note(&names, mem_strdup(plain)))
			continue;
		needed = type_requires(writer, required, name);
		object->required += (size_t)needed;
		type_add_member(writer, object, plain, !needed ||
		    (writer->given && schema_get(writer->schema, value,
		        "default", &found) > 0), value);
	}
	tdestroy(names, free);
	return whole;
}

/*
 * Where there are properties, others are of any type: the compiler refuses a
 * property whose type is not that of the others.
 */
static void
type_add_object(
    struct type_writer *writer, const struct json_span_member *rules)
{
	static const char about[] = "\"description\"";
	const struct json_span_member *more = &rules[TYPE_MORE];
	struct json_span properties = rules[TYPE_PROPERTIES].value;
	struct json_span required = rules[TYPE_REQUIRED].value, each;
	struct json_span_walk walk = json_span_walk(required);
	struct type_object object = { .lines = !writer->curt &&
		properties.len > 0 && memmem(properties.p, properties.len,
		    about, sizeof(about) - 1) != NULL };
	int others = rules[TYPE_PATTERNS].count > 0 ||
	    (more->count > 0 ? !type_is(more, JSON_SPAN_FALSE) :
	                       properties.len == 0);

	buffer_add_text(writer->text, "{");
	writer->level++;
	writer->indent += object.lines;
	others |= !type_add_properties(writer, &object, properties, required);
	while (json_span_next_element(&walk, &each))
		if (object.required > 0)
			object.required--;
		else
			others = 1; /* it is no property */
	if (others && (!writer->curt || object.members == 0))
		type_add_member(writer, &object, NULL, 0, properties.len == 0 &&
		    rules[TYPE_PATTERNS].count == 0 && more->count > 0 ?
		    more->value : type_any);
	writer->indent -= object.lines;
	writer->level--;
	if (object.lines)
		type_add_line(writer);
	buffer_add_text(writer->text,
	    object.members > 0 && !object.lines ? " }" : "}");
}

/* Items that have a schema each may be any of them. */
static void
type_add_array(struct type_writer *writer, const struct json_span_member *rules)
{
	const struct json_span_member *items = &rules[TYPE_ITEMS];
	size_t at = writer->text->len;

	writer->level++;
	if (type_is(items, JSON_SPAN_FALSE))
		type_add_either(writer, rules[TYPE_PREFIX].value, 1, 0);
	else if (rules[TYPE_PREFIX].count == 0 && items->count > 0)
		type_add_in(writer, items->value, 1);
	if (writer->text->len == at)
		buffer_add_text(writer->text, "unknown");
	buffer_add_text(writer->text, "[]");
	writer->level--;
}

/*
 * Returns the name of a schema that a reference leads to, made of the last step
 * of it; NULL if there are too many. No alias has a capital letter, and no name
 * a "$" before its number, so names differ.
 */
static const char *
type_name(struct type_writer *writer, struct json_span reference,
    struct json_span part)
{
	size_t len, n, same = 0;
	auto_free char *path = json_span_string(reference, &len, NULL);
	auto_free char *name = NULL;
	char *step = strrchr(path, '/'), *p;

	step = step == NULL ? path : step + 1;
	for (p = step; *p != '\0'; p++)
		if (!isascii(*p) || !isalnum(*p))
			*p = '_';
	step[0] = (char)toupper((unsigned char)step[0]);
	name = mem_printf("%s_%s%.60s", writer->prefix,
	    isupper((unsigned char)step[0]) ? "" : "T", step);
	for (n = 0; n < writer->nnamed; n++) {
		if (writer->named[n].part.p == part.p)
			return writer->named[n].name;
		same += strcmp(writer->named[n].name, name) == 0;
	}
	if (n == TYPES_NAMED_MAX)
		return NULL;
	writer->named[writer->nnamed++] =
	    (struct type_named){ writer->schema->root, part,
		    same > 0 ? mem_printf("%s$%zu", name, n) :
		               mem_strdup(name) };
	return writer->named[n].name;
}

static void
type_add_reference(
    struct type_writer *writer, struct json_span reference, int inner)
{
	struct json_span part;
	const char *name = NULL;
	size_t n = 0;

	if (!schema_resolve(writer->schema, reference, &part)) {
		type_give_up(writer);
		return;
	}
	if (!writer->curt && writer->level > 0) {
		name = type_name(writer, reference, part);
		buffer_add_text(writer->text, name == NULL ? "unknown" : name);
		return;
	}
	while (n < writer->nopen && writer->open[n] != part.p)
		n++;
	if (n < writer->nopen || n == TYPES_DEPTH_MAX) {
		type_give_up(writer);
		return;
	}
	writer->open[writer->nopen++] = part.p;
	type_add_in(writer, part, inner);
	writer->nopen--;
}

void
type_add_named(struct type_writer *writer)
{
	size_t n;

	for (n = 0; n < writer->nnamed; n++) {
		writer->schema->root = writer->named[n].root;
		writer->open[0] = writer->named[n].part.p;
		writer->nopen = 1;
		type_add_line(writer);
		buffer_add_text(writer->text, "export type ");
		buffer_add_text(writer->text, writer->named[n].name);
		buffer_add_text(writer->text, " = ");
		type_add(writer, writer->named[n].part);
		buffer_add_text(writer->text, ";");
	}
	writer->nopen = 0;
	while (writer->nnamed > 0)
		free(writer->named[--writer->nnamed].name);
}

/* Appends the types that a schema names, or is about: without any, nothing. */
static void
type_add_types(struct type_writer *writer,
    const struct json_span_member *rules, int inner)
{
	unsigned int type, types = rules[TYPE_TYPE].value.len > 0 ?
	    schema_types_in(rules[TYPE_TYPE].value) : 0;
	int enclosed;
	size_t n;

	if (types == 0 && rules[TYPE_PROPERTIES].count +
	        rules[TYPE_REQUIRED].count + rules[TYPE_MORE].count > 0)
		types = SCHEMA_OBJECT;
	if (types == 0 &&
	    rules[TYPE_ITEMS].count + rules[TYPE_PREFIX].count > 0)
		types = SCHEMA_ARRAY;
	if (types & SCHEMA_NUMBER)
		types &= ~(unsigned int)SCHEMA_INTEGER;
	enclosed = inner && (types & (types - 1)) != 0;
	buffer_add_text(writer->text, enclosed ? "(" : "");
	for (n = 0; n < SCHEMA_TYPES; n++) {
		type = schema_types[n].type & types;
		if (type == 0)
			continue;
		types &= ~type;
		if (type == SCHEMA_OBJECT && (!writer->curt ||
		        rules[TYPE_PROPERTIES].count + rules[TYPE_MORE].count >
		        0))
			type_add_object(writer, rules);
		else if (type == SCHEMA_ARRAY && (!writer->curt ||
		        rules[TYPE_ITEMS].count > 0))
			type_add_array(writer, rules);
		else
			buffer_add_text(writer->text,
			    type == SCHEMA_INTEGER && !writer->curt ?
			    "number" : schema_types[n].name);
		buffer_add_text(writer->text, types != 0 ? " | " : "");
	}
	buffer_add_text(writer->text, enclosed ? ")" : "");
}

/*
 * Appends what one rule of a schema says, " & " behind what others do; nothing
 * if it says nothing. inner: beside others. Returns 1 if it did.
 */
static int
type_add_rule(struct type_writer *writer, struct json_span from,
    const struct json_span_member *rules, enum type_rule rule, int inner,
    int behind)
{
	size_t at = writer->text->len, begin;

	buffer_add_text(writer->text, behind ? " & " : "");
	begin = writer->text->len;
	if (rule == TYPE_TYPE)
		type_add_types(writer, rules, inner);
	else if (rule == TYPE_REF)
		type_add_reference(writer, rules[rule].value, inner);
	else if (rule == TYPE_ALL)
		type_add_in(writer, from, inner);
	else if (rule == TYPE_CONST)
		type_add_literal(writer, rules[rule].value);
	else
		type_add_either(
		    writer, rules[rule].value, inner, rule == TYPE_ENUM);
	if (!type_is_any(writer->text, begin))
		return 1;
	type_undo(writer->text, at);
	return 0;
}

/* Appends what all rules of a schema say together. */
static void
type_add_rules(struct type_writer *writer, struct json_span from,
    struct json_span_member *rules, int inner)
{
	struct json_span_walk all = json_span_walk(rules[TYPE_ALL].value);
	struct json_span each;
	size_t n, count = 0, said = 0;
	int several;

	/* Beside values a type says nothing more. */
	for (n = TYPE_PROPERTIES; n <= TYPE_PREFIX; n++)
		rules[TYPE_TYPE].count += rules[n].count;
	if (rules[TYPE_CONST].count + rules[TYPE_ENUM].count > 0)
		rules[TYPE_TYPE].count = 0;
	for (n = 0; n < TYPE_ALL; n++)
		count += rules[n].count > 0;
	while (json_span_next_element(&all, &each))
		count++;
	several = count > 1;
	buffer_add_text(writer->text, inner && several ? "(" : "");
	for (n = 0; n < TYPE_ALL; n++)
		if (rules[n].count > 0)
			said += (size_t)type_add_rule(writer, from, rules,
			    (enum type_rule)n, inner || several, said > 0);
	all = json_span_walk(rules[TYPE_ALL].value);
	while (json_span_next_element(&all, &each))
		said += (size_t)type_add_rule(writer, each, rules, TYPE_ALL,
		    inner || several, said > 0);
	buffer_add_text(writer->text, said == 0 ? "unknown" : "");
	buffer_add_text(writer->text, inner && several ? ")" : "");
}

static void
type_add_in(struct type_writer *writer, struct json_span from, int inner)
{
	struct json_span_member rules[TYPE_RULES];
	int apart, nullable;
	size_t n;

	if (from.len == 0 || json_span_kind(from) != JSON_SPAN_OBJECT) {
		buffer_add_text(writer->text, from.len > 0 &&
		    json_span_kind(from) == JSON_SPAN_FALSE ?
		    "never" : "unknown");
		return;
	}
	if (writer->depth == TYPES_DEPTH_MAX || type_is_over(writer) ||
	    !schema_spend(writer->schema, from.len)) {
		type_give_up(writer);
		return;
	}
	for (n = 0; n < TYPE_RULES; n++)
		rules[n].name = type_rules[n];
	json_span_members(from, rules, TYPE_RULES);
	/* References in a schema with a name of its own lead elsewhere. */
	apart = from.p != writer->schema->root.p &&
	    (type_is(&rules[TYPE_ID], JSON_SPAN_STRING) ||
	        type_is(&rules[TYPE_OLD_ID], JSON_SPAN_STRING));
	if (apart) {
		type_give_up(writer);
		return;
	}
	nullable = type_is(&rules[TYPE_NULLABLE], JSON_SPAN_TRUE);
	buffer_add_text(writer->text, inner && nullable ? "(" : "");
	writer->depth++;
	type_add_rules(writer, from, rules, inner || nullable);
	writer->depth--;
	/* As OpenAPI writes it. */
	buffer_add_text(writer->text, nullable ? " | null" : "");
	buffer_add_text(writer->text, inner && nullable ? ")" : "");
}

void
type_add(struct type_writer *writer, struct json_span schema)
{
	type_add_in(writer, schema, 0);
}

void
type_add_brief(
    struct schema *schema, struct json_span part, struct buffer *says)
{
	auto_buffer struct buffer text = { 0 };
	struct type_writer writer = { .schema = schema, .text = &text,
		.end = TYPES_BRIEF_MAX, .given = true, .curt = true,
		.depth = TYPES_DEPTH_MAX - TYPES_BRIEF_DEPTH };
	size_t kept;

	type_add(&writer, part);
	if (strcmp(text.data, "unknown") == 0)
		return;
	kept = utf8_cut(text.data, text.len, TYPES_BRIEF_MAX);
	buffer_add_text(says, ": ");
	buffer_add(says, text.data, kept);
	buffer_add_text(says, kept < text.len ? "..." : "");
}
