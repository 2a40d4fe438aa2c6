/*
 * The era of MCP whose sessions begin with a handshake (2024-11-05 to
 * 2025-11-25): initialize and ping.
 */
#include <stdbool.h>
#include <string.h>

#include "../servers/in_force/server_names.h"
#include "rpc/rpc.h"
#include "methods.h"
#include "resources/resource_request.h"
#include "resources/texts.h"

/* Error code of these versions (schema 2025-11-25): resource not found. */
#define ERA_INITIALIZE_NOT_FOUND (-32002)

/* Newest first; the first is offered if the client requests an unknown one. */
static const char *const era_initialize_versions[] = {
	"2025-11-25",
	"2025-06-18",
	"2025-03-26",
	"2024-11-05",
};

/* The only version in which a line may contain a batch. */
#define ERA_INITIALIZE_BATCHES "2025-03-26"
/* That of a request over HTTP without MCP-Protocol-Version, by 2025-11-25. */
#define ERA_INITIALIZE_ASSUMED "2025-03-26"

/* Results are complete as they are; clients do not store them. */
static void
era_initialize_complete(struct buffer *, long)
{
}

const struct era era_initialize = {
	.complete = era_initialize_complete,
	.not_found = ERA_INITIALIZE_NOT_FOUND,
	/* Few clients of these versions read a second page. */
	.page = 0,
	.has_session = true,
};

int
era_initialize_has(const char *version, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(era_initialize_versions) /
	    sizeof(era_initialize_versions[0]); i++)
		if (strlen(era_initialize_versions[i]) == len &&
		    memcmp(era_initialize_versions[i], version, len) == 0)
			return 1;
	return 0;
}

/* Returns the version of the session for the one that the client requests. */
static const char *
era_initialize_choose(struct json_span wanted)
{
	size_t n = sizeof(era_initialize_versions) /
	    sizeof(era_initialize_versions[0]);
	size_t i;

	for (i = 0; i < n; i++)
		if (json_span_is(wanted, era_initialize_versions[i]))
			return era_initialize_versions[i];
	return era_initialize_versions[0];
}

void
era_initialize_assume(struct mcp *mcp, const char *version, size_t len)
{
	size_t i = 0;

	if (len == 0)
		len = strlen(version = ERA_INITIALIZE_ASSUMED);
	while (strlen(era_initialize_versions[i]) != len ||
	    memcmp(era_initialize_versions[i], version, len) != 0)
		i++;
	mcp->session.version = era_initialize_versions[i];
}

/* Tells of the servers that there are. */
static void
era_initialize_answer(void *ctx)
{
	struct resource_request *request = ctx;
	struct mcp *mcp = request->mcp;

	texts_add_initialize(&request->result, mcp->session.version,
	    mcp_options(mcp), server_names_any(
	    mcp->runs->config, mcp->session.owner->allowed));
	resource_request_answer(request);
	runs_begin(mcp->runs);
	resource_request_go_on(mcp);
}

void
era_initialize_on_initialize(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span wanted = { NULL, 0 }, capabilities = { NULL, 0 };

	if (rpc_in_batch(mcp->rpc)) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_REQUEST,
		    "initialize must not be part of a batch", NULL);
		return;
	}
	if (json_span_get(message->params, "protocolVersion", &wanted) == 0 ||
	    json_span_kind(wanted) != JSON_SPAN_STRING) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "initialize needs params.protocolVersion, a string such "
		    "as \"2025-11-25\"", NULL);
		return;
	}
	mcp->session.version = era_initialize_choose(wanted);
	json_span_get(message->params, "capabilities", &capabilities);
	mcp->session.capabilities = context_capabilities(capabilities);
	rpc_allow_batches(mcp->rpc,
	    strcmp(mcp->session.version, ERA_INITIALIZE_BATCHES) == 0);
	resource_request_configure(
	    mcp, context, message, era_initialize_answer);
}

void
era_initialize_on_ping(struct mcp *mcp, const struct context *,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{}");
	rpc_answer(mcp->rpc, message->id, &result);
}

void
era_initialize_on_set_level(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span level = { NULL, 0 };
	unsigned int set = 0;

	if (message->params.len > 0 &&
	    json_span_get(message->params, "level", &level) == 1)
		set = severity_read(level);
	if (set == 0) {
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "level must be one of debug, info, notice, warning, error, "
		    "critical, alert and emergency", NULL);
		return;
	}
	mcp->session.log_level = set;
	era_initialize_on_ping(mcp, context, message);
}
