/*
 * The statements of a TOML file: the bytes of each, and the server that it
 * belongs to. Pure; runs in the reader.
 */
#ifndef READER_OUTLINE_H
#define READER_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../common/base/buffer.h"

/* The table whose members are servers. */
#define OUTLINE_TABLE "mcp_servers"

/* A statement: whole lines. */
struct outline_line {
	size_t start;
	size_t end;
	bool header; /* [table] or [[array]] */
	int table;  /* it defines the table of servers as one value */
	char *name; /* the server it belongs to; NULL for none */
	size_t name_len;
};

/* All zeroes is an empty outline. */
struct outline {
	struct outline_line *lines;
	size_t count;
	size_t size;
	struct buffer path[2]; /* to the last value: its first two names */
	size_t depth; /* the number of names of the last header; 0: none yet */
	size_t now;   /* of the path */
	bool header;  /* the statement is one */
};

/* Begins a statement; then each name of its path is told, in order. */
void outline_begin(struct outline *outline, int header);
void outline_name(struct outline *outline, const struct buffer *name);

/*
 * Adds the statement from start up to end, both positions in correct TOML, end
 * at the end of a line.
 */
void outline_add(
    struct outline *outline, const char *text, size_t start, size_t end);

/*
 * Sets the next range of bytes, from line *n on, that belongs to a server, and
 * moves *n past it. Lines without a header are combined; a header includes
 * everything up to the last statement of its section, and the empty lines after
 * it. Returns 0 at the end.
 */
int outline_section(const struct outline *outline, const char *text, size_t len,
    const char *name, size_t name_len, size_t *n, size_t *start, size_t *end);

/* Returns whether the table of servers is one value, as in a = { … }. */
int outline_is_inline(const struct outline *outline);

/* Returns the first header of a server, or NULL. */
const struct outline_line *outline_first(const struct outline *outline);

void outline_reset(struct outline *outline);

#endif
