/* A call of a tool on its way to its server: see grant.h. */
#include "../../common/json/json.h"
#include "arguments/arguments.h"
#include "grant.h"
#include "state/state.h"
#include "link/link.h"

/*
 * Appends the arguments that are sent and returns 1, or returns 0 and sets what
 * is wrong with them, or that the tool is one whose schema was not read. A tool
 * of which the list says nothing is the server's to judge.
 */
static int
call_settle(struct ask *ask, struct json_span tool,
    struct json_span arguments, struct buffer *settled)
{
	struct json_span entry, schema;
	int listed = server_find_tool(ask->server, tool, &entry);

	buffer_reset(&ask->says);
	ask->unfit = 0;
	if (listed && json_span_get(entry, "inputSchema", &schema) > 0) {
		ask->unfit = !arguments_settle(
		    schema, arguments, settled, &ask->says);
		return !ask->unfit;
	}
	if (!listed && entry.len > 0) {
		definition_begin_reason(&ask->server->definition, &ask->says);
		buffer_add_text(&ask->says, ": its tool \"");
		reason_add_string(&ask->says, tool, NULL);
		buffer_add_text(&ask->says, "\" cannot be used: ");
		reason_add_string(&ask->says, entry, NULL);
		return 0;
	}
	buffer_add(settled, arguments.p, arguments.len);
	return 1;
}

int
call_is_barred(const struct server *server, struct json_span tool,
    struct buffer *reason)
{
	const char *why = rules_refuse(&server->definition.rules, tool);
	struct json_span entry;

	if (why == NULL && rules_bind(&server->definition.rules) &&
	    !server_find_tool(server, tool, &entry))
		why = "is not in its list, and the configuration of the server "
		    "restricts its tools by name";
	if (why == NULL)
		return 0;
	definition_begin_reason(&server->definition, reason);
	buffer_add_text(reason, ": its tool \"");
	reason_add_string(reason, tool, NULL);
	buffer_printf(reason, "\" %s", why);
	return 1;
}

/* Passes a call on with these arguments. */
static void
call_pass(struct ask *ask, const struct buffer *arguments)
{
	auto_buffer struct buffer params = { 0 };

	buffer_add_text(&params, "{\"name\":");
	buffer_add(&params, ask->tool.data, ask->tool.len);
	buffer_add_text(&params, ",\"arguments\":");
	buffer_add(&params, arguments->data, arguments->len);
	buffer_add_text(&params, "}");
	ask->arguments = arguments->len;
	ask_drop_params(ask);
	ask_take_params(ask, &params);
	server_ask(ask->server, ask);
}

static void
call_refuse(struct ask *ask, struct buffer *reason)
{
	ask->outcome = AUDIT_REFUSED;
	ask_refuse(&ask, reason, (struct json_span){ NULL, 0 });
}

/*
 * The list that a call waited for is there. The tool may have left it. What the
 * same list has said is not found out again.
 */
static void
call_on_listed(struct ask *ask)
{
	struct json_span tool = { ask->tool.data, ask->tool.len };
	struct json_span arguments = { ask->params.data, ask->params.len };
	auto_buffer struct buffer settled = { 0 }, reason = { 0 };

	if (call_is_barred(ask->server, tool, &reason)) {
		ask->unfit = 0;
		call_refuse(ask, &reason);
		return;
	}
	if ((ask->says.len == 0 || server_list(ask->server) != ask->judged) &&
	    call_settle(ask, tool, arguments, &settled)) {
		call_pass(ask, &settled);
		return;
	}
	reason_add_text(&reason, ask->says.data, ask->says.len);
	call_refuse(ask, &reason);
}

void
call_ask(struct grant *grant, struct server *server, uint64_t id,
    const struct method *method, struct json_span name,
    struct json_span arguments)
{
	auto_buffer struct buffer params = { 0 };
	struct ask *ask;
	struct err err = { 0, "there is no such request" };

	if (method == NULL || method_add_params(
	        method, name, arguments, &params, &err) == -1) {
		grant_refuse(
		    grant, id, err.text, (struct json_span){ NULL, 0 });
		return;
	}
	ask = grant_new_ask(grant, server, id, ASK_CALL);
	ask->method = method;
	json_add_text(&ask->tool, method_name(method));
	ask->arguments = params.len;
	ask_take_params(ask, &params);
	server_ask(server, ask);
}

void
call_begin(struct grant *grant, struct server *server, uint64_t id,
    struct json_span tool, struct json_span arguments)
{
	auto_buffer struct buffer settled = { 0 };
	struct ask *ask = grant_new_ask(grant, server, id, ASK_CALL);

	buffer_add(&ask->tool, tool.p, tool.len);
	if (!server_must_list(server, tool) &&
	    call_settle(ask, tool, arguments, &settled)) {
		call_pass(ask, &settled);
		return;
	}
	ask->kind = ASK_TOOLS;
	ask->listed = call_on_listed;
	ask->judged = server_list(server);
	ask->arguments = arguments.len;
	buffer_add(&settled, arguments.p, arguments.len);
	ask_take_params(ask, &settled);
	server_ask(server, ask);
}
