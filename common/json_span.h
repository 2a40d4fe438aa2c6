/*
 * JSON that is looked at where it lies: a strict RFC 8259 scanner that checks
 * that bytes are exactly one value (UTF-8, bounded depth, no trees, no
 * allocation) and gives the spans of its parts. What is only passed on is
 * spliced as bytes, so numbers, escapes, key order and duplicates stay as they
 * were. Used by supervisor, relay, broker, reader and store.
 */
#ifndef COMMON_JSON_SPAN_H
#define COMMON_JSON_SPAN_H

#include <stddef.h>

#include "err.h"

enum json_span_kind {
	JSON_SPAN_OBJECT,
	JSON_SPAN_ARRAY,
	JSON_SPAN_STRING,
	JSON_SPAN_NUMBER,
	JSON_SPAN_TRUE,
	JSON_SPAN_FALSE,
	JSON_SPAN_NULL,
};

/* The bytes of one value, borrowed, without white space around it. */
struct json_span {
	const char *p;
	size_t len;
};

/*
 * Checks that data is exactly one JSON value, white space around it allowed,
 * nested at most JSON_DEPTH_MAX deep, without raw NUL. Returns 0 and its span,
 * or -1 with err: what is wrong and at which byte ("… at byte 12", counted
 * from 1). Every function below takes spans that passed this check.
 */
int json_span_parse(
    const char *data, size_t len, struct json_span *value, struct err *err);

enum json_span_kind json_span_kind(struct json_span value);

/* Where a walk over an object or an array stands: what is still to come. */
struct json_span_walk {
	struct json_span rest;
};

/*
 * Starts a walk over an object or an array (an empty one over anything else).
 */
struct json_span_walk json_span_walk(struct json_span value);

/*
 * The next member of an object: name is the string with its quotes. Returns 1,
 * or 0 at the end.
 */
int json_span_next_member(struct json_span_walk *walk, struct json_span *name,
    struct json_span *value);

/* The next element of an array. Returns 1, or 0 at the end. */
int json_span_next_element(
    struct json_span_walk *walk, struct json_span *value);

/*
 * Finds the member called name (escapes in names are understood) of an object.
 * Returns how often it is there; value is the last one's when not 0. A value
 * that is not an object has no members.
 */
int json_span_get(
    struct json_span object, const char *name, struct json_span *value);

/* Whether value is a string equal to text (escapes are understood). */
int json_span_is(struct json_span value, const char *text);

/*
 * Decodes a string into bytes that the caller frees, with a NUL behind them;
 * the length goes to *len (a \u0000 is a NUL byte inside). Returns NULL with
 * err for a lone surrogate, which no UTF-8 can hold, and for another kind.
 */
char *json_span_string(struct json_span value, size_t *len, struct err *err);

/*
 * Copies a value to out (value.len bytes of room) with every raw newline and
 * carriage return between tokens made a space, so that it fits on a line.
 */
void json_span_copy_line(struct json_span value, char *out);

#endif
