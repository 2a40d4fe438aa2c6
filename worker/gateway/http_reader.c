/*
 * One connection's requests: collects a head, then its body, by its length or
 * chunk by chunk. Bytes are taken as they come, in any pieces, with the same
 * result; at most one head and one body are held. Runs in the gateway.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "http.h"
#include "route.h"

/* The part of a request that is expected next. */
enum http_part {
	HTTP_PART_HEAD,
	HTTP_PART_LENGTH,      /* a body of known length */
	HTTP_PART_SIZE,        /* the line with the size of a chunk */
	HTTP_PART_CHUNK,       /* its bytes */
	HTTP_PART_CHUNK_END,   /* the CR LF after them */
	HTTP_PART_TRAILER_END, /* the empty line after the last chunk */
	HTTP_PART_END,
	HTTP_PART_BAD,
};

struct http_reader {
	size_t max_body;
	enum http_part part;
	struct buffer line; /* the head so far, or a line between chunks */
	struct http_head head;
	struct buffer body;
	unsigned int empty; /* lines before the request */
	uint64_t left; /* of the body, or of the chunk */
	struct http_fault fault;
	char *why; /* the reason of a fault that is computed, or NULL */
};

struct http_reader *
http_reader_new(size_t max_body)
{
	struct http_reader *reader = mem_alloc(sizeof(*reader));

	reader->max_body = max_body;
	return reader;
}

void
http_reader_free(struct http_reader **readerp)
{
	struct http_reader *reader = mem_take(readerp);

	if (reader == NULL)
		return;
	http_reader_next(reader);
	free(reader->why);
	free(reader);
}

void
http_reader_next(struct http_reader *reader)
{
	http_head_free(&reader->head);
	buffer_reset(&reader->line);
	buffer_reset(&reader->body);
	reader->empty = 0;
	reader->part = HTTP_PART_HEAD;
}

const struct http_head *
http_reader_head(const struct http_reader *reader)
{
	return &reader->head;
}

struct buffer *
http_reader_body(struct http_reader *reader)
{
	return &reader->body;
}

const struct http_fault *
http_reader_fault(const struct http_reader *reader)
{
	return &reader->fault;
}

int
http_reader_ended(const struct http_reader *reader)
{
	return reader->part == HTTP_PART_END;
}

int
http_reader_begun(const struct http_reader *reader)
{
	return reader->part != HTTP_PART_HEAD || reader->line.len > 0;
}

static enum http_state
http_reader_fail(struct http_reader *reader, int status, const char *reason)
{
	reader->fault = (struct http_fault){ .status = status,
		.reason = reason };
	reader->part = HTTP_PART_BAD;
	return HTTP_BAD;
}

/* The limit follows from the setting: see http_open. */
static enum http_state
http_reader_fail_large(struct http_reader *reader)
{
	free(reader->why);
	reader->why = mem_printf("the body of the request is too large: at "
	    "most %zu bytes are read; the setting max_code raises this limit",
	    reader->max_body);
	return http_reader_fail(reader, 413, reader->why);
}

/*
 * Adds bytes up to and with the next LF, at most so many that the line has max
 * bytes. Returns 1 if it is complete, 0 if not, -1 if it is too long.
 */
static int
http_reader_line(struct http_reader *reader, const char *data, size_t len,
    size_t max, size_t *used)
{
	size_t room = max - reader->line.len;
	const char *lf = memchr(data, '\n', len);
	size_t n = lf == NULL ? len : (size_t)(lf - data) + 1;

	*used = n < room ? n : room;
	buffer_add(&reader->line, data, *used);
	if (n > room)
		return -1;
	return lf != NULL;
}

/* Returns whether the line just completed is the empty one. */
static int
http_reader_is_empty(const struct buffer *line)
{
	return line->len == 2 ||
	    (line->len > 3 &&
	        memcmp(line->data + line->len - 4, "\r\n", 2) == 0);
}

/* The head */

static enum http_state
http_reader_begin_body(struct http_reader *reader)
{
	const struct http_head *head = &reader->head;

	buffer_reset(&reader->line);
	if (head->length > reader->max_body &&
	    !route_streams(head->method, head->target))
		return http_reader_fail_large(reader);
	reader->left = head->length;
	if (head->chunked)
		reader->part = HTTP_PART_SIZE;
	else
		reader->part =
		    head->length > 0 ? HTTP_PART_LENGTH : HTTP_PART_END;
	return HTTP_HEAD;
}

/*
 * Returns whether a request can begin so, or an empty line. What begins TLS
 * cannot, and its client would wait for an answer.
 */
static int
http_reader_can_begin(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '\r' ||
	    c == '\n';
}

/*
 * A line without CR is refused at once: its client may never send the empty
 * line that ends a head. A few empty lines before a request are skipped (RFC
 * 9112, section 2.2).
 */
static enum http_state
http_reader_read_head(struct http_reader *reader, const char *data,
    size_t len, size_t *used)
{
	struct buffer *line = &reader->line;
	int done = http_reader_line(reader, data, len, HTTP_HEAD_MAX, used);
	struct http_fault fault;

	if (line->len > 0 && !http_reader_can_begin(line->data[0]))
		return http_reader_fail(
		    reader, 400, "the first line is not one of HTTP");
	if (done == -1)
		return http_reader_fail(reader, 431,
		    "the fields of the request are too long");
	if (done == 0)
		return HTTP_MORE;
	if (line->len < 2 || line->data[line->len - 2] != '\r')
		return http_reader_fail(reader, 400,
		    "a line of the request does not end with CR LF");
	if (line->len == 2) {
		buffer_reset(line);
		if (++reader->empty > HTTP_EMPTY_LINES_MAX)
			return http_reader_fail(reader, 400,
			    "too many empty lines are before the request");
		return HTTP_MORE;
	}
	if (!http_reader_is_empty(line))
		return HTTP_MORE;
	if (http_head_read(&reader->head, line->data, line->len, &fault) == -1)
		return http_reader_fail(reader, fault.status, fault.reason);
	return http_reader_begin_body(reader);
}

/* The body */

static enum http_state
http_reader_read_bytes(struct http_reader *reader, const char *data,
    size_t len, enum http_part next, size_t *used)
{
	*used = len < reader->left ? len : (size_t)reader->left;
	buffer_add(&reader->body, data, *used);
	reader->left -= *used;
	if (reader->left == 0)
		reader->part = next;
	return HTTP_MORE;
}

/* Returns the value of a digit, or -1. */
static int
http_reader_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * RFC 9112, section 7.1. Extensions of chunks, which nothing uses and servers
 * read differently, are refused.
 */
static int
http_reader_parse_size(const struct buffer *line, uint64_t *size)
{
	size_t i;

	*size = 0;
	if (line->len < 3 || line->data[line->len - 2] != '\r')
		return -1;
	for (i = 0; i < line->len - 2; i++) {
		if (http_reader_digit(line->data[i]) == -1)
			return -1;
		*size = *size * 16 +
		    (uint64_t)http_reader_digit(line->data[i]);
	}
	return 0;
}

static enum http_state
http_reader_read_size(struct http_reader *reader, const char *data,
    size_t len, size_t *used)
{
	int done = http_reader_line(reader, data, len, HTTP_CHUNK_LINE_MAX,
	    used);

	if (done == 0)
		return HTTP_MORE;
	if (done == -1 ||
	    http_reader_parse_size(&reader->line, &reader->left) == -1)
		return http_reader_fail(reader, 400,
		    "a chunk does not begin with its size and CR LF");
	buffer_reset(&reader->line);
	if (reader->left > reader->max_body - reader->body.len)
		return http_reader_fail_large(reader);
	reader->part =
	    reader->left == 0 ? HTTP_PART_TRAILER_END : HTTP_PART_CHUNK;
	return HTTP_MORE;
}

/* Trailers, which could carry any field, are refused. */
static enum http_state
http_reader_read_end(struct http_reader *reader, const char *data, size_t len,
    enum http_part next, size_t *used)
{
	int done = http_reader_line(reader, data, len, 2, used);

	if (done == 0)
		return HTTP_MORE;
	if (done == -1 || reader->line.len != 2 ||
	    reader->line.data[0] != '\r')
		return http_reader_fail(
		    reader, 400, "a chunk does not end with CR LF");
	buffer_reset(&reader->line);
	reader->part = next;
	return HTTP_MORE;
}

/* Reads a part, or a piece of it. */
static enum http_state
http_reader_step(struct http_reader *reader, const char *data, size_t len,
    size_t *used)
{
	switch (reader->part) {
	case HTTP_PART_HEAD:
		return http_reader_read_head(reader, data, len, used);
	case HTTP_PART_LENGTH:
		return http_reader_read_bytes(
		    reader, data, len, HTTP_PART_END, used);
	case HTTP_PART_SIZE:
		return http_reader_read_size(reader, data, len, used);
	case HTTP_PART_CHUNK:
		return http_reader_read_bytes(
		    reader, data, len, HTTP_PART_CHUNK_END, used);
	case HTTP_PART_CHUNK_END:
		return http_reader_read_end(
		    reader, data, len, HTTP_PART_SIZE, used);
	case HTTP_PART_TRAILER_END:
		return http_reader_read_end(
		    reader, data, len, HTTP_PART_END, used);
	default:
		return HTTP_BAD;
	}
}

enum http_state
http_reader_read(struct http_reader *reader, const char *data, size_t len,
    size_t *used)
{
	enum http_state state = HTTP_MORE;
	size_t n;

	*used = 0;
	while (state == HTTP_MORE) {
		if (reader->part == HTTP_PART_END)
			return HTTP_END;
		if (*used == len && reader->part != HTTP_PART_BAD)
			return HTTP_MORE;
		n = 0;
		state = http_reader_step(
		    reader, data + *used, len - *used, &n);
		*used += n;
	}
	return state;
}
