/* The types of JSON Schema: see schema_type.h. */
#include "schema_type.h"

const struct schema_type_info schema_types[SCHEMA_TYPES] = {
	{ "string", SCHEMA_STRING, "a string" },
	{ "integer", SCHEMA_INTEGER, "an integer" },
	{ "number", SCHEMA_NUMBER, "a number" },
	{ "boolean", SCHEMA_BOOLEAN, "true or false" },
	{ "array", SCHEMA_ARRAY, "an array" },
	{ "object", SCHEMA_OBJECT, "an object" },
	{ "null", SCHEMA_NULL, "null" },
};

unsigned int
schema_type_named(struct json_span name)
{
	size_t n;

	for (n = 0; n < SCHEMA_TYPES; n++)
		if (json_span_is(name, schema_types[n].name))
			return schema_types[n].type;
	return 0;
}

unsigned int
schema_type_of_kind(struct json_span value)
{
	static const unsigned int types[] = {
		[JSON_SPAN_OBJECT] = SCHEMA_OBJECT,
		[JSON_SPAN_ARRAY] = SCHEMA_ARRAY,
		[JSON_SPAN_STRING] = SCHEMA_STRING,
		[JSON_SPAN_NUMBER] = SCHEMA_NUMBER,
		[JSON_SPAN_TRUE] = SCHEMA_BOOLEAN,
		[JSON_SPAN_FALSE] = SCHEMA_BOOLEAN,
		[JSON_SPAN_NULL] = SCHEMA_NULL,
	};

	return types[json_span_kind(value)];
}
