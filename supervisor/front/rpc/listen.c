/*
 * Subscriptions of a client: see rpc.h. The list of resources is the only one
 * that changes while the program runs.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "rpc.h"

/* The name in _meta of the id of a subscription. */
#define LISTEN_ID "io.modelcontextprotocol/subscriptionId"

struct listen {
	LIST_ENTRY(listen) entry;
	LIST_ENTRY(listen) all; /* in listen_all */
	struct mcp *mcp;
	struct context context; /* of its request */
	char *id; /* as received */
	size_t id_len;
	bool resources; /* tell of changes of the list of resources */
};

/* Over HTTP, each request has a connection of its own. */
static LIST_HEAD(, listen) listen_all = LIST_HEAD_INITIALIZER(listen_all);

static struct listen *
listen_find(struct mcp *mcp, struct json_span id)
{
	struct listen *listen;

	LIST_FOREACH (listen, &mcp->listens, entry)
		if (listen->id_len == id.len &&
		    memcmp(listen->id, id.p, id.len) == 0)
			return listen;
	return NULL;
}

static void
listen_free(struct listen *listen)
{
	LIST_REMOVE(listen, entry);
	LIST_REMOVE(listen, all);
	listen->mcp->nlistens--;
	free(listen->id);
	free(listen);
}

/* Sends a notification of this subscription; more: further members. */
static void
listen_notify(struct listen *listen, const char *method, const char *more)
{
	const struct json_span id = { listen->id, listen->id_len };
	struct buffer params = { 0 };

	buffer_printf(&params, "{\"_meta\":{\"" LISTEN_ID "\":%.*s}%s}",
	    (int)listen->id_len, listen->id, more);
	rpc_notify(listen->mcp->rpc, id, method, &params);
}

static void
listen_open(struct mcp *mcp, const struct context *context,
    struct json_span id, struct json_span wanted)
{
	struct listen *listen = mem_alloc(sizeof(*listen));
	struct json_span resources;

	listen->mcp = mcp;
	listen->context = *context;
	listen->id = mem_dup(id.p, id.len);
	listen->id_len = id.len;
	listen->resources =
	    json_span_get(wanted, "resourcesListChanged", &resources) == 1 &&
	    json_span_kind(resources) == JSON_SPAN_TRUE;
	LIST_INSERT_HEAD(&mcp->listens, listen, entry);
	LIST_INSERT_HEAD(&listen_all, listen, all);
	mcp->nlistens++;
	listen_notify(listen, "notifications/subscriptions/acknowledged",
	    listen->resources ?
	    ",\"notifications\":{\"resourcesListChanged\":true}" :
	    ",\"notifications\":{}");
}

/* Opens a subscription, which ends when the client cancels its request. */
void
listen_on_listen(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct json_span wanted;

	if (json_span_get(message->params, "notifications", &wanted) != 1 ||
	    json_span_kind(wanted) != JSON_SPAN_OBJECT)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
		    "subscriptions/listen needs params.notifications, an "
		    "object", NULL);
	else if (listen_find(mcp, message->id) != NULL)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_REQUEST,
		    "this id belongs to a subscription that is still open",
		    NULL);
	else if (mcp->nlistens == LISTENS_MAX)
		rpc_answer_error(mcp->rpc, message->id, JSONRPC_INTERNAL_ERROR,
		    "too many subscriptions are open: cancel one first", NULL);
	else
		listen_open(mcp, context, message->id, wanted);
}

int
listen_on_cancelled(struct mcp *mcp, const struct jsonrpc *message)
{
	struct listen *listen;
	struct json_span id;

	if (json_span_get(message->params, "requestId", &id) == 0)
		return 0;
	listen = listen_find(mcp, id);
	if (listen == NULL)
		return 0;
	listen_free(listen);
	return 1;
}

void
listen_on_files(struct mcp *mcp)
{
	struct listen *listen;

	/* A client that does not read learns of changes when it lists. */
	LIST_FOREACH (listen, &listen_all, all)
		if (listen->resources &&
		    listen->context.owner == mcp->session.owner &&
		    !rpc_busy(listen->mcp->rpc))
			listen_notify(listen,
			    "notifications/resources/list_changed", "");
}

void
listen_end_all(struct mcp *mcp)
{
	struct listen *listen;

	while ((listen = LIST_FIRST(&mcp->listens)) != NULL) {
		const struct json_span id = { listen->id, listen->id_len };
		struct buffer result = { 0 };

		buffer_printf(&result, "{\"_meta\":{\"" LISTEN_ID
		    "\":%.*s}}", (int)id.len, id.p);
		era_answer(mcp->rpc, &listen->context, id, &result,
		    ERA_NOT_CACHED);
		listen_free(listen);
	}
}

void
listen_forget_all(struct mcp *mcp)
{
	struct listen *listen;

	while ((listen = LIST_FIRST(&mcp->listens)) != NULL)
		listen_free(listen);
}
