/*
 * The size of definitions of tools: see tool_size.h. Used by the supervisor and
 * the broker.
 */
#include <string.h>

#include "tool_size.h"

/* The characters around the members of an object, and around each member. */
#define TOOL_SIZE_BRACES 2
#define TOOL_SIZE_SIGNS 4 /* two quotes, a colon, a comma */

static uint64_t
tool_size_one(struct json_span tool)
{
	static const char *const shown[] = { "name", "description",
		"inputSchema" };
	struct json_span value;
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (json_span_get(tool, shown[i], &value) > 0)
			size += strlen(shown[i]) + TOOL_SIZE_SIGNS + value.len;
	/* The last member has no comma. */
	return size == 0 ? 0 : size - 1 + TOOL_SIZE_BRACES;
}

uint64_t
tool_size(struct json_span result)
{
	struct json_span list, tool;
	struct json_span_walk walk;
	uint64_t size = 0;

	if (json_span_get(result, "tools", &list) <= 0 ||
	    json_span_kind(list) != JSON_SPAN_ARRAY)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &tool))
		size += tool_size_one(tool);
	return size;
}
