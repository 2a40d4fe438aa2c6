/*
 * JSON that is parsed in place: a strict RFC 8259 scanner checks that bytes are
 * exactly one value (UTF-8, bounded depth, no trees, no allocation) and returns
 * the spans of its parts. JSON that is only passed on is copied as bytes, so
 * numbers, escapes, key order and duplicates stay unchanged. Used by
 * supervisor, relay, broker, reader and store.
 */
#ifndef COMMON_JSON_SPAN_H
#define COMMON_JSON_SPAN_H

#include <stddef.h>

#include "../base/err.h"

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
 * Checks that data is exactly one JSON value, nested at most JSON_DEPTH_MAX
 * deep, without raw NUL; white space around it is allowed. Returns 0 and its
 * span, or -1 with err: the fault and its byte ("… at byte 12", counted from
 * 1). All functions below require spans that passed this check.
 */
int json_span_parse(
    const char *data, size_t len, struct json_span *value, struct err *err);

enum json_span_kind json_span_kind(struct json_span value);

/* The position of a walk over an object or an array: the remaining bytes. */
struct json_span_walk {
	struct json_span rest;
};

/*
 * Starts a walk over an object or an array; over any other value it is empty.
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
 * Finds the member called name of an object; escapes in names are decoded.
 * Returns how often it occurs; value is the last one unless it returns 0. A
 * value that is not an object has no members.
 */
int json_span_get(
    struct json_span object, const char *name, struct json_span *value);

/* A member that json_span_members() looks for: its name is set before. */
struct json_span_member {
	const char *name;
	struct json_span value; /* the last one; len 0 if there is none */
	int count;              /* how often it occurs */
};

/*
 * Finds several members of an object at once, as json_span_get() does: the
 * object is walked over only once, whatever its size.
 */
void json_span_members(struct json_span object,
    struct json_span_member *members, size_t count);

/* Whether value is a string equal to text; escapes are decoded. */
int json_span_is(struct json_span value, const char *text);

/*
 * Decodes a string into bytes that the caller frees, terminated by a NUL;
 * stores the length in *len (\u0000 becomes a NUL byte). Returns NULL with err
 * for a lone surrogate, which UTF-8 cannot represent, and for a value that is
 * not a string.
 */
char *json_span_string(struct json_span value, size_t *len, struct err *err);

/*
 * Copies a value to out (value.len bytes of room) with the escapes of all its
 * strings decoded, for a search: it is no JSON then. A lone surrogate stays as
 * it is written. Returns the length.
 */
size_t json_span_decode(struct json_span value, char *out);

/*
 * Copies a value to out (value.len bytes of room) on one line: every newline
 * and carriage return between tokens becomes a space.
 */
void json_span_copy_line(struct json_span value, char *out);

#endif
