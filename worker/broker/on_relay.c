/*
 * The messages from a relay: the complete interface between the two. The parts
 * that are passed on to a server are checked here to be one JSON value on one
 * line.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/json/json.h"
#include "../../common/json/json_span.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "broker.h"
#include "grant.h"
#include "state/state.h"
#include "link/link.h"

/* Whether bytes are one value of this kind, alone and on one line. */
static int
on_relay_wrote(const char *data, size_t len, enum json_span_kind kind,
    struct json_span *value)
{
	return json_span_parse(data, len, value, NULL) == 0 &&
	    json_span_kind(*value) == kind && memchr(data, '\n', len) == NULL &&
	    memchr(data, '\r', len) == NULL;
}

/* A request whose parts are passed on to a server. */
struct on_relay_call {
	uint64_t id;
	const char *server;
	struct json_span name; /* of the tool, or of what is asked for */
	const struct method *method; /* of ASK_SERVER */
	struct json_span object; /* the arguments, in data */
	char *data;
};

static struct json_span
on_relay_span(struct ipc_bytes bytes)
{
	return (struct json_span){ (const char *)bytes.data, bytes.len };
}

/*
 * Checks the parts of a call. Returns 0, with its arguments, which the caller
 * frees, or -1: the channel is broken.
 */
static int
on_relay_read(struct grant *grant, struct on_relay_call *call,
    struct ipc_blob *arguments)
{
	struct json_span name;
	struct err err;

	call->data = ipc_blob_copy(arguments, &err);
	if (call->data == NULL)
		err_wrap(&err, "the arguments cannot be parsed");
	else if (!on_relay_wrote(call->name.p, call->name.len,
	             JSON_SPAN_STRING, &name))
		err_set(&err, "the name of a tool is not a string");
	else if (!on_relay_wrote(call->data, arguments->len, JSON_SPAN_OBJECT,
	             &call->object))
		err_set(&err, "the arguments are not an object");
	else
		return 0;
	exchange_break(&grant->exchange, err.text);
	return -1;
}

/* Refuses a call of a tool that may not be used. Returns whether it did. */
static int
on_relay_refuse_tool(struct grant *grant, const struct on_relay_call *call,
    const struct server *server)
{
	auto_buffer struct buffer reason = { 0 };

	if (!call_is_barred(server, call->name, &reason))
		return 0;
	reason_fit(&reason);
	grant_refuse(grant, call->id, reason.data,
	    (struct json_span){ NULL, 0 });
	return 1;
}

/* Refuses a call for which there is no room. Returns whether it did. */
static int
on_relay_refuse_full(struct grant *grant, const struct on_relay_call *call,
    const struct server *server)
{
	auto_buffer struct buffer reason = { 0 };

	if (grant_has_room(grant, call->object.len))
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

/*
 * Returns the server of a permitted call, which refuse() does not refuse; NULL
 * if the call was refused.
 */
static struct server *
on_relay_find_called(struct grant *grant, const struct on_relay_call *call,
    int (*refuse)(struct grant *grant, const struct on_relay_call *call,
        const struct server *server))
{
	struct server *server;

	if (!grant_admit(grant, call->id))
		return NULL;
	server = grant_find(grant, call->id, call->server, 1);
	if (server != NULL && (refuse(grant, call, server) ||
	        on_relay_refuse_full(grant, call, server)))
		server = NULL;
	return server;
}

static void
on_relay_audit_refused(
    const struct grant *grant, const struct on_relay_call *call)
{
	struct audit *audit = grant->broker->audit;
	struct audit_call line = { .execution = grant->exchange.execution,
		.owner = grant->owner,
		.server = call->server,
		.tool = call->name,
		.arguments = call->object.len,
		.outcome = AUDIT_REFUSED };

	if (audit != NULL)
		audit_add(audit, &line);
}

void
broker_on_call_tool(struct grant *grant, struct ipc_call_tool *msg)
{
	struct on_relay_call call = { .id = msg->id, .server = msg->server,
		.name = on_relay_span(msg->tool) };
	struct server *server;

	if (on_relay_read(grant, &call, &msg->arguments) == 0) {
		server =
		    on_relay_find_called(grant, &call, on_relay_refuse_tool);
		if (server == NULL)
			on_relay_audit_refused(grant, &call);
		else
			call_begin(
			    grant, server, call.id, call.name, call.object);
	}
	free(call.data);
}

/* Refuses a request for what may not be used. Returns whether it did. */
static int
on_relay_refuse_other(struct grant *grant, const struct on_relay_call *call,
    const struct server *server)
{
	auto_buffer struct buffer reason = { 0 }, words = { 0 };

	if (call->method == NULL || method_lists(call->method) ||
	    !method_is_barred(call->method, &server->definition, call->name,
	        &words))
		return 0;
	definition_begin_reason(&server->definition, &reason);
	buffer_add_text(&reason, ": \"");
	reason_add_string(&reason, call->name, NULL);
	buffer_printf(&reason, "\"%s", words.data);
	reason_fit(&reason);
	grant_refuse(grant, call->id, reason.data,
	    (struct json_span){ NULL, 0 });
	return 1;
}

void
broker_on_ask_server(struct grant *grant, struct ipc_ask_server *msg)
{
	static const struct json_span none = { "\"\"", 2 };
	struct on_relay_call call = { .id = msg->id, .server = msg->server,
		.method = method_find(msg->what),
		.name = msg->name.len > 0 ? on_relay_span(msg->name) : none };
	auto_buffer struct buffer named = { 0 };
	struct server *server;

	if (on_relay_read(grant, &call, &msg->arguments) == 0) {
		server =
		    on_relay_find_called(grant, &call, on_relay_refuse_other);
		if (server != NULL) {
			call_ask(grant, server, call.id, call.method,
			    (struct json_span){ call.name.p, msg->name.len },
			    call.object);
		} else if (call.method != NULL) {
			json_add_text(&named, method_name(call.method));
			call.name = (struct json_span){ named.data, named.len };
			on_relay_audit_refused(grant, &call);
		}
	}
	free(call.data);
}

/* Its answer may already be on the way: then there is nothing to cancel. */
void
broker_on_cancel_call(struct grant *grant, struct ipc_cancel_call *cancel)
{
	grant_cancel(grant, cancel->id);
}

/* Tools of permitted servers can be listed; only calls require loading. */
void
broker_on_list_tools(struct grant *grant, struct ipc_list_tools *list)
{
	struct json_span name;
	struct server *server;
	struct ask *ask;

	if (list->tool.len > 0 && !on_relay_wrote((const char *)list->tool.data,
	        list->tool.len, JSON_SPAN_STRING, &name)) {
		exchange_break(&grant->exchange,
		    "the name of a tool is not a string");
		return;
	}
	if (!grant_admit(grant, list->id))
		return;
	server = grant_find(grant, list->id, list->server, 0);
	if (server == NULL)
		return;
	ask = grant_new_ask(grant, server, list->id, ASK_TOOLS);
	ask->declare = list->types != 0;
	buffer_add(&ask->tool, list->tool.data, list->tool.len);
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
