/* The queue of requests about files: see resource_request.h. */
#include <stdlib.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../rpc/rpc.h"
#include "resource_request.h"

/* Those of all sessions: an owner without sessions has one for each request. */
static TAILQ_HEAD(, resource_request) resource_request_all =
    TAILQ_HEAD_INITIALIZER(resource_request_all);

struct resource_request *
resource_request_new(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message,
    void (*begin)(struct resource_request *request))
{
	struct resource_request *request = mem_alloc(sizeof(*request));

	request->mcp = mcp;
	request->context = *context;
	request->begin = begin;
	request->id = mem_dup(message->id.p, message->id.len);
	request->id_len = message->id.len;
	request->batch = rpc_batch_hold(mcp->rpc);
	TAILQ_INSERT_TAIL(&mcp->reads, request, entry);
	TAILQ_INSERT_TAIL(&resource_request_all, request, all);
	context->owner->nreads++;
	return request;
}

static void
resource_request_free(struct resource_request *request)
{
	struct mcp *mcp = request->mcp;

	TAILQ_REMOVE(&mcp->reads, request, entry);
	TAILQ_REMOVE(&resource_request_all, request, all);
	request->context.owner->nreads--;
	request->context.owner->nreading -= (size_t)request->begun;
	files_forget(&request->task);
	store_forget(&request->reading);
	if (request->begun && request->configured.ctx != NULL)
		in_force_cancel(mcp->runs->config, &request->configured);
	buffer_reset(&request->result);
	free(request->id);
	free(request->uri);
	free(request->conversation);
	free(request->name);
	free(request->why);
	free(request);
}

void
resource_request_forget_all(struct mcp *mcp)
{
	struct resource_request *request;

	while ((request = TAILQ_FIRST(&mcp->reads)) != NULL) {
		rpc_batch_forget(request->batch);
		resource_request_free(request);
	}
	/* Others of the owner may have waited for these. */
	if (!mcp->runs->draining)
		resource_request_go_on(mcp);
}

void
resource_request_answer(struct resource_request *request)
{
	struct json_span id = { request->id, request->id_len };

	request->configured.ctx = NULL;
	request->context.era->complete(&request->result, request->cache_ms);
	rpc_batch_answer(
	    request->mcp->rpc, request->batch, id, &request->result);
	resource_request_free(request);
}

void
resource_request_refuse(
    struct resource_request *request, int code, const char *why)
{
	struct json_span id = { request->id, request->id_len };
	auto_buffer struct buffer data = { 0 };

	request->configured.ctx = NULL;
	if (request->uri != NULL)
		buffer_printf(&data, "{\"uri\":%.*s}", (int)request->uri_len,
		    request->uri);
	rpc_batch_answer_error(request->mcp->rpc, request->batch, id, code, why,
	    data.data);
	resource_request_free(request);
}

/* Returns the first request of an owner that has not begun, or NULL. */
static struct resource_request *
resource_request_next(const struct owner *owner)
{
	struct resource_request *request;

	TAILQ_FOREACH (request, &resource_request_all, all)
		if (!request->begun && request->context.owner == owner)
			return request;
	return NULL;
}

void
resource_request_go_on(struct mcp *mcp)
{
	struct owner *owner = mcp->session.owner;
	struct resource_request *request;

	while (owner->nreading < RESOURCES_AT_ONCE &&
	    (request = resource_request_next(owner)) != NULL) {
		request->begun = true;
		owner->nreading++;
		if (rpc_busy(request->mcp->rpc))
			resource_request_refuse(request,
			    JSONRPC_INTERNAL_ERROR, "too many answers are "
			    "waiting to be read by the client");
		else
			request->begin(request);
	}
}

void
resource_request_admit(struct resource_request *request)
{
	struct mcp *mcp = request->mcp;

	if (mcp->session.owner->nreads > RESOURCES_WAITING_MAX)
		resource_request_refuse(request, JSONRPC_INTERNAL_ERROR, "too "
		    "many requests for files are waiting: send fewer at once");
	else
		resource_request_go_on(mcp);
}

static void
resource_request_refresh(struct resource_request *request)
{
	in_force_refresh(request->mcp->runs->config, &request->configured);
}

void
resource_request_configure(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, void (*ready)(void *request))
{
	struct resource_request *request = resource_request_new(
	    mcp, context, message, resource_request_refresh);

	request->configured = (struct in_force_waiter){ .ready = ready,
		.ctx = request };
	request->cache_ms = MCP_CACHE_MS;
	resource_request_admit(request);
}
