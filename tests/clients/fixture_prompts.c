/*
 * The prompts of the conformance suite. A prompt is answered as a tool is, so
 * that it can ask its client, too.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "fixtures.h"
#include "supervisor/front/rpc/rpc.h"
#include "supervisor/front/tools/tool.h"

#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"

/* Answers with these messages, JSON separated by commas. */
static void
prompt_answer(struct tool_call *call, const char *messages)
{
	struct buffer result = { 0 };

	buffer_printf(&result, "{\"messages\":[%s]}", messages);
	tool_call_answer(call, &result);
}

static void
prompt_begin_simple(struct tool_call *call, struct json_span)
{
	prompt_answer(call,
	    MESSAGE(FIXTURE_TEXT("This is a simple prompt for testing.")));
}

static void
prompt_begin_image(struct tool_call *call, struct json_span)
{
	prompt_answer(call, MESSAGE(FIXTURE_PICTURE) ","
	    MESSAGE(FIXTURE_TEXT("Please analyze the image above.")));
}

/* Returns a string without its quotes; the caller frees it. */
static char *
prompt_inside(struct json_span arguments, const char *name)
{
	auto_free char *quoted = fixture_string(arguments, name);

	return mem_printf("%.*s", (int)strlen(quoted) - 2, quoted + 1);
}

static void
prompt_begin_arguments(struct tool_call *call, struct json_span arguments)
{
	auto_free char *one = prompt_inside(arguments, "arg1");
	auto_free char *two = prompt_inside(arguments, "arg2");
	auto_free char *messages =
	    mem_printf(MESSAGE(FIXTURE_TEXT("Prompt with arguments: "
	        "arg1='%s', arg2='%s'")), one, two);

	prompt_answer(call, messages);
}

static void
prompt_begin_resource(struct tool_call *call, struct json_span arguments)
{
	auto_free char *uri = fixture_string(arguments, "resourceUri");
	auto_free char *messages =
	    mem_printf(MESSAGE("{\"type\":\"resource\",\"resource\":{"
	        "\"uri\":%s,\"mimeType\":\"text/plain\",\"text\":"
	        "\"Embedded resource content for testing.\"}}"), uri);

	prompt_answer(call, messages);
}

static void
prompt_on_told(
    struct tool_call *call, struct json_span results, const char *why)
{
	if (results.len == 0)
		tool_call_refuse(call, "error", why);
	else
		prompt_answer(call, MESSAGE(FIXTURE_TEXT("Use the context.")));
}

static void
prompt_begin_question(struct tool_call *call, struct json_span)
{
	static const struct question_part part = { "user_context",
		"elicitation/create",
		"{\"message\":\"What context should the prompt use?\","
		"\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		"\"context\":{\"type\":\"string\"}},"
		"\"required\":[\"context\"]}}" };

	fixture_ask_all(call, &part, 1, prompt_on_told);
}

#define ARGUMENT(name) "{\"name\":\"" name "\",\"required\":true}"

static const struct prompt {
	const char *name;
	const char *arguments;
	void (*begin)(struct tool_call *call, struct json_span arguments);
} prompts[] = {
	{ "test_simple_prompt", "", prompt_begin_simple },
	{ "test_prompt_with_arguments", ARGUMENT("arg1") "," ARGUMENT("arg2"),
	    prompt_begin_arguments },
	{ "test_prompt_with_embedded_resource", ARGUMENT("resourceUri"),
	    prompt_begin_resource },
	{ "test_prompt_with_image", "", prompt_begin_image },
	{ "test_input_required_result_prompt", "", prompt_begin_question },
};

#define PROMPTS (sizeof(prompts) / sizeof(prompts[0]))

void
fixture_on_prompts_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	size_t i;

	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"prompts\":[");
	for (i = 0; i < PROMPTS; i++)
		buffer_printf(&result,
		    "%s{\"name\":\"%s\",\"description\":\"A fixture\","
		    "\"arguments\":[%s]}",
		    i == 0 ? "" : ",", prompts[i].name, prompts[i].arguments);
	buffer_add_text(&result, "]}");
	era_answer(mcp->rpc, context, message->id, &result, 0);
}

void
fixture_on_prompts_get(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span name = { NULL, 0 }, arguments = { NULL, 0 };
	struct tool_call *call;
	size_t i;

	json_span_get(message->params, "name", &name);
	json_span_get(message->params, "arguments", &arguments);
	for (i = 0; i < PROMPTS; i++)
		if (name.len > 0 && json_span_is(name, prompts[i].name))
			break;
	if (i == PROMPTS) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "Unknown prompt", NULL);
		return;
	}
	if (tool_call_continue(mcp, context, message))
		return;
	call = tool_call_new(mcp, context, message->id);
	tool_call_watch(call, message->params);
	prompts[i].begin(call, arguments);
}
