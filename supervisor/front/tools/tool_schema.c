/* The schemas that tools share: see tool.h. */
#include "../answer/answer.h"
#include "tool.h"

/* The fields that answer_add_fields() writes (answer.c). */
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
    "\"calls\":{\"type\":\"string\",\"description\":\"of tools, made\"},"
    "\"response\":{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"integer\"},"
    "\"headers\":{\"type\":\"object\"},"
    "\"body\":{\"type\":[\"string\",\"object\"],\"description\":"
    "\"text, or {base64} or {file}\"}}},"
    "\"timeoutSeconds\":{\"type\":\"integer\"},"
    "\"truncated\":{\"type\":\"object\",\"properties\":{"
    "\"stdout\":{\"type\":\"integer\"},\"stderr\":{\"type\":\"integer\"}},"
    "\"description\":\"bytes cut per stream\"},"
    "\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
    "\"format\":\"uri\"}},"
    "\"isolation\":{\"type\":\"string\",\"enum\":[\"weak\"]},"
    "\"session\":{\"type\":\"string\"},"
    "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

const char *
tool_schema_except(const struct options *options)
{
	if (!options_argument(options, ARGUMENT_SESSION))
		return options_argument(options, ARGUMENT_CONVERSATION) ?
		    " (except by conversationId)" : "";
	return options_argument(options, ARGUMENT_CONVERSATION) ?
	    " (except by session or conversationId)" :
	    " (except by session)";
}

void
tool_schema_add_common(struct buffer *json, const struct options *options)
{
	if (options_argument(options, ARGUMENT_SERVERS))
		buffer_add_text(json, ",\"servers\":{\"type\":\"array\","
		    "\"items\":{\"type\":\"string\"}}");
	if (options_argument(options, ARGUMENT_TIMEOUT))
		buffer_printf(json, ",\"timeout\":{\"type\":\"integer\","
		    "\"minimum\":1,\"maximum\":%u,\"default\":%u,"
		    "\"description\":\"seconds\"}", options->max_timeout,
		    options->timeout);
	if (options_argument(options, ARGUMENT_FILES))
		buffer_add_text(json, ",\"files\":{\"type\":\"array\","
		    "\"items\":{\"type\":\"string\"},\"description\":"
		    "\"earlier files, to find in /workspace/in\"}");
	if (options_argument(options, ARGUMENT_CONVERSATION))
		buffer_printf(json, ",\"conversationId\":{\"type\":"
		    "\"string\",\"minLength\":1,\"maxLength\":%d,"
		    "\"description\":\"any id, at most %d bytes; files in "
		    "/data persist between calls with the same one\"}",
		    CONVERSATION_ID_MAX, CONVERSATION_ID_MAX);
	if (options_argument(options, ARGUMENT_SESSION))
		buffer_printf(json, ",\"session\":{\"type\":\"string\","
		    "\"minLength\":1,\"maxLength\":%d,\"description\":"
		    "\"any name, at most %d bytes; variables of Python persist "
		    "between calls with the same one\"}",
		    SESSION_NAME_MAX, SESSION_NAME_MAX);
	if (options_argument(options, ARGUMENT_STDIN))
		buffer_add_text(json, ",\"stdin\":{\"type\":[\"string\","
		    "\"object\"],\"description\":\"standard input of the "
		    "code; bytes as {\\\"base64\\\": \\\"…\\\"}\"}");
	if (options_argument(options, ARGUMENT_ENVIRONMENT))
		buffer_add_text(json, ",\"environment\":{\"type\":"
		    "\"object\",\"additionalProperties\":{\"type\":"
		    "\"string\"}}");
	if (options_argument(options, ARGUMENT_NETWORK))
		buffer_add_text(json, ",\"network\":{\"const\":false}");
	if (options_argument(options, ARGUMENT_ARGUMENTS))
		buffer_add_text(json, ",\"arguments\":{\"type\":\"array\","
		    "\"items\":{\"type\":\"string\"},\"description\":"
		    "\"of the command line, for wasm\"}");
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
