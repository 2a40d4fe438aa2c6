/*
 * The methods of MCP for tools. The option tools selects those rows of
 * tools_table.c that clients see.
 */
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/tool_size.h"
#include "../rpc/rpc.h"
#include "tool.h"

/* Returns the n-th tool if it is enabled, or NULL. */
static const struct tool *
tools_at(size_t n, const struct options *options)
{
	return (options->tools & 1U << n) != 0 ? tools_table[n] : NULL;
}

void
tools_add_list(struct buffer *json, const struct options *options)
{
	const char *comma = "";
	size_t i;

	buffer_add_text(json, "{\"tools\":[");
	for (i = 0; i < tools_count; i++) {
		if (tools_at(i, options) == NULL)
			continue;
		buffer_add_text(json, comma);
		tools_table[i]->describe(json, options);
		comma = ",";
	}
	buffer_add_text(json, "]}");
}

uint64_t
tools_shown_size(const struct options *options)
{
	auto_buffer struct buffer json = { 0 };
	struct json_span list;

	tools_add_list(&json, options);
	if (json_span_parse(json.data, json.len, &list, NULL) == -1)
		fatal("the list of our tools is not JSON");
	return tool_size(list);
}

int
tools_include(const struct options *options, const struct tool *tool)
{
	size_t i;

	for (i = 0; i < tools_count; i++)
		if (tools_table[i] == tool)
			return tools_at(i, options) != NULL;
	return 0;
}

const struct tool *
tools_runner(const struct options *options)
{
	const struct tool *tool;
	size_t i;

	for (i = 0; i < tools_count; i++) {
		tool = tools_at(i, options);
		if (tool != NULL && tool->executes != NULL)
			return tool;
	}
	return NULL;
}

void
tools_on_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (page_refuse_cursor(mcp, message))
		return;
	tools_add_list(&result, mcp_options(mcp));
	era_answer(mcp->rpc, context, message->id, &result, MCP_CACHE_MS);
}

static const struct tool *
tools_find(struct json_span name, const struct options *options)
{
	const struct tool *tool;
	size_t i;

	for (i = 0; i < tools_count; i++) {
		tool = tools_at(i, options);
		if (tool != NULL &&
		    (json_span_is(name, tool->name) ||
		        (tool->alias != NULL &&
		            json_span_is(name, tool->alias))))
			return tool;
	}
	return NULL;
}

/* Answers that the name is unknown, and lists the tools. */
static void
tools_answer_unknown(struct mcp *mcp, struct json_span id)
{
	const struct options *options = mcp_options(mcp);
	auto_buffer struct buffer text = { 0 };
	const char *comma = "";
	size_t i, n = 0;

	for (i = 0; i < tools_count; i++)
		n += tools_at(i, options) != NULL;
	buffer_add_text(&text, n == 1 ? "Unknown tool: the only tool is " :
	    "Unknown tool: the tools are ");
	for (i = 0; i < tools_count; i++) {
		if (tools_at(i, options) == NULL)
			continue;
		buffer_printf(&text, "%s%s", comma, tools_table[i]->name);
		comma = ", ";
	}
	rpc_answer_error(mcp->rpc, id, JSONRPC_INVALID_PARAMS, text.data, NULL);
}

/* Returns why no call can be accepted now, or NULL. */
static const char *
tools_overload(const struct mcp *mcp)
{
	if (mcp->runs->draining)
		return TOOLS_DRAINING;
	if (rpc_busy(mcp->rpc))
		return "too many answers are waiting to be read by the client";
	return NULL;
}

static void
tools_begin(struct mcp *mcp, const struct context *context,
    const struct tool *tool, const struct jsonrpc *message,
    struct json_span arguments)
{
	struct tool_call *call = tool_call_new(mcp, context, message->id);
	const char *overload = tools_overload(mcp);

	tool_call_watch(call, message->params);
	if (overload != NULL)
		tool_call_refuse(call, "error", overload);
	else
		tool->begin(call, arguments);
}

void
tools_on_call(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span name = { NULL, 0 }, arguments = { NULL, 0 };
	const struct tool *tool;
	int named = json_span_get(message->params, "name", &name);

	json_span_get(message->params, "arguments", &arguments);
	if (named != 1 || json_span_kind(name) != JSON_SPAN_STRING)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "tools/call needs params.name, a string", NULL);
	else if ((tool = tools_find(name, mcp_options(mcp))) == NULL)
		tools_answer_unknown(mcp, message->id);
	else if (tool_call_find(mcp, message->id) != NULL)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_REQUEST,
		    "this id belongs to a request that is still running", NULL);
	else if (!tool_call_continue(mcp, context, message))
		tools_begin(mcp, context, tool, message, arguments);
}

void
tools_on_cancelled(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span id;
	struct tool_call *call;

	if (message->params.len == 0 ||
	    json_span_get(message->params, "requestId", &id) == 0)
		return;
	call = tool_call_find(mcp, id);
	if (call != NULL) /* else it is answered already, a usual race */
		tool_call_cancel(call, "cancelled by the client");
}
