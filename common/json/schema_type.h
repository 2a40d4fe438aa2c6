/* The types of JSON Schema, as bits. Used by broker and box. */
#ifndef COMMON_SCHEMA_TYPE_H
#define COMMON_SCHEMA_TYPE_H

#include "json_span.h"

enum schema_type {
	SCHEMA_STRING = 1,
	SCHEMA_INTEGER = 2,
	SCHEMA_NUMBER = 4,
	SCHEMA_BOOLEAN = 8,
	SCHEMA_ARRAY = 16,
	SCHEMA_OBJECT = 32,
	SCHEMA_NULL = 64,
};

#define SCHEMA_TYPES 7

/* The name of each type, and that in a sentence: "an integer". */
extern const struct schema_type_info {
	const char *name;
	enum schema_type type;
	const char *said;
} schema_types[SCHEMA_TYPES];

/* Returns the type of a name, a JSON string; 0: none. */
unsigned int schema_type_named(struct json_span name);

/* Returns the type of a value; that of each number is SCHEMA_NUMBER. */
unsigned int schema_type_of_kind(struct json_span value);

#endif
