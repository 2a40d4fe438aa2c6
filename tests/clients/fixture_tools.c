/*
 * The tools of the conformance suite that answer without asking, and the table
 * of all: it takes the place of that of the program.
 */
#include <stdlib.h>

#include "common/json/json.h"
#include "fixtures.h"
#include "supervisor/box/shared/runtime.h"

void
fixture_answer(struct tool_call *call, const char *content)
{
	struct buffer result = { 0 };

	buffer_printf(&result, "{\"content\":[%s]}", content);
	tool_call_answer(call, &result);
}

void
fixture_answer_told(
    struct tool_call *call, const char *text, struct json_span told)
{
	auto_buffer struct buffer all = { 0 };
	struct buffer result = { 0 };

	buffer_printf(&all, "%s %.*s", text, (int)told.len, told.p);
	buffer_add_text(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_string(&result, all.data, all.len);
	buffer_add_text(&result, "}]}");
	tool_call_answer(call, &result);
}

char *
fixture_string(struct json_span object, const char *name)
{
	struct buffer text = { 0 };
	struct json_span value;

	if (object.len > 0 && json_span_get(object, name, &value) == 1 &&
	    json_span_kind(value) == JSON_SPAN_STRING)
		buffer_add(&text, value.p, value.len);
	else
		buffer_add_text(&text, "\"\"");
	return buffer_take(&text, NULL);
}

FIXTURE_SAME(test_simple_text,
    FIXTURE_TEXT("This is a simple text response for testing."))
FIXTURE_SAME(test_image_content, FIXTURE_PICTURE)
FIXTURE_SAME(test_audio_content,
    "{\"type\":\"audio\",\"data\":\"" FIXTURE_WAV
    "\",\"mimeType\":\"audio/wav\"}")
FIXTURE_SAME(test_embedded_resource,
    "{\"type\":\"resource\",\"resource\":{"
    "\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
    "\"text\":\"This is an embedded resource content.\"}}")
FIXTURE_SAME(test_multiple_content_types,
    FIXTURE_TEXT("Multiple content types test:") "," FIXTURE_PICTURE
    ",{\"type\":\"resource\",\"resource\":{"
    "\"uri\":\"test://mixed-content-resource\","
    "\"mimeType\":\"application/json\","
    "\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}")

FIXTURE_TOOL(test_error_handling, FIXTURE_NO_ARGUMENTS)
{
	(void)arguments;
	tool_call_refuse(call, "error",
	    "This tool intentionally returns an error for testing");
}

#define LOG(level, data)                                                       \
	"{\"level\":\"" level "\",\"logger\":\"caisson\",\"data\":\"" data "\"}"

FIXTURE_TOOL(test_tool_with_logging, FIXTURE_NO_ARGUMENTS)
{
	(void)arguments;
	tool_call_pass(
	    call, ASK_CLIENT_LOG, LOG("info", "Tool execution started"));
	tool_call_pass(
	    call, ASK_CLIENT_LOG, LOG("info", "Tool processing data"));
	tool_call_pass(
	    call, ASK_CLIENT_LOG, LOG("info", "Tool execution completed"));
	fixture_answer(call, FIXTURE_TEXT("logged"));
}

FIXTURE_TOOL(test_logging_tool, FIXTURE_NO_ARGUMENTS)
{
	(void)arguments;
	tool_call_pass(call, ASK_CLIENT_LOG, LOG("emergency", "Logged"));
	fixture_answer(call, FIXTURE_TEXT("logged"));
}

FIXTURE_TOOL(test_tool_with_progress, FIXTURE_NO_ARGUMENTS)
{
	struct box_progress progress = { .total = 100000 };

	(void)arguments;
	for (progress.done = 0; progress.done <= progress.total;
	     progress.done += progress.total / 2)
		tool_call_progress(call, &progress);
	fixture_answer(call, FIXTURE_TEXT("done"));
}

/* A schema must arrive as it is, whatever it contains. */
FIXTURE_TOOL(json_schema_2020_12_tool,
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\","
    "\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},"
    "\"city\":{\"type\":\"string\"}}}},\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"address\":{\"$ref\":\"#/$defs/address\"},"
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},"
    "{\"required\":[\"email\"]}]}],"
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
    "\"required\":[\"contactMethod\"]},"
    "\"then\":{\"required\":[\"phone\"]},"
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}")
{
	(void)arguments;
	fixture_answer(call, FIXTURE_TEXT("called"));
}

const struct tool *const tools_table[] = {
	&test_simple_text_tool,
	&test_image_content_tool,
	&test_audio_content_tool,
	&test_embedded_resource_tool,
	&test_multiple_content_types_tool,
	&test_error_handling_tool,
	&test_tool_with_logging_tool,
	&test_logging_tool_tool,
	&test_tool_with_progress_tool,
	&json_schema_2020_12_tool_tool,
	&test_sampling_tool,
	&test_elicitation_tool,
	&test_elicitation_sep1034_defaults_tool,
	&test_elicitation_sep1330_enums_tool,
	&test_missing_capability_tool,
	&test_streaming_elicitation_tool,
	&test_input_required_result_elicitation_tool,
	&test_input_required_result_sampling_tool,
	&test_input_required_result_list_roots_tool,
	&test_input_required_result_request_state_tool,
	&test_input_required_result_multiple_inputs_tool,
	&test_input_required_result_multi_round_tool,
	&test_input_required_result_tampered_state_tool,
	&test_input_required_result_capabilities_tool,
};

const size_t tools_count = sizeof(tools_table) / sizeof(tools_table[0]);
