/*
 * The sentences of refusals. They contain text of servers and code; each
 * foreign byte passes through here and is escaped so that it cannot control a
 * terminal or forge a line. Runs in the broker; pure functions over bytes.
 */
#ifndef WORKER_BROKER_REASON_H
#define WORKER_BROKER_REASON_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"

/*
 * Appends foreign bytes as text: invalid UTF-8 becomes U+FFFD, carriage returns
 * are dropped, and control and invisible characters (utf8_unseen) other than
 * newline and tab are escaped.
 */
void reason_add_text(struct buffer *reason, const char *data, size_t len);

/* Appends a name in quotes; newline and tab are escaped, too. */
void reason_add_name(struct buffer *reason, const char *name);

/* Appends to the name of a server that it was stopped, and why. */
void reason_add_stopped(struct buffer *reason, const char *why);

/* Appends a number of seconds with its unit: "2 seconds". */
void reason_add_seconds(struct buffer *reason, uint64_t seconds);

/*
 * Appends a JSON string as text, at most REFUSED_FOREIGN_MAX bytes of it; one
 * with a lone surrogate has its quotes. masks: what is not shown of it, in the
 * format of mask.h, or NULL.
 */
void reason_add_string(struct buffer *reason, struct json_span string,
    const struct buffer *masks);

/* Appends a JSON-RPC error object, masked: "message (code -32602)". */
void reason_add_error(struct buffer *reason, struct json_span error,
    const struct buffer *masks);

/* Cuts the sentence to the size of a refusal, in whole characters. */
void reason_fit(struct buffer *reason);

#endif
