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

void
tool_schema_add_common(struct buffer *json, const struct options *options)
{
	buffer_add_text(json, "\"servers\":{\"type\":\"array\","
	    "\"items\":{\"type\":\"string\"}},"
	    "\"timeout\":{\"type\":\"integer\",\"minimum\":1,");
	buffer_printf(json, "\"maximum\":%u,\"default\":%u,"
	    "\"description\":\"seconds\"}", options->max_timeout,
	    options->timeout);
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
