/*
 * JSON-RPC 2.0 envelopes, parsed in place: the kind of a message and the spans
 * of its parts. Ids are kept as the received bytes. Used by supervisor and
 * broker; decides nothing.
 */
#ifndef COMMON_JSONRPC_H
#define COMMON_JSONRPC_H

#include "../base/buffer.h"
#include "json_span.h"

/* Error codes of JSON-RPC 2.0, section 5.1, that Caisson uses. */
#define JSONRPC_PARSE_ERROR (-32700)
#define JSONRPC_INVALID_REQUEST (-32600)
#define JSONRPC_METHOD_NOT_FOUND (-32601)
#define JSONRPC_INVALID_PARAMS (-32602)
#define JSONRPC_INTERNAL_ERROR (-32603)

/* The server's own: it is able to answer, but does not. */
#define JSONRPC_REFUSED (-32000)

enum jsonrpc_kind {
	JSONRPC_REQUEST,
	JSONRPC_NOTIFICATION,
	JSONRPC_RESPONSE,
	JSONRPC_INVALID, /* id is set if it could be read */
};

struct jsonrpc {
	enum jsonrpc_kind kind;
	struct json_span id;     /* len 0 if absent */
	struct json_span method; /* of requests and notifications */
	struct json_span params; /* len 0 if absent */
	/* Of responses: both as they are, and how often they occur. */
	struct json_span_member result;
	struct json_span_member error;
};

/*
 * Classifies one value that json_span_parse accepted. For JSONRPC_INVALID err
 * contains the fault.
 */
void jsonrpc_sort(
    struct json_span value, struct jsonrpc *message, struct err *err);

/*
 * Extracts the id of a message of which only the first and last bytes are
 * known. It is found if it is a complete member in the first bytes, or if only
 * plain values follow it; two different ids count as none. The result is
 * certain if the message is an object. Returns 1 and the span, or 0 and leaves
 * *id unchanged.
 */
int jsonrpc_glimpse_id(const char *head, size_t head_len, const char *tail,
    size_t tail_len, struct json_span *id);

/*
 * Like jsonrpc_glimpse_id, for a response. Returns 0 also if the text does not
 * start as an object (logs of messages contain ids, too), or if it has a method
 * (the id was then chosen by its sender).
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
