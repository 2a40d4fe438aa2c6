/*
 * One connection's requests: collects a head, then its body, by its length or
 * chunk by chunk. Bytes are taken as they come, in any pieces, with the same
 * result; at most one head and one body are held.
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

struct http_parser {
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

struct http_parser *
http_parser_new(size_t max_body)
{
	struct http_parser *parser = mem_alloc(sizeof(*parser));

	parser->max_body = max_body;
	return parser;
}

void
http_parser_free(struct http_parser **parserp)
{
	struct http_parser *parser = mem_take(parserp);

	if (parser == NULL)
		return;
	http_parser_next(parser);
	free(parser->why);
	free(parser);
}

void
http_parser_next(struct http_parser *parser)
{
	http_head_free(&parser->head);
	buffer_reset(&parser->line);
	buffer_reset(&parser->body);
	parser->empty = 0;
	parser->part = HTTP_PART_HEAD;
}

const struct http_head *
http_parser_head(const struct http_parser *parser)
{
	return &parser->head;
}

struct buffer *
http_parser_body(struct http_parser *parser)
{
	return &parser->body;
}

const struct http_fault *
http_parser_fault(const struct http_parser *parser)
{
	return &parser->fault;
}

int
http_parser_ended(const struct http_parser *parser)
{
	return parser->part == HTTP_PART_END;
}

int
http_parser_begun(const struct http_parser *parser)
{
	return parser->part != HTTP_PART_HEAD || parser->line.len > 0;
}

static enum http_state
http_parser_fail(struct http_parser *parser, int status, const char *reason)
{
	parser->fault = (struct http_fault){ .status = status,
		.reason = reason };
	parser->part = HTTP_PART_BAD;
	return HTTP_BAD;
}

/* The limit follows from the setting: see http_open. */
static enum http_state
http_parser_fail_large(struct http_parser *parser)
{
	free(parser->why);
	parser->why = mem_printf("the body of the request is too large: at "
	    "most %zu bytes are read; the setting max_code raises this limit",
	    parser->max_body);
	return http_parser_fail(parser, 413, parser->why);
}

/*
 * Adds bytes up to and with the next LF, at most so many that the line has max
 * bytes. Returns 1 if it is complete, 0 if not, -1 if it is too long.
 */
static int
http_parser_line(struct http_parser *parser, const char *data, size_t len,
    size_t max, size_t *used)
{
	size_t room = max - parser->line.len;
	const char *lf = memchr(data, '\n', len);
	size_t n = lf == NULL ? len : (size_t)(lf - data) + 1;

	*used = n < room ? n : room;
	buffer_add(&parser->line, data, *used);
	if (n > room)
		return -1;
	return lf != NULL;
}

/* Returns whether the line just completed is the empty one. */
static int
http_parser_is_empty(const struct buffer *line)
{
	return line->len == 2 ||
	    (line->len > 3 &&
	        memcmp(line->data + line->len - 4, "\r\n", 2) == 0);
}

/* The head */

static enum http_state
http_parser_begin_body(struct http_parser *parser)
{
	const struct http_head *head = &parser->head;

	buffer_reset(&parser->line);
	if (head->length > parser->max_body &&
	    !route_streams(head->method, head->target))
		return http_parser_fail_large(parser);
	parser->left = head->length;
	if (head->chunked)
		parser->part = HTTP_PART_SIZE;
	else
		parser->part =
		    head->length > 0 ? HTTP_PART_LENGTH : HTTP_PART_END;
	return HTTP_HEAD;
}

/*
 * Returns whether a request can begin so, or an empty line. What begins TLS
 * cannot, and its client would wait for an answer.
 */
static int
http_parser_can_begin(char c)
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
http_parser_read_head(struct http_parser *parser, const char *data,
    size_t len, size_t *used)
{
	struct buffer *line = &parser->line;
	int done = http_parser_line(parser, data, len, HTTP_HEAD_MAX, used);
	struct http_fault fault;

	if (line->len > 0 && !http_parser_can_begin(line->data[0]))
		return http_parser_fail(
		    parser, 400, "the first line is not one of HTTP");
	if (done == -1)
		return http_parser_fail(parser, 431,
		    "the fields of the request are too long");
	if (done == 0)
		return HTTP_MORE;
	if (line->len < 2 || line->data[line->len - 2] != '\r')
		return http_parser_fail(parser, 400,
		    "a line of the request does not end with CR LF");
	if (line->len == 2) {
		buffer_reset(line);
		if (++parser->empty > HTTP_EMPTY_LINES_MAX)
			return http_parser_fail(parser, 400,
			    "too many empty lines are before the request");
		return HTTP_MORE;
	}
	if (!http_parser_is_empty(line))
		return HTTP_MORE;
	if (http_head_read(&parser->head, line->data, line->len, &fault) == -1)
		return http_parser_fail(parser, fault.status, fault.reason);
	return http_parser_begin_body(parser);
}

/* The body */

static enum http_state
http_parser_read_bytes(struct http_parser *parser, const char *data,
    size_t len, enum http_part next, size_t *used)
{
	*used = len < parser->left ? len : (size_t)parser->left;
	buffer_add(&parser->body, data, *used);
	parser->left -= *used;
	if (parser->left == 0)
		parser->part = next;
	return HTTP_MORE;
}

/* Returns the value of a digit, or -1. */
static int
http_parser_digit(char c)
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
http_parser_parse_size(const struct buffer *line, uint64_t *size)
{
	size_t i;

	*size = 0;
	if (line->len < 3 || line->data[line->len - 2] != '\r')
		return -1;
	for (i = 0; i < line->len - 2; i++) {
		if (http_parser_digit(line->data[i]) == -1)
			return -1;
		*size = *size * 16 +
		    (uint64_t)http_parser_digit(line->data[i]);
	}
	return 0;
}

static enum http_state
http_parser_read_size(struct http_parser *parser, const char *data,
    size_t len, size_t *used)
{
	int done = http_parser_line(parser, data, len, HTTP_CHUNK_LINE_MAX,
	    used);

	if (done == 0)
		return HTTP_MORE;
	if (done == -1 ||
	    http_parser_parse_size(&parser->line, &parser->left) == -1)
		return http_parser_fail(parser, 400,
		    "a chunk does not begin with its size and CR LF");
	buffer_reset(&parser->line);
	if (parser->left > parser->max_body - parser->body.len)
		return http_parser_fail_large(parser);
	parser->part =
	    parser->left == 0 ? HTTP_PART_TRAILER_END : HTTP_PART_CHUNK;
	return HTTP_MORE;
}

/* Trailers, which could carry any field, are refused. */
static enum http_state
http_parser_read_end(struct http_parser *parser, const char *data, size_t len,
    enum http_part next, size_t *used)
{
	int done = http_parser_line(parser, data, len, 2, used);

	if (done == 0)
		return HTTP_MORE;
	if (done == -1 || parser->line.len != 2 || parser->line.data[0] != '\r')
		return http_parser_fail(
		    parser, 400, "a chunk does not end with CR LF");
	buffer_reset(&parser->line);
	parser->part = next;
	return HTTP_MORE;
}

/* Reads a part, or a piece of it. */
static enum http_state
http_parser_step(struct http_parser *parser, const char *data, size_t len,
    size_t *used)
{
	switch (parser->part) {
	case HTTP_PART_HEAD:
		return http_parser_read_head(parser, data, len, used);
	case HTTP_PART_LENGTH:
		return http_parser_read_bytes(
		    parser, data, len, HTTP_PART_END, used);
	case HTTP_PART_SIZE:
		return http_parser_read_size(parser, data, len, used);
	case HTTP_PART_CHUNK:
		return http_parser_read_bytes(
		    parser, data, len, HTTP_PART_CHUNK_END, used);
	case HTTP_PART_CHUNK_END:
		return http_parser_read_end(
		    parser, data, len, HTTP_PART_SIZE, used);
	case HTTP_PART_TRAILER_END:
		return http_parser_read_end(
		    parser, data, len, HTTP_PART_END, used);
	default:
		return HTTP_BAD;
	}
}

enum http_state
http_parser_read(struct http_parser *parser, const char *data, size_t len,
    size_t *used)
{
	enum http_state state = HTTP_MORE;
	size_t n;

	*used = 0;
	while (state == HTTP_MORE) {
		if (parser->part == HTTP_PART_END)
			return HTTP_END;
		if (*used == len && parser->part != HTTP_PART_BAD)
			return HTTP_MORE;
		n = 0;
		state = http_parser_step(parser, data + *used, len - *used, &n);
		*used += n;
	}
	return state;
}
