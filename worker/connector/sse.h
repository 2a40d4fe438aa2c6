/*
 * Server-sent events (HTML, 9.2): bytes of a stream into events, wherever it is
 * cut. Runs in the connector; pure.
 */
#ifndef WORKER_CONNECTOR_SSE_H
#define WORKER_CONNECTOR_SSE_H

#include <stdbool.h>

#include "../../common/base/buffer.h"

/* The state of one stream. Begins with zeros; sse_reset frees it. */
struct sse {
	struct buffer line;  /* incomplete */
	struct buffer event; /* its type */
	struct buffer data;
	struct buffer id;    /* of the last event that had one; + NUL */
	unsigned long retry_ms; /* that the server asks for; 0: none */
	bool has_data;
	bool after_return; /* a newline that follows belongs to it */
	bool begun;        /* the mark of the byte order can no longer come */
};

/* An event: type is "message" unless it is named; data is borrowed. */
typedef void sse_on_event(
    void *ctx, const char *type, const char *data, size_t len);

/*
 * Reads bytes, and calls on_event for each event with data that they complete.
 * Returns 0, or -1 if a line or event has more than most bytes.
 */
int sse_feed(struct sse *sse, const char *bytes, size_t len, size_t most,
    sse_on_event *on_event, void *ctx);

void sse_reset(struct sse *sse);

#endif
