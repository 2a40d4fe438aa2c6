/*
 * JSON-RPC 2.0 with one client: lines into messages, answers into lines, and
 * the batches of the one version of MCP that has them. It knows no method and
 * no transport. Runs in the supervisor.
 */
#ifndef SUPERVISOR_RPC_H
#define SUPERVISOR_RPC_H

#include <stddef.h>

#include "../../common/buffer.h"
#include "../../common/json_span.h"
#include "../../common/jsonrpc.h"
#include "../../common/lines.h"
#include "front.h"

struct rpc;
struct rpc_batch;

/* What is done with messages; both are called with ctx. */
struct rpc_handlers {
	/* Answers message->id, now or later. */
	void (*request)(void *ctx, const struct jsonrpc *message);
	void (*notification)(void *ctx, const struct jsonrpc *message);
	void *ctx;
};

/*
 * Returns a session of this protocol: handlers and door are copied, max_code
 * (bytes) is what a line that is too long is told. Freed with rpc_free.
 */
struct rpc *rpc_new(const struct rpc_handlers *handlers,
    const struct mcp_door *door, size_t max_code);
void rpc_free(struct rpc **rpc);

/* Handles one line. */
void rpc_on_line(struct rpc *rpc, const struct line *line);

/* From now on a line may hold an array of messages, or (0) may not. */
void rpc_allow_batches(struct rpc *rpc, int allowed);

/* Whether the message that is being handled is one of a batch. */
int rpc_in_batch(const struct rpc *rpc);

/* Answers id with an error; data_json is one JSON value, or NULL. */
void rpc_answer_error(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json);

/* Sends result, whose bytes are freed, as the answer to id. */
void rpc_answer(struct rpc *rpc, struct json_span id, struct buffer *result);

/*
 * Sends a notification with params, whose bytes are freed: at once, and never
 * within a batch.
 */
void rpc_notify(struct rpc *rpc, const char *method, struct buffer *params);

/*
 * For an answer that is given later: keeps open the batch that is being
 * handled. Returns it, or NULL when there is none; it belongs to the caller
 * until one of the functions below has had it.
 */
struct rpc_batch *rpc_batch_hold(struct rpc *rpc);

/*
 * As rpc_answer, for a request that came in this batch (NULL: in none), which
 * is released. With a NULL result there is no answer.
 */
void rpc_batch_answer(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, struct buffer *result);

/* The same with an error, as rpc_answer_error. */
void rpc_batch_answer_error(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, int code, const char *message, const char *data_json);

/* The client is gone: releases it without sending anything. NULL is accepted.
 */
void rpc_batch_forget(struct rpc_batch *batch);

/* Whether so much is unsent that no new work should be accepted. */
int rpc_busy(const struct rpc *rpc);

#endif
