/*
 * JSON-RPC 2.0 with one client: converts lines to messages and answers to
 * lines, and handles batches, which one version of MCP has. It is independent
 * of methods and transports. Runs in the supervisor.
 */
#ifndef SUPERVISOR_RPC_H
#define SUPERVISOR_RPC_H

#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../../common/json/jsonrpc.h"
#include "../../../common/base/lines.h"

struct rpc;
struct rpc_ask;
struct rpc_batch;

/* The request that lines to the client belong to. */
struct mcp_about {
	/*
	 * Of a batch, that of one of its requests; len 0: of no request, or of
	 * one without a usable id.
	 */
	struct json_span id;
	int answers; /* nothing follows for this request; no line may come */
	int code;    /* of the error that answers it; 0: a result */
	int refused; /* the error was found before its method was called */
};

/* The connection of a session to its client; both are called with ctx. */
struct mcp_door {
	/* Sends whole lines, and empties the buffer. */
	void (*send)(void *ctx, struct buffer *lines,
	    const struct mcp_about *about);
	/* Returns whether the unsent output is too long to accept new work. */
	int (*busy)(void *ctx);
	void *ctx;
};

/* The handlers of messages; both are called with ctx. */
struct rpc_handlers {
	/* Answers message->id, now or later. */
	void (*request)(void *ctx, const struct jsonrpc *message);
	void (*notification)(void *ctx, const struct jsonrpc *message);
	void *ctx;
};

/*
 * Returns a session of this protocol. handlers and door are copied; max_code
 * (bytes) is named in the error for a line that is too long. Freed with
 * rpc_free.
 */
struct rpc *rpc_new(const struct rpc_handlers *handlers,
    const struct mcp_door *door, size_t max_code);
void rpc_free(struct rpc **rpc);

/*
 * Classifies a message of a client, as jsonrpc_sort does. An id of more than
 * CLIENT_ID_MAX is not valid, and not repeated.
 */
void rpc_sort(
    struct json_span value, struct jsonrpc *message, struct err *err);

/* Handles one line. */
void rpc_on_line(struct rpc *rpc, const struct line *line);

/* Handles one value of JSON: a message, or an array of messages. */
void rpc_on_value(struct rpc *rpc, struct json_span value);

/* Sets whether lines may contain an array of messages from now on. */
void rpc_allow_batches(struct rpc *rpc, int allowed);

/* Why an array of more than CLIENT_BATCH_MAX messages is refused. */
#define RPC_BATCH_TOO_LARGE                                                    \
	"too many messages in one batch: send them in several"

/* Returns how many messages an array has. */
size_t rpc_batch_count(struct json_span batch);

/* Returns whether the current message is part of a batch. */
int rpc_in_batch(const struct rpc *rpc);

/* Answers id with an error; data_json is one JSON value, or NULL. */
void rpc_answer_error(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json);

/* The same, for a fault that was found before its method was called. */
void rpc_refuse(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json);

/*
 * Sends result as the answer to id, and frees its bytes. NULL: the request gets
 * no answer.
 */
void rpc_answer(struct rpc *rpc, struct json_span id, struct buffer *result);

/*
 * Sends a notification with params, and frees their bytes: at once, and never
 * within a batch. id is that of the request it belongs to.
 */
void rpc_notify(struct rpc *rpc, struct json_span id, const char *method,
    struct buffer *params);

/*
 * Sends a request of ours with params, a JSON object of one line, while the
 * client's request id is unanswered (len 0: for none). answered is called once,
 * with the result, or with len 0 for an error; then the request is freed.
 * Returns the request, which the caller may cancel.
 */
struct rpc_ask *rpc_ask(struct rpc *rpc, struct json_span id,
    const char *method, const char *params,
    void (*answered)(void *ctx, struct json_span result), void *ctx);

/* Tells the client that an answer is not needed any more, and frees it. */
void rpc_ask_cancel(struct rpc *rpc, struct rpc_ask **ask);

/*
 * For an answer that is sent later: keeps the current batch open. Returns it,
 * or NULL if there is none. The caller owns it until it passes it to one of the
 * functions below.
 */
struct rpc_batch *rpc_batch_hold(struct rpc *rpc);

/*
 * As rpc_answer, for a request in this batch (NULL: in none), which is
 * released. With a NULL result no answer is sent.
 */
void rpc_batch_answer(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, struct buffer *result);

/* As rpc_batch_answer with an error, as rpc_answer_error. */
void rpc_batch_answer_error(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, int code, const char *message, const char *data_json);

/*
 * Releases it without an answer when the client has disconnected. NULL is
 * accepted.
 */
void rpc_batch_forget(struct rpc_batch *batch);

/* Returns whether the unsent output is too long to accept new work. */
int rpc_busy(const struct rpc *rpc);

#endif
