/*
 * A request of a client about its files or outputs, which other processes keep,
 * or about the configuration, which they read. Requests wait in a queue; only a
 * few of an owner run at a time.
 */
#ifndef SUPERVISOR_RESOURCE_REQUEST_H
#define SUPERVISOR_RESOURCE_REQUEST_H

#include "../../../common/stored_kind.h"
#include "../../peers/files.h"
#include "../../peers/store.h"
#include "../../servers/in_force/in_force.h"
#include "../rpc/rpc.h"

struct resource_request {
	TAILQ_ENTRY(resource_request) entry; /* in mcp->reads */
	TAILQ_ENTRY(resource_request) all;
	struct mcp *mcp;
	struct context context;
	struct rpc_batch *batch; /* its batch, or NULL */
	char *id; /* as received */
	size_t id_len;
	/* Starts it, when it is its turn; with owner and files. */
	void (*begin)(struct resource_request *request);
	long cache_ms; /* see rpc.h; 0: code can add files at any time */
	bool begun;
	struct files_task *task; /* NULL: ended, or not begun */
	struct store_task *reading; /* the same, of an output */
	struct in_force_waiter configured; /* without ctx: it does not wait */
	struct buffer result; /* the result so far */
	/* Of the handler that made it; freed with it: */
	char *uri; /* as received */
	size_t uri_len;
	char *conversation; /* id of that of the file; NULL: none */
	char *name;
	uint64_t version;
	size_t count;
	bool textual; /* the file has a type of text */
	enum output_part part; /* what is read of an execution */
	int done;  /* the result has all that it must have */
	char *why; /* why it failed, one sentence; or NULL */
};

/*
 * Returns a request that begin will start. It ends with resource_request_answer
 * or resource_request_refuse.
 */
struct resource_request *resource_request_new(struct mcp *mcp,
    const struct context *context, const struct jsonrpc *message,
    void (*begin)(struct resource_request *request));

/* Adds it to the queue, or refuses it if that is full. */
void resource_request_admit(struct resource_request *request);

/*
 * Admits a request that is answered by ready, from its result, when the
 * configuration is current: perhaps before this function returns.
 */
void resource_request_configure(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message, void (*ready)(void *request));

/* Answers it with its result, and frees it. */
void resource_request_answer(struct resource_request *request);

/* Answers it with an error, and frees it. */
void resource_request_refuse(
    struct resource_request *request, int code, const char *why);

/* Starts waiting requests: called after each end of a task. */
void resource_request_go_on(struct mcp *mcp);

/* Frees waiting requests without an answer, at the end of the session. */
void resource_request_forget_all(struct mcp *mcp);

#endif
