/*
 * Requests of HTTP/1.1 as a client sends them (RFC 9110, RFC 9112), read
 * strictly: what two servers could understand differently is refused, so that a
 * proxy before this one and the gateway agree on where each request ends. A
 * fault ends the connection, as the next request cannot be found after it. Pure
 * code without descriptors.
 */
#ifndef WORKER_GATEWAY_HTTP_H
#define WORKER_GATEWAY_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../common/base/buffer.h"

/* The fields that the gateway uses: http_fields.def, one row each. */
enum http_field {
#define HTTP_FIELD(NAME, name, list) HTTP_##NAME,
#include "http_fields.def"
	HTTP_FIELDS
};

/* The head of a request: its first line and its fields. */
struct http_head {
	char *method;
	bool minor;    /* of the version: HTTP/1.0 or HTTP/1.1 */
	char *target; /* begins with a slash; visible ASCII */
	/*
	 * The values, without the space around them, NULL for absent fields:
	 * visible ASCII, spaces, tabs, and bytes above 127. A list that was
	 * sent in several fields is joined with ", ".
	 */
	char *fields[HTTP_FIELDS];
	bool chunked;     /* the body consists of chunks */
	uint64_t length; /* of the body, if it does not; 0 for none */
	bool last;       /* no other request may follow on this connection */
	bool expects;     /* the client waits for "100 Continue" */
};

/* Why a request is refused: the status, and a sentence without a dot. */
struct http_fault {
	int status;
	const char *reason; /* static, or of the parser or of route.h */
	const char *flag;  /* which would allow it; NULL: none */
	const char *value; /* of that flag; borrowed from the head */
};

/* http_head.c */

/*
 * Reads a head: len bytes, from the first line to the empty line, both
 * included. Fills *head, which the caller frees with http_head_free, also after
 * a failure. Returns 0, or -1 with *fault.
 */
int http_head_read(struct http_head *head, const char *bytes, size_t len,
    struct http_fault *fault);

/* Frees its strings; all zeroes is an empty head. */
void http_head_free(struct http_head *head);

/*
 * Returns whether a list of elements, separated by commas, has this one (ASCII,
 * any case); parameters after a semicolon are ignored, except that an element
 * with "q=0" is not there. NULL is an empty list.
 */
int http_list_has(const char *list, const char *element);

/*
 * Finds the part of a file of size bytes that the value of Range, which may be
 * NULL, asks for. Returns 1 with *from and *len; 0 for the whole file, also if
 * it asks for several parts or something else; -1 if there is no such part.
 */
int http_range(const char *range, uint64_t size, uint64_t *from, uint64_t *len);

/* http_parser.c: one connection. */

struct http_parser;

/* max_body is the largest body, in bytes. Freed by http_parser_free. */
struct http_parser *http_parser_new(size_t max_body);
void http_parser_free(struct http_parser **parser);

enum http_state {
	HTTP_MORE, /* all bytes are used: more are needed */
	HTTP_HEAD, /* the head was read; the body may follow */
	HTTP_END,  /* the request is complete */
	HTTP_BAD,  /* there is a fault: nothing more can be read */
};

/*
 * Reads from len bytes and sets *used to how many it took. After HTTP_HEAD it
 * is called again with the rest, also if that is empty; after HTTP_END, once
 * http_parser_next was called.
 */
enum http_state http_parser_read(struct http_parser *parser, const char *data,
    size_t len, size_t *used);

/* Valid from HTTP_HEAD until http_parser_next. */
const struct http_head *http_parser_head(const struct http_parser *parser);

/* The body so far, which may be taken. */
struct buffer *http_parser_body(struct http_parser *parser);

/* Returns whether the present request was read to its end. */
int http_parser_ended(const struct http_parser *parser);

/* After HTTP_BAD. */
const struct http_fault *http_parser_fault(const struct http_parser *parser);

/* Returns whether the bytes of an incomplete request were read. */
int http_parser_begun(const struct http_parser *parser);

/* Begins the next request. */
void http_parser_next(struct http_parser *parser);

#endif
