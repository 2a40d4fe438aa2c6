/*
 * Checks of names and metadata before they are stored: see storable.h. Linked
 * into relay and store; does not interpret tools or metadata.
 */
#include <string.h>

#include "alias.h"
#include "json/json_span.h"
#include "limits.h"
#include "storable.h"
#include "base/utf8.h"

/* Names that the box defines for all code, besides mcp_ and server aliases. */
static const char *const storable_taken[] = { "LOADED_MCP_SERVERS", "runtime",
	"save_tool", "save_memory", "load_memory", "update_memory",
	"delete_memory", "list_memories", "memory_exists", "get_memory_info" };

#define STORABLE_TAKEN (sizeof(storable_taken) / sizeof(storable_taken[0]))

static int
storable_is_taken(const char *name)
{
	size_t n;

	for (n = 0; n < STORABLE_TAKEN; n++)
		if (strcmp(name, storable_taken[n]) == 0)
			return 1;
	return strncmp(name, "mcp_", 4) == 0;
}

/* Whether all characters of a name are allowed in a Python identifier. */
static int
storable_is_identifier(const char *name)
{
	size_t n, len = strlen(name);
	unsigned int code;

	if (len == 0 || !utf8_valid(name, len) ||
	    (name[0] >= '0' && name[0] <= '9'))
		return 0;
	for (n = 0; n < len; n++) {
		unsigned char c = (unsigned char)name[n];

		if (c >= 0x80 ? utf8_unseen(name + n, len - n, &code) != 0
		              : !(c == '_' || (c >= '0' && c <= '9') ||
		                    ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')))
			return 0;
	}
	return 1;
}

int
storable_name(const char *name, struct err *err)
{
	if (strlen(name) <= SAVED_TOOL_NAME_MAX &&
	    storable_is_identifier(name) && !alias_is_keyword(name) &&
	    strncmp(name, "__", 2) != 0 && !storable_is_taken(name))
		return 0;
	return err_set(err, "the name of a saved tool must be a Python "
	    "identifier of at most %d bytes that is not a keyword, does not "
	    "begin with \"__\" or \"mcp_\", and is not defined in every "
	    "call", SAVED_TOOL_NAME_MAX);
}

/*
 * The characters of numbers, which occur in no token but true, false and null.
 */
static int
storable_is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
	    c == 'e' || c == 'E';
}

/* Returns the end of the string that starts at p. */
static const char *
storable_skip_string(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p;
}

/* Refuses numbers that are too long, and nesting that is too deep. */
static int
storable_check_tokens(struct json_span value, struct err *err)
{
	const char *p, *end = value.p + value.len;
	size_t depth = 0, number = 0;

	for (p = value.p; p < end; p++) {
		number = storable_is_of_number(*p) ? number + 1 : 0;
		if (number > MEMORY_DIGITS_MAX)
			return err_set(err, "metadata contain a number of more "
			    "than %d digits, which Python cannot print: store "
			    "it as text, or in the value", MEMORY_DIGITS_MAX);
		if (*p == '"')
			p = storable_skip_string(p);
		else if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		if (depth > MEMORY_METADATA_DEPTH_MAX)
			return err_set(err, "metadata are nested more than %d "
			    "levels deep", MEMORY_METADATA_DEPTH_MAX);
	}
	return 0;
}

/* Sets *value to the single value in the bytes. */
static int
storable_parse(
    const char *data, size_t len, struct json_span *value, struct err *err)
{
	if (json_span_parse(data, len, value, err) == -1)
		return -1;
	if (memchr(data, '\n', len) != NULL || memchr(data, '\r', len) != NULL)
		return err_set(err, "it is not on one line");
	return 0;
}

int
storable_json(const char *data, size_t len, struct err *err)
{
	struct json_span value;

	return storable_parse(data, len, &value, err);
}

int
storable_metadata(const char *data, size_t len, struct err *err)
{
	struct json_span value;

	if (storable_parse(data, len, &value, err) == -1)
		return -1;
	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return err_set(err, "metadata must be an object: a name and a "
		    "value for each");
	return storable_check_tokens(value, err);
}
