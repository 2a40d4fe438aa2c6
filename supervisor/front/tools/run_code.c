/* The tool run_code: code in a language that the call names. */
#include "../../../common/json/json.h"
#include "../../box/shared/language.h"
#include "tool.h"

static const char run_code_description[] =
    "Run code in a %ssealed sandbox: no network, no host files, no earlier "
    "state%s. Only what it prints%s comes back, with files in /workspace/out. "
    "It can call the user's MCP servers: ";

/* Adds the purpose of the tool, and how code of each language calls tools. */
static void
run_code_add_description(struct buffer *json, const struct options *options)
{
	auto_buffer struct buffer text = { 0 };
	const struct language *language;
	size_t i;

	buffer_printf(&text, run_code_description,
	    options_argument(options, ARGUMENT_SESSION) ? "" : "fresh, ",
	    tool_schema_except(options), options->echo ?
	    ", or the value of its last expression (not in shell)," : "");
	for (i = 0; (language = language_at(i)) != NULL; i++)
		if (language->use != NULL)
			buffer_printf(&text, "%sin %s %s", i == 0 ? "" : "; ",
			    language->name, language->use);
	json_add_text(json, text.data);
}

static void
run_code_describe(struct buffer *json, const struct options *options)
{
	const struct language *language;
	size_t i;

	language_renew();
	buffer_add_text(json, "{\"name\":\"run_code\","
	    "\"title\":\"Run code\",\"description\":");
	run_code_add_description(json, options);
	buffer_add_text(json, ",\"inputSchema\":{\"type\":\"object\","
	    "\"properties\":{\"language\":{\"type\":\"string\","
	    "\"examples\":[");
	for (i = 0; (language = language_at(i)) != NULL; i++)
		buffer_printf(
		    json, "%s\"%s\"", i == 0 ? "" : ",", language->name);
	buffer_add_text(json, "]},\"code\":{\"type\":\"string\"}");
	tool_schema_add_common(json, options);
	if (options_argument(options, ARGUMENT_REQUEST))
		buffer_add_text(json, ",\"request\":{\"type\":\"object\","
		    "\"properties\":{\"method\":{\"type\":\"string\"},"
		    "\"url\":{\"type\":\"string\"},"
		    "\"headers\":{\"type\":\"object\"},"
		    "\"body\":{\"type\":[\"string\",\"object\"]}},"
		    "\"description\":\"in JavaScript: what fetch() of the "
		    "default export answers, as of a Hono app; body as bytes: "
		    "{\\\"base64\\\": \\\"…\\\"}\"}");
	buffer_add_text(json, "},\"required\":[\"language\",\"code\"],"
	    "\"additionalProperties\":false}");
	tool_schema_add_rest(json, options);
	buffer_add_text(json, "}");
}

int
run_code_check(const struct request *request, struct err *err)
{
	const struct language *language = request->language;

	if (request->servers_len == 0)
		return 0;
	if (language->use == NULL)
		return err_set(err, "code of %s can use no servers: leave out "
		    "the argument servers", language->name);
	if (language->image == NULL)
		return 0;
	return err_set(err, "code of %s can use no servers: its image only "
	    "reads code, and has files", language->name);
}

static void
run_code_begin(struct tool_call *call, struct json_span arguments)
{
	struct request request;
	struct err err;

	if (arguments_read(arguments, "run_code", NULL,
	        mcp_options(call->mcp), &request, &err) == -1)
		tool_call_refuse(call, "validation_error", err.text);
	else if (run_code_check(&request, &err) == -1) {
		tool_call_refuse(call, "validation_error", err.text);
		request_reset(&request);
	} else
		tool_call_run(call, &request, tool_call_answer_ran);
}

const struct tool run_code_tool = { "run_code", "sandbox.run_code", "code",
	run_code_describe, run_code_begin };
