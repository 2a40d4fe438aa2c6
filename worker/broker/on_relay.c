/*
 * The messages from a relay: the complete interface between the two. The parts
 * that are passed on to a server are checked here to be one JSON value on one
 * line. Runs in the broker.
 */
#include <string.h>

#include "../../common/json/json_span.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "broker.h"
#include "grant.h"
#include "state/state.h"
#include "link/link.h"

/* Whether bytes are one value of this kind, alone and on one line. */
static int
on_relay_wrote(const char *data, size_t len, enum json_span_kind kind)
{
	struct json_span value;

	return json_span_parse(data, len, &value, NULL) == 0 &&
	    json_span_kind(value) == kind && memchr(data, '\n', len) == NULL &&
	    memchr(data, '\r', len) == NULL;
}

/*
 * Checks the parts of a call. Returns the arguments, which the caller frees, or
 * NULL with err.
 */
static char *
on_relay_read_call(struct ipc_call_tool *call, struct err *err)
{
	const char *tool = (const char *)call->tool.data;
	auto_free char *arguments = ipc_blob_copy(&call->arguments, err);

	if (arguments == NULL)
		err_wrap(err, "the arguments cannot be parsed");
	else if (!on_relay_wrote(tool, call->tool.len, JSON_SPAN_STRING))
		err_set(err, "the name of a tool is not a string");
	else if (!on_relay_wrote(
	             arguments, call->arguments.len, JSON_SPAN_OBJECT))
		err_set(err, "the arguments are not an object");
	else
		return mem_take(&arguments);
	return NULL;
}

/* Refuses a call of a tool that may not be used. Returns whether it did. */
static int
on_relay_refuse_tool(struct grant *grant, const struct ipc_call_tool *call,
    const struct server *server)
{
	struct json_span name = { (const char *)call->tool.data,
		call->tool.len };
	auto_buffer struct buffer reason = { 0 };

	if (!call_is_barred(server, name, &reason))
		return 0;
	reason_fit(&reason);
	grant_refuse(grant, call->id, reason.data,
	    (struct json_span){ NULL, 0 });
	return 1;
}

/* Refuses a call for which there is no room. Returns whether it did. */
static int
on_relay_refuse_full(struct grant *grant, const struct ipc_call_tool *call,
    const struct server *server)
{
	auto_buffer struct buffer reason = { 0 };

	if (grant_has_room(grant, call->arguments.len))
		return 0;
	definition_begin_reason(&server->definition, &reason);
	buffer_printf(&reason, " cannot be called now: %zu bytes of calls "
	    "wait until their servers read them, of at most %lu MiB, of which "
	    "an execution gets half of what the others leave",
	    grant->broker->unwritten, BROKER_UNWRITTEN_MAX / MIB);
	grant_refuse(grant, call->id, reason.data,
	    (struct json_span){ NULL, 0 });
	return 1;
}

/* Returns the server of a permitted call; NULL if the call was refused. */
static struct server *
on_relay_find_called(struct grant *grant, const struct ipc_call_tool *call)
{
	struct server *server;

	if (!grant_admit(grant, call->id))
		return NULL;
	server = grant_find(grant, call->id, call->server, 1);
	if (server != NULL && (on_relay_refuse_tool(grant, call, server) ||
	        on_relay_refuse_full(grant, call, server)))
		server = NULL;
	return server;
}

static void
on_relay_audit_refused(
    const struct grant *grant, const struct ipc_call_tool *call)
{
	struct audit *audit = grant->broker->audit;
	struct audit_call line = { .execution = grant->exchange.execution,
		.owner = grant->owner,
		.server = call->server,
		.tool = { (const char *)call->tool.data, call->tool.len },
		.arguments = call->arguments.len,
		.outcome = AUDIT_REFUSED };

	if (audit != NULL)
		audit_add(audit, &line);
}

void
broker_on_call_tool(struct grant *grant, struct ipc_call_tool *call)
{
	auto_free char *arguments = NULL;
	struct server *server;
	struct json_span object;
	struct err err;

	arguments = on_relay_read_call(call, &err);
	if (arguments == NULL) {
		exchange_break(&grant->exchange, err.text);
		return;
	}
	server = on_relay_find_called(grant, call);
	if (server == NULL) {
		on_relay_audit_refused(grant, call);
		return;
	}
	(void)json_span_parse(arguments, call->arguments.len, &object, NULL);
	call_begin(grant, server, call->id,
	    (struct json_span){ (const char *)call->tool.data,
	        call->tool.len }, object);
}

/* Its answer may already be on the way: then there is nothing to cancel. */
void
broker_on_cancel_call(
    struct grant *grant, struct ipc_cancel_call *cancel)
{
	grant_cancel(grant, cancel->id);
}

/* Tools of permitted servers can be listed; only calls require loading. */
void
broker_on_list_tools(struct grant *grant, struct ipc_list_tools *list)
{
	struct server *server;
	struct ask *ask;

	if (!grant_admit(grant, list->id))
		return;
	server = grant_find(grant, list->id, list->server, 0);
	if (server == NULL)
		return;
	ask = grant_new_ask(grant, server, list->id, ASK_TOOLS);
	if (list->remembered)
		server_recall(server, ask);
	else
		server_ask(server, ask);
}

/* Answers with JSON made by the broker. */
static void
on_relay_told(struct grant *grant, uint64_t id, const struct buffer *json)
{
	static const struct json_span none;

	if (json->len <= RESULT_MAX)
		grant_answer(grant, id, json->data, json->len);
	else
		grant_refuse(grant, id, "the descriptions of the servers "
		    "are too long for one answer", none);
}

void
broker_on_list_servers(struct grant *grant, struct ipc_list_servers *list)
{
	auto_buffer struct buffer json = { 0 };

	if (!grant_admit(grant, list->id))
		return;
	grant_describe(grant, &json);
	on_relay_told(grant, list->id, &json);
}

void
broker_on_load_server(struct grant *grant, struct ipc_load_server *load)
{
	auto_buffer struct buffer json = { 0 };
	struct server *server;

	if (!grant_admit(grant, load->id))
		return;
	server = grant_find(grant, load->id, load->server, 0);
	if (server == NULL)
		return;
	grant_load(grant, server);
	grant_describe_server(grant, server, &json);
	on_relay_told(grant, load->id, &json);
}
