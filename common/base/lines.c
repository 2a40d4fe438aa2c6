/*
 * Splits bytes into lines, with a limit: see lines.h. Linked into supervisor,
 * relay and broker; reads nothing itself. The cost is linear in the received
 * bytes: each is searched once for a newline, and only bytes received together
 * with the end of a line are moved.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../limits.h"
#include "lines.h"
#include "log.h"
#include "mem.h"

struct lines {
	size_t max;
	char *data;
	size_t size;
	size_t start;    /* of the bytes not returned yet */
	size_t searched; /* there is no newline before this */
	size_t end;

	/* The line above the limit, which is discarded while it arrives. */
	bool dropping;
	size_t total;
	char head[LINES_GLIMPSE];
	size_t head_len;
	char tail[LINES_GLIMPSE];
	size_t tail_len;
};

struct lines *
lines_new(size_t max)
{
	struct lines *lines = mem_alloc(sizeof(*lines));

	lines->max = max;
	return lines;
}

void
lines_free(struct lines **lines)
{
	if (*lines == NULL)
		return;
	free((*lines)->data);
	free(*lines);
	*lines = NULL;
}

static size_t
lines_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Moves the bytes not yet returned to the front. */
static void
lines_compact(struct lines *lines)
{
	if (lines->start == 0)
		return;
	lines->end -= lines->start;
	lines->searched -= lines->start;
	memmove(lines->data, lines->data + lines->start, lines->end);
	lines->start = 0;
}

static void
lines_resize(struct lines *lines, size_t size)
{
	lines->data = mem_resize(lines->data, size);
	lines->size = size;
}

/*
 * Doubles, but only up to the size of the longest line and a chunk (more is
 * needed only if lines were not taken).
 */
static void
lines_grow(struct lines *lines)
{
	size_t need = lines->end + PIPE_CHUNK, most = lines->max + PIPE_CHUNK;
	size_t size = 2 * lines->size;

	if (need <= most)
		size = lines_least(size, most);
	lines_resize(lines, size > need ? size : need);
}

char *
lines_room(struct lines *lines, size_t *room)
{
	/* Lines not yet taken are moved only if half of the room is free. */
	if (lines->start >= lines->size / 2)
		lines_compact(lines);
	if (lines->size - lines->end < PIPE_CHUNK)
		lines_grow(lines);
	*room = lines->size - lines->end;
	return lines->data + lines->end;
}

void
lines_added(struct lines *lines, size_t len)
{
	if (len > lines->size - lines->end)
		fatal("%zu bytes of lines in a room of %zu", len,
		    lines->size - lines->end);
	lines->end += len;
}

/*
 * Discards the next len bytes of a line above the limit, but keeps its first
 * and last bytes.
 */
static void
lines_drop(struct lines *lines, const char *data, size_t len)
{
	size_t head, tail, kept;

	if (!lines->dropping) {
		lines->dropping = true;
		lines->head_len = 0;
		lines->tail_len = 0;
		lines->total = 0;
	}
	head = lines_least(len, LINES_GLIMPSE - lines->head_len);
	memcpy(lines->head + lines->head_len, data, head);
	lines->head_len += head;
	tail = lines_least(len, LINES_GLIMPSE);
	kept = lines_least(lines->tail_len, LINES_GLIMPSE - tail);
	memmove(lines->tail, lines->tail + (lines->tail_len - kept), kept);
	memcpy(lines->tail + kept, data + (len - tail), tail);
	lines->tail_len = kept + tail;
	lines->total += len;
}

/*
 * All lines are taken: shrinks, so that an idle process keeps no large buffer.
 */
static int
lines_none(struct lines *lines)
{
	size_t need, left = lines->end - lines->start;

	if (left > 0 && (lines->dropping || left > lines->max)) {
		lines_drop(lines, lines->data + lines->start, left);
		lines->start = lines->end;
	}
	lines_compact(lines);
	lines->searched = lines->end;
	need = lines->end + PIPE_CHUNK;
	if (lines->size > LINES_SLACK * need)
		lines_resize(lines, need);
	return 0;
}

/* The discarded line has ended. */
static void
lines_report(struct lines *lines, struct line *line)
{
	line->data = lines->head;
	line->len = lines->head_len;
	line->oversized = true;
	line->tail = lines->tail;
	line->tail_len = lines->tail_len;
	line->total = lines->total;
	lines->dropping = false;
}

int
lines_next(struct lines *lines, struct line *line)
{
	size_t len, left = lines->end - lines->searched;
	char *newline = NULL;

	if (left > 0)
		newline = memchr(lines->data + lines->searched, '\n', left);
	if (newline == NULL)
		return lines_none(lines);
	*line = (struct line){ .data = lines->data + lines->start };
	len = (size_t)(newline - line->data);
	lines->start += len + 1;
	lines->searched = lines->start;
	if (lines->dropping || len > lines->max) {
		lines_drop(lines, line->data, len);
		lines_report(lines, line);
		return 1;
	}
	line->len = len;
	line->total = len;
	return 1;
}

int
lines_pending(const struct lines *lines)
{
	if (lines->end > lines->start)
		return lines->data[lines->end - 1] != '\n';
	return lines->dropping;
}
