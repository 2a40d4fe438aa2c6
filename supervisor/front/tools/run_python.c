/*
 * The tool run_python: its description for clients, and its call. The
 * description is in the context of every model, so it is short.
 */
#include "../../../common/json/json.h"
#include "../../box/shared/language.h"
#include "tool.h"

/*
 * Its purpose and uses, how to call servers, the form of results, and where the
 * rest is documented. It must suffice on its own, since some hosts hide the
 * instructions. It names no server, because hosts cache it.
 */
static const char run_python_description[] =
    "Run Python 3 in a sealed sandbox: no network, pip, host files, "
    "earlier state%s. Compute; call the user's MCP servers "
    "in code, whole tasks in one run: r = await mcp_NAME.TOOL(arg=1); "
    "r.data (parsed), r.text. They load on first use. "
    "Only what the code prints%s comes back, with plt.show() and files "
    "in /workspace/out: print little. "
    "Discover: print(runtime.capability_summary()), print(await "
    "runtime.search_tool_docs('words')), help(mcp_NAME.TOOL)";

static void
run_python_describe(struct buffer *json, const struct options *options)
{
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(json, "{\"name\":\"run_python\","
	    "\"title\":\"Run Python\",\"description\":");
	buffer_printf(&text, run_python_description,
	    tool_schema_except(options),
	    options->echo ? ", or the value of its last expression," : "");
	json_add_string(json, text.data, text.len);
	buffer_add_text(json, ",\"inputSchema\":{\"type\":\"object\","
	    "\"properties\":{\"code\":{\"type\":\"string\","
	    "\"description\":\"Python source\"}");
	tool_schema_add_common(json, options);
	buffer_add_text(json, "},\"required\":[\"code\"],"
	    "\"additionalProperties\":false}");
	tool_schema_add_rest(json, options);
	buffer_add_text(json, "}");
}

static void
run_python_begin(struct tool_call *call, struct json_span arguments)
{
	struct request request;
	struct err err;

	if (arguments_read(arguments, "run_python", language_find("python"),
	        mcp_options(call->mcp), &request, &err) == -1)
		tool_call_refuse(call, "validation_error", err.text);
	else
		tool_call_run(call, &request, tool_call_answer_ran);
}

const struct tool run_python_tool = { "run_python", NULL, "Python",
	run_python_describe, run_python_begin };
