/*
 * The schemas of tools, and the TypeScript made of them. A schema comes from a
 * server and may be any JSON: every walk is bounded, and a rule that is not
 * understood allows everything. Runs in the broker; pure functions over bytes.
 */
#ifndef WORKER_BROKER_SCHEMA_H
#define WORKER_BROKER_SCHEMA_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/schema_type.h"
#include "../../../common/limits.h"

/* A schema that is read, and the bytes that may still be scanned. */
struct schema {
	struct json_span root;
	size_t work;
};

/*
 * A schema that a value must fit, and what it says of names: an object, the
 * schema of those that are not in it, and an array, each of length 0 if there
 * is none. closed: there are no others. What stands beside a reference is
 * beside: before 2019 it said nothing.
 */
struct schema_part {
	struct json_span all;
	struct json_span properties;
	struct json_span more;
	struct json_span required;
	bool closed;
	bool beside;
};

/*
 * The schemas that a value must fit all together. whole is 0 if there is more
 * that was not found or not understood.
 */
struct schema_parts {
	struct schema_part list[ARGUMENTS_PARTS_MAX];
	size_t count;
	bool whole;
};

#define SCHEMA_VALUE_WORK 64 /* for a value, however short */

/* Takes some work. Returns 1, or 0 if there is not so much left: none is. */
int schema_spend(struct schema *schema, size_t work);

/* Like json_span_get(), for its work. */
int schema_get(struct schema *schema, struct json_span object,
    const char *name, struct json_span *value);

/*
 * Follows a reference into the same schema. A part with a name of its own is
 * not entered. Returns 1 with the part, or 0.
 */
int schema_resolve(struct schema *schema, struct json_span reference,
    struct json_span *part);

/* Finds the parts of a schema: itself, its references and its "allOf". */
void schema_find_parts(struct schema *schema, struct json_span from,
    struct schema_parts *parts);

/* Returns the type of a value; a number without fraction is an integer. */
unsigned int schema_type_of(struct json_span value);

/* Returns the types that a "type" names; 0: any, or unknown ones. */
unsigned int schema_types_in(struct json_span found);

/* The same of the "type" of a schema. */
unsigned int schema_types_named(struct schema *schema, struct json_span part);

/*
 * Returns the types that a schema allows by all its rules; 0: any, or unknown.
 * depth is that of the value.
 */
unsigned int schema_types_allowed(
    struct schema *schema, struct json_span from, int depth);

/* Appends the names of types: "a number or null". */
void schema_add_types(struct buffer *says, unsigned int types);

/*
 * type.c: the TypeScript of schemas. What is not understood, too deep or too
 * long is "unknown": a type allows at least what its schema allows. Whatever a
 * server sends, it ends no comment and no string.
 */

/* A schema that has a name, because a reference leads to it. */
struct type_named {
	struct json_span root, part;
	char *name;
};

/* All zeroes but for what is set at the beginning, until its end. */
struct type_writer {
	struct schema *schema;
	struct buffer *text;
	size_t end;         /* of the text: the rest is cut */
	const char *prefix; /* of the names of types */
	struct type_named named[TYPES_NAMED_MAX];
	size_t nnamed;
	/* References that are being written out. */
	const char *open[TYPES_DEPTH_MAX];
	size_t nopen;
	size_t indent; /* tabs before a line */
	int level;     /* of objects and arrays */
	int depth;     /* of schemas */
	bool given;    /* arguments: those with a default are optional */
	bool curt;     /* for a sentence: "integer", "...", and no names */
};

/* Whether a name can stand without quotes. */
int type_is_identifier(const char *name);

/* Begins a line. */
void type_add_line(struct type_writer *writer);

/* Appends the description of a tool or a schema as a line, if it has one. */
void type_add_about(
    struct type_writer *writer, struct json_span object, size_t most);

/* Appends the type of a schema. */
void type_add(struct type_writer *writer, struct json_span schema);

/* Appends the types that have got names, each as a line, and ends them. */
void type_add_named(struct type_writer *writer);

/* Appends a type to a name in a sentence: ": integer"; nothing for any. */
void type_add_brief(
    struct schema *schema, struct json_span part, struct buffer *says);

/*
 * module.c: appends the module "mcp/ALIAS": a function for each tool of a list
 * of tools_finish(), or for the one of this name, a JSON string, unless its
 * length is 0. Returns the number of functions.
 */
size_t module_add(const char *alias, struct json_span list,
    struct json_span only, struct buffer *text);

#endif
