/*
 * JSON-RPC 2.0 envelopes, looked at where they lie: what kind of message a
 * line is and where its parts are. Ids are kept as the bytes they came in.
 * Used by supervisor and broker; decides nothing.
 */
#ifndef COMMON_JSONRPC_H
#define COMMON_JSONRPC_H

#include "buffer.h"
#include "json_span.h"

/* Error codes of JSON-RPC 2.0, section 5.1, as far as we give them. */
#define JSONRPC_PARSE_ERROR (-32700)
#define JSONRPC_INVALID_REQUEST (-32600)
#define JSONRPC_METHOD_NOT_FOUND (-32601)
#define JSONRPC_INVALID_PARAMS (-32602)
#define JSONRPC_INTERNAL_ERROR (-32603)

enum jsonrpc_kind {
	JSONRPC_REQUEST,
	JSONRPC_NOTIFICATION,
	JSONRPC_RESPONSE,
	JSONRPC_INVALID, /* id is set when it could be read */
};

struct jsonrpc {
	enum jsonrpc_kind kind;
	struct json_span id;     /* len 0 when there is none */
	struct json_span method; /* of requests and notifications */
	struct json_span params; /* len 0 when there are none */
};

/*
 * Sorts one value that json_span_parse accepted. For JSONRPC_INVALID err says
 * why.
 */
void jsonrpc_sort(
    struct json_span value, struct jsonrpc *message, struct err *err);

/*
 * Guesses the id of a message of which only the first and the last bytes are
 * known, where that is certain if it is an object at all: a member that is
 * whole in the first bytes, or one with none but plain values behind it. Two
 * different ids are none. Returns 1 and the span, or 0 and leaves *id alone.
 */
int jsonrpc_glimpse_id(const char *head, size_t head_len, const char *tail,
    size_t tail_len, struct json_span *id);

/*
 * As jsonrpc_glimpse_id, of a response: returns 0 also for what does not begin
 * as an object (logs of messages show their ids, too), or shows a method (the
 * id is its sender's then).
 */
int jsonrpc_glimpse_answered(const char *head, size_t head_len,
    const char *tail, size_t tail_len, struct json_span *id);

/* Appends an error response and a newline; an id of length 0 becomes null. */
void jsonrpc_add_error(struct buffer *buffer, struct json_span id, int code,
    const char *message, const char *data_json);

/* Appends a result response and a newline; result is JSON of one line. */
void jsonrpc_add_result(
    struct buffer *buffer, struct json_span id, const char *result);

#endif
