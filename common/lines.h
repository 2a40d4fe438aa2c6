/*
 * Bytes into lines, with a limit: what arrives is appended, complete lines are
 * taken out. A line above the limit is thrown away while it arrives and then
 * reported, so memory stays bounded whatever comes. Used by supervisor,
 * relay and broker.
 */
#ifndef COMMON_LINES_H
#define COMMON_LINES_H

#include <stddef.h>

struct lines;

/* How much of an oversized line is kept at each end, for its message. */
#define LINES_GLIMPSE 512

struct line {
	char *data; /* without the newline; borrowed until the next call */
	size_t len;
	/*
	 * Set for a line above the limit: data is then its first bytes, tail
	 * its last ones (LINES_GLIMPSE at most, they may overlap), total its
	 * whole length. Not set: tail is NULL, total is len.
	 */
	int oversized;
	const char *tail;
	size_t tail_len;
	size_t total;
};

/* max: the most bytes of a line, without its newline. */
struct lines *lines_new(size_t max);
void lines_free(struct lines **lines);

/*
 * Returns where bytes that are read from somewhere go and sets *room to how
 * many may come (PIPE_CHUNK at least); lines_added says how many came. Memory
 * stays within max + PIPE_CHUNK bytes as long as lines are taken, until there
 * is none, before more room is asked for.
 */
char *lines_room(struct lines *lines, size_t *room);
void lines_added(struct lines *lines, size_t len);

/* The next complete line. Returns 1, or 0 when there is none. */
int lines_next(struct lines *lines, struct line *line);

/* Whether bytes of an unfinished line are waiting. */
int lines_pending(const struct lines *lines);

#endif
