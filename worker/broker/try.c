/*
 * A TRY: the supervisor requests the tools of a server, or the reason why they
 * cannot be listed.
 */
#include <string.h>

#include "../../common/base/log.h"
#include "broker.h"
#include "state/state.h"
#include "link/link.h"
#include "tools/tools.h"

static void
try_send(struct broker *broker, struct ipc_tried *tried)
{
	struct err err;

	if (channel_send_tried(broker->supervisor, tried, &err) == -1)
		fatal("cannot report the result of a TRY: %s", err.text);
}

static void
try_send_reason(struct broker *broker, const char *name, const char *reason)
{
	struct ipc_tried tried = { .name = name, .reason = reason };

	try_send(broker, &tried);
}

static void
try_answer(const struct ask *ask, const char *json, size_t len)
{
	const struct buffer list = { (char *)json, len, 0 };
	auto_buffer struct buffer names = { 0 }, destructive = { 0 };
	struct ipc_tried tried = { .name = ask->definition->name,
		.reason = "" };

	tried.count = tools_names(&list, &names);
	tried.bytes = tools_size(&list);
	tried.more_destructive = tools_destructive(&list, &destructive);
	tried.destructive = (struct ipc_bytes){
		(const uint8_t *)destructive.data, destructive.len };
	tried.tools = (struct ipc_blob){ (const uint8_t *)names.data,
		names.len, -1 };
	try_send(ask->broker, &tried);
}

/* Returns the reason without the name of the server, which precedes it. */
static const char *
try_skip_name(const struct definition *definition, const char *reason)
{
	auto_buffer struct buffer name = { 0 };

	definition_begin_reason(definition, &name);
	buffer_add_text(&name, " ");
	return strncmp(reason, name.data, name.len) == 0 ?
	    reason + name.len : reason;
}

static void
try_refuse(const struct ask *ask, const char *reason, struct json_span)
{
	try_send_reason(ask->broker, ask->definition->name,
	    try_skip_name(ask->definition, reason));
}

void
try_server(struct broker *broker, const char *name)
{
	static const struct ask_ends ends = { try_answer, try_refuse, NULL,
		NULL };
	struct server *server = server_find(broker, "", name);

	if (server == NULL)
		try_send_reason(broker, name, "there is no such server");
	else
		server_ask(server, server_new_ask(server, &ends, 0, ASK_TOOLS));
}
