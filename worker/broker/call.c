/*
 * A call of a tool on its way to its server: see call.h. Runs in the broker.
 */
#include "arguments/arguments.h"
#include "call.h"
#include "state/reason.h"
#include "link/server.h"

/*
 * Appends the arguments that are sent and returns 1, or returns 0 and appends
 * to says what is wrong with them. A tool that is not listed is the server's to
 * judge.
 */
static int
call_settle(const struct server *server, struct json_span tool,
    struct json_span arguments, struct buffer *settled, struct buffer *says)
{
	struct json_span entry, schema;

	if (server_find_tool(server, tool, &entry) &&
	    json_span_get(entry, "inputSchema", &schema) > 0)
		return arguments_settle(schema, arguments, settled, says);
	buffer_add(settled, arguments.p, arguments.len);
	return 1;
}

int
call_is_barred(const struct server *server, struct json_span tool,
    struct buffer *reason)
{
	const char *why = rules_refuse(server_rules(server), tool);
	struct json_span entry;

	if (why == NULL && rules_bind(server_rules(server)) &&
	    !server_find_tool(server, tool, &entry))
		why = "is not in its list, and the configuration of the server "
		    "restricts its tools by name";
	if (why == NULL)
		return 0;
	server_begin_reason(server, reason);
	buffer_add_text(reason, ": its tool \"");
	reason_add_string(reason, tool);
	buffer_printf(reason, "\" %s", why);
	return 1;
}

/* Makes the ask of a call, or of the list that it waits for. */
static struct ask *
call_new_ask(struct permit *permit, struct server *server, uint64_t id,
    enum ask_kind kind, struct json_span tool, size_t arguments)
{
	struct ask *ask = permit_new_ask(permit, server, id, kind);

	buffer_add(&ask->tool, tool.p, tool.len);
	ask->arguments = arguments;
	return ask;
}

/* Passes a call on with these arguments. */
static void
call_pass(struct permit *permit, struct server *server, uint64_t id,
    struct json_span tool, struct json_span arguments)
{
	auto_buffer struct buffer params = { 0 };
	struct ask *ask = call_new_ask(
	    permit, server, id, ASK_CALL, tool, arguments.len);

	buffer_add_text(&params, "{\"name\":");
	buffer_add(&params, tool.p, tool.len);
	buffer_add_text(&params, ",\"arguments\":");
	buffer_add(&params, arguments.p, arguments.len);
	buffer_add_text(&params, "}");
	ask_take_params(ask, &params);
	server_ask(server, ask);
}

/* Refuses the call that waited for a list. unfit: by its arguments. */
static void
call_refuse(const struct ask *listed, struct buffer *reason, int unfit)
{
	struct json_span tool = { listed->tool.data, listed->tool.len };
	struct ask *ask = call_new_ask(listed->permit, listed->server,
	    listed->id, ASK_CALL, tool, listed->arguments);

	ask->unfit = unfit;
	ask->outcome = AUDIT_REFUSED;
	ask_refuse(&ask, reason, (struct json_span){ NULL, 0 });
}

/*
 * The list that a call waits for has come; its ask is freed after this. The
 * tool may have left it.
 */
static void
call_on_listed(const struct ask *ask)
{
	struct json_span tool = { ask->tool.data, ask->tool.len };
	struct json_span arguments = { ask->params.data, ask->params.len };
	auto_buffer struct buffer settled = { 0 }, says = { 0 };
	auto_buffer struct buffer reason = { 0 };

	if (call_is_barred(ask->server, tool, &reason)) {
		call_refuse(ask, &reason, 0);
		return;
	}
	if (call_settle(ask->server, tool, arguments, &settled, &says)) {
		call_pass(ask->permit, ask->server, ask->id, tool,
		    (struct json_span){ settled.data, settled.len });
		return;
	}
	reason_add_text(&reason, says.data, says.len);
	call_refuse(ask, &reason, 1);
}

void
call_begin(struct permit *permit, struct server *server, uint64_t id,
    struct json_span tool, struct json_span arguments)
{
	auto_buffer struct buffer settled = { 0 }, says = { 0 };
	struct ask *ask;

	if (!server_is_unlisted(server) &&
	    call_settle(server, tool, arguments, &settled, &says)) {
		call_pass(permit, server, id, tool,
		    (struct json_span){ settled.data, settled.len });
		return;
	}
	ask = call_new_ask(
	    permit, server, id, ASK_TOOLS, tool, arguments.len);
	buffer_add(&settled, arguments.p, arguments.len);
	ask_take_params(ask, &settled);
	ask->listed = call_on_listed;
	server_ask(server, ask);
}
