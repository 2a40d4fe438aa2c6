/*
 * The statements of a TOML file: which bytes each has, and which server it is
 * about. Pure; runs in the reader.
 */
#ifndef READER_OUTLINE_H
#define READER_OUTLINE_H

#include <stddef.h>

#include "../../common/buffer.h"

/* The table whose members are servers. */
#define OUTLINE_TABLE "mcp_servers"

/* A statement: whole lines. */
struct outline_line {
	size_t start;
	size_t end;
	int header; /* [table] or [[array]] */
	int table;  /* it defines the table of servers as one value */
	char *name; /* of the server it is about; NULL: none */
	size_t name_len;
};

/* All zeroes is an empty one. */
struct outline {
	struct outline_line *lines;
	size_t count;
	size_t size;
	struct buffer path[2]; /* of the last header: its first two names */
	size_t depth; /* how many names that has; 0: no header yet */
};

/*
 * Adds the statement that begins at start and ends before end, both correct
 * TOML and the end that of a line.
 */
void outline_add(
    struct outline *outline, const char *text, size_t start, size_t end);

/*
 * Sets the next run of bytes, from line *n on, that belongs to a server, and
 * moves *n behind it. Lines without a header are taken together; a header
 * takes along all up to the last statement of its section, and the empty lines
 * behind. Returns 0 at the end.
 */
int outline_section(const struct outline *outline, const char *text,
    size_t len, const char *name, size_t name_len, size_t *n, size_t *start,
    size_t *end);

/* Returns whether the table of servers is one value, as in a = { … }. */
int outline_is_inline(const struct outline *outline);

/* Returns the first header of a server, or NULL. */
const struct outline_line *outline_first(const struct outline *outline);

void outline_reset(struct outline *outline);

#endif
