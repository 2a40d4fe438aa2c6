/*
 * The tool greet, an example of a tool: greets its caller. Runs in the
 * supervisor.
 */
#include "supervisor/front/tools/tool.h"

static void
greet_describe(struct buffer *json, const struct options *)
{
	buffer_add_text(json, "{\"name\":\"greet\","
	    "\"description\":\"Greet.\","
	    "\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}");
}

static void
greet_begin(struct tool_call *call, struct json_span)
{
	auto_buffer struct buffer result = { 0 };

	buffer_add_text(&result, "{\"content\":[{\"type\":\"text\","
	    "\"text\":\"hello\"}],\"isError\":false}");
	tool_call_answer(call, &result);
}

const struct tool greet_tool = { "greet", NULL, NULL, greet_describe,
	greet_begin };
