/*
 * Splits bytes into lines, with a limit: received bytes are appended, complete
 * lines are taken out. A line above the limit is discarded while it arrives and
 * then reported, so memory stays bounded. Used by supervisor, relay and broker.
 */
#ifndef COMMON_LINES_H
#define COMMON_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct lines;

/* Bytes kept of an oversized line at each end, for the error message. */
#define LINES_GLIMPSE 512

struct line {
	char *data; /* without the newline; borrowed until the next call */
	size_t len;
	/*
	 * Set for a line above the limit: data is then its first bytes, tail
	 * its last ones (at most LINES_GLIMPSE each, they may overlap), total
	 * its whole length. Otherwise tail is NULL, and total is len.
	 */
	bool oversized;
	const char *tail;
	size_t tail_len;
	size_t total;
};

/* max is the maximum length of a line, without its newline. */
struct lines *lines_new(size_t max);
void lines_free(struct lines **lines);

/*
 * Returns the address for bytes read from a descriptor and sets *room to their
 * maximum number (at least PIPE_CHUNK); lines_added reports how many were read.
 * Memory stays within max + PIPE_CHUNK bytes if all lines are taken before more
 * room is requested.
 */
char *lines_room(struct lines *lines, size_t *room);
void lines_added(struct lines *lines, size_t len);

/* Returns 1 and the next complete line, or 0 if there is none. */
int lines_next(struct lines *lines, struct line *line);

/* Whether the bytes of an incomplete line are waiting. */
int lines_pending(const struct lines *lines);

#endif
