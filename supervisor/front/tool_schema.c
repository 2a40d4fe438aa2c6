/*
 * The schemas that tools share: see tool_schema.h. Runs in the supervisor.
 */
#include "front.h"
#include "tool_schema.h"

static const char tool_schema_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"string\",\"enum\":[\"success\",\"error\","
    "\"timeout\",\"validation_error\",\"cancelled\"]},"
    "\"summary\":{\"type\":\"string\"},"
    "\"exitCode\":{\"type\":\"integer\"},"
    "\"signal\":{\"type\":\"string\"},"
    "\"servers\":{\"type\":\"array\",\"items\":"
    "{\"type\":\"string\"}},"
    "\"stdout\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"stderr\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"error\":{\"type\":\"string\"},"
    "\"timeoutSeconds\":{\"type\":\"integer\"},"
    "\"truncated\":{\"type\":\"object\",\"properties\":{"
    "\"stdout\":{\"type\":\"integer\"},\"stderr\":{\"type\":\"integer\"}},"
    "\"description\":\"bytes cut per stream\"},"
    "\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
    "\"format\":\"uri\"}},"
    "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

/* The words of the option arguments, in their order. */
enum tool_schema_argument {
	TOOL_SCHEMA_CODE,
	TOOL_SCHEMA_SERVERS,
	TOOL_SCHEMA_TIMEOUT,
	TOOL_SCHEMA_FILES,
};

static int
tool_schema_has(
    const struct options *options, enum tool_schema_argument argument)
{
	return (options->arguments & 1U << argument) != 0;
}

void
tool_schema_add_common(struct buffer *json, const struct options *options)
{
	if (tool_schema_has(options, TOOL_SCHEMA_SERVERS))
		buffer_add_text(json, ",\"servers\":{\"type\":\"array\","
		    "\"items\":{\"type\":\"string\"}}");
	if (tool_schema_has(options, TOOL_SCHEMA_TIMEOUT))
		buffer_printf(json, ",\"timeout\":{\"type\":\"integer\","
		    "\"minimum\":1,\"maximum\":%u,\"default\":%u,"
		    "\"description\":\"seconds\"}", options->max_timeout,
		    options->timeout);
	if (tool_schema_has(options, TOOL_SCHEMA_FILES))
		buffer_add_text(json, ",\"files\":{\"type\":\"array\","
		    "\"items\":{\"type\":\"string\"},\"description\":"
		    "\"earlier files, to find in /workspace/in\"}");
}

void
tool_schema_add_rest(struct buffer *json, const struct options *options)
{
	if (answer_style(options).structured) {
		buffer_add_text(json, ",\"outputSchema\":");
		buffer_add_text(json, tool_schema_output);
	}
	buffer_add_text(json, ",\"annotations\":{\"readOnlyHint\":false,"
	    "\"destructiveHint\":true,\"idempotentHint\":false,"
	    "\"openWorldHint\":true}");
}
