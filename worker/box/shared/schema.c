/*
 * The types of values in the schema of a tool, as far as it is understood: it
 * comes from a server, and may be any JSON. Run by the command, in the box.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"

/*
 * Follows a reference into the same schema: "#/$defs/NAME". Returns 1 with the
 * part, or 0.
 */
static int
schema_resolve(struct json_span root, struct json_span reference,
    struct json_span *part)
{
	auto_free char *path = NULL;
	char *rest, *name;
	size_t len;

	path = json_span_string(reference, &len, NULL);
	/* Escapes in it are rare. */
	if (path == NULL || strncmp(path, "#/", 2) != 0 ||
	    strpbrk(path, "~%") != NULL)
		return 0;
	*part = root;
	rest = path + 2;
	while ((name = strsep(&rest, "/")) != NULL)
		if (json_span_get(*part, name, part) != 1)
			return 0;
	return 1;
}

/* The types of a list of schemas, or of names. */
static unsigned int
schema_types_in(struct json_span root, struct json_span list, int depth)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0;

	while (json_span_next_element(&walk, &each))
		types |= json_span_kind(each) == JSON_SPAN_STRING ?
		    schema_type_named(each) :
		    schema_types_of(root, each, depth);
	return types;
}

/* The types of the values that a schema lists. */
static unsigned int
schema_types_listed(struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	unsigned int types = 0;

	while (json_span_next_element(&walk, &each))
		types |= schema_type_of_kind(each);
	return types;
}

unsigned int
schema_types_of(struct json_span root, struct json_span part, int depth)
{
	static const char *const lists[] = { "anyOf", "oneOf", "allOf" };
	struct json_span found;
	unsigned int types = 0;
	size_t i;

	if (depth == MCP_SCHEMA_DEPTH)
		return 0;
	if (json_span_get(part, "type", &found) == 1)
		return json_span_kind(found) == JSON_SPAN_ARRAY ?
		    schema_types_in(root, found, depth) :
		    schema_type_named(found);
	if (json_span_get(part, "$ref", &found) == 1 &&
	    schema_resolve(root, found, &found))
		return schema_types_of(root, found, depth + 1);
	if (json_span_get(part, "enum", &found) == 1)
		return schema_types_listed(found);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (json_span_get(part, lists[i], &found) == 1)
			types |= schema_types_in(root, found, depth + 1);
	return types;
}
