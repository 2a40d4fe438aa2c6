/*
 * A call of a tool on its way to its server: see call.h. Runs in the broker.
 */
#include "arguments/arguments.h"
#include "call.h"
#include "reason.h"
#include "server.h"

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

static void
call_refuse(struct permit *permit, struct server *server, uint64_t id,
    struct json_span tool, size_t arguments, const struct buffer *says)
{
	auto_buffer struct buffer reason = { 0 };
	struct ask *ask =
	    call_new_ask(permit, server, id, ASK_CALL, tool, arguments);

	reason_add_text(&reason, says->data, says->len);
	ask->unfit = 1;
	ask->outcome = AUDIT_REFUSED;
	ask_refuse(&ask, &reason, (struct json_span){ NULL, 0 });
}

/* The list that a call waits for has come; its ask is freed after this. */
static void
call_on_listed(const struct ask *ask)
{
	struct json_span tool = { ask->tool.data, ask->tool.len };
	struct json_span arguments = { ask->params.data, ask->params.len };
	auto_buffer struct buffer settled = { 0 }, says = { 0 };

	if (call_settle(ask->server, tool, arguments, &settled, &says))
		call_pass(ask->permit, ask->server, ask->id, tool,
		    (struct json_span){ settled.data, settled.len });
	else
		call_refuse(ask->permit, ask->server, ask->id, tool,
		    arguments.len, &says);
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
