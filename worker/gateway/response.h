/* The bytes of an answer. Pure code without descriptors. */
#ifndef WORKER_GATEWAY_RESPONSE_H
#define WORKER_GATEWAY_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../../common/base/buffer.h"

struct response {
	int status;
	bool minor;           /* of the version of HTTP of the request */
	bool last;           /* the connection is closed after it */
	uint64_t retry;      /* seconds for Retry-After; 0: none */
	const char *session; /* value of Mcp-Session-Id; empty: none */
	const char *target;  /* of the request; NULL: no head was read */
	const char *origin;  /* of the page that sent it, accepted; or NULL */
	bool authorized;      /* the request had the field Authorization */
	bool plain;          /* the body is text, not JSON */
	bool bodiless;       /* the request is HEAD: no body is sent */
	uint64_t whole;      /* for 416: bytes of the file */
	uint64_t version;   /* for 304: that of the file */
	time_t now;
};

/* Appends an answer with this body, which is JSON; len 0: without a body. */
void response_add(struct buffer *out, const struct response *response,
    const char *body, size_t len);

/* Appends one whose body is an error of JSON-RPC with this message. */
void response_add_error(struct buffer *out, const struct response *response,
    const char *message);

/* The part of a file that an answer has. */
struct response_file {
	uint64_t version;
	const char *type; /* media type */
	uint64_t size;    /* of the whole file */
	uint64_t from, len;
};

/* Appends the head of an answer with a file, of status 200 or 206. */
void response_add_file(struct buffer *out, const struct response *response,
    const struct response_file *file);

/* Appends the head of a stream of events. */
void response_add_stream(struct buffer *out, const struct response *response);

/*
 * Append an event (id: empty for none; data is one line), a sign of life, and
 * the end, in the form that response->minor requires.
 */
void response_add_event(struct buffer *out, const struct response *response,
    const char *id, const char *data, size_t len);
void response_add_alive(struct buffer *out, const struct response *response);
void response_add_end(struct buffer *out, const struct response *response);

#endif
