/*
 * What the official conformance suite expects of a server that it tests: tools,
 * prompts and resources with these names. They are linked with the objects of
 * caisson into a program of the tests only.
 */
#ifndef TESTS_CLIENTS_FIXTURES_H
#define TESTS_CLIENTS_FIXTURES_H

#include "common/base/buffer.h"
#include "common/json/json_span.h"
#include "supervisor/front/rpc/rpc.h"
#include "supervisor/front/tools/tool.h"

/* A picture of one point, and a sound of no length, in base64. */
#define FIXTURE_PNG                                                            \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwA"  \
	"FBQIAX8jx0gAAAABJRU5ErkJggg=="
#define FIXTURE_WAV                                                            \
	"UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

#define FIXTURE_TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define FIXTURE_PICTURE                                                        \
	"{\"type\":\"image\",\"data\":\"" FIXTURE_PNG                          \
	"\",\"mimeType\":\"image/png\"}"

#define FIXTURE_NO_ARGUMENTS "{\"type\":\"object\",\"properties\":{}}"
#define FIXTURE_ARGUMENT(name)                                                 \
	"{\"type\":\"object\",\"properties\":{\"" name                         \
	"\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"

/* Defines a tool; what follows is the body of begin(call, arguments). */
#define FIXTURE_TOOL(id, schema)                                               \
	static void id##_describe(                                             \
	    struct buffer *json, const struct options *options)                \
	{                                                                      \
		(void)options;                                                 \
		buffer_add_text(json, "{\"name\":\"" #id "\","                 \
		    "\"description\":\"A fixture\",\"inputSchema\":" schema    \
		    "}");                                                      \
	}                                                                      \
	static void id##_begin(                                                \
	    struct tool_call *call, struct json_span arguments);               \
	const struct tool id##_tool = { #id, NULL, NULL, id##_describe,        \
		id##_begin };                                                  \
	static void id##_begin(                                                \
	    struct tool_call *call, struct json_span arguments)

/* A tool whose content is always the same. */
#define FIXTURE_SAME(id, content)                                              \
	FIXTURE_TOOL(id, FIXTURE_NO_ARGUMENTS)                                 \
	{                                                                      \
		(void)arguments;                                               \
		fixture_answer(call, content);                                 \
	}

/* Answers a call with these blocks of content, JSON separated by commas. */
void fixture_answer(struct tool_call *call, const char *content);

/* Answers a call with a text and what the client has answered to a question. */
void fixture_answer_told(
    struct tool_call *call, const char *text, struct json_span told);

/*
 * Returns a string in an object, as JSON with its quotes; "" if there is none.
 * The caller frees it.
 */
char *fixture_string(struct json_span object, const char *name);

/* fixture_questions.c: asks the client, or refuses the call if it cannot. */
void fixture_ask_all(struct tool_call *call, const struct question_part *parts,
    size_t count, tool_call_asked *told);
extern const struct tool test_sampling_tool;
extern const struct tool test_elicitation_tool;
extern const struct tool test_elicitation_sep1034_defaults_tool;
extern const struct tool test_elicitation_sep1330_enums_tool;
extern const struct tool test_missing_capability_tool;
extern const struct tool test_streaming_elicitation_tool;
extern const struct tool test_input_required_result_elicitation_tool;
extern const struct tool test_input_required_result_sampling_tool;
extern const struct tool test_input_required_result_list_roots_tool;
extern const struct tool test_input_required_result_request_state_tool;
extern const struct tool test_input_required_result_multiple_inputs_tool;
extern const struct tool test_input_required_result_multi_round_tool;
extern const struct tool test_input_required_result_tampered_state_tool;
extern const struct tool test_input_required_result_capabilities_tool;

/* fixture_prompts.c */
void fixture_on_prompts_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void fixture_on_prompts_get(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* fixture_resources.c */
void fixture_on_resources_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void fixture_on_templates_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);
void fixture_on_resources_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

#endif
