/*
 * Fuzz target of common/base/lines: however the bytes are cut into pieces, the
 * lines are those that a plain search in the whole text finds. The first byte
 * chooses the limit, the second one the cutting.
 */
#include <string.h>

#include "common/base/lines.h"
#include "common/base/mem.h"
#include "fuzz.h"

/* The lines that must come, found one by one in the whole text. */
struct expected {
	const char *p;
	const char *end;
	size_t max;
};

static void
check_oversized(const struct line *line, const char *p, size_t len)
{
	size_t glimpse = len < LINES_GLIMPSE ? len : LINES_GLIMPSE;

	FUZZ_ASSERT(line->len == glimpse && line->tail_len == glimpse);
	FUZZ_ASSERT(memcmp(line->data, p, glimpse) == 0);
	FUZZ_ASSERT(memcmp(line->tail, p + len - glimpse, glimpse) == 0);
}

/* Compares a line with the next one that must come. */
static void
check_line(struct expected *e, const struct line *line)
{
	const char *p = e->p;
	const char *newline = memchr(p, '\n', (size_t)(e->end - p));
	size_t len;

	FUZZ_ASSERT(newline != NULL);
	len = (size_t)(newline - p);
	e->p = newline + 1;
	FUZZ_ASSERT(line->total == len);
	FUZZ_ASSERT(line->oversized == (len > e->max));
	if (line->oversized) {
		check_oversized(line, p, len);
		return;
	}
	FUZZ_ASSERT(line->len == len && memcmp(line->data, p, len) == 0);
}

/* Puts a piece in and takes lines out: all of them, or only some. */
static void
feed(struct lines *lines, struct expected *e, const char *data, size_t len,
    unsigned int take)
{
	struct line line;
	size_t room;
	char *p = lines_room(lines, &room);

	FUZZ_ASSERT(room >= len);
	memcpy(p, data, len);
	lines_added(lines, len);
	while (take-- > 0 && lines_next(lines, &line))
		check_line(e, &line);
}

/* The size of the next piece, made from the cutting and what was before. */
static size_t
piece(unsigned int *state)
{
	*state = *state * 1103515245 + 12345;
	if (*state >> 31)
		return 1 + (*state >> 16) % 7;
	return 1 + (*state >> 16) % 1500;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *data;
	struct lines *lines;
	struct expected e;
	unsigned int state;
	size_t n, len, done;
	int pending;

	if (size < 2)
		return 0;
	data = (const char *)bytes + 2;
	len = size - 2;
	state = bytes[1];
	e = (struct expected){ data, data + len, (size_t)bytes[0] * 6 };
	lines = lines_new(e.max);
	for (done = 0; done < len; done += n) {
		n = piece(&state);
		n = n < len - done ? n : len - done;
		/* Lines may also wait, where the cutting is odd. */
		feed(lines, &e, data + done, n,
		    bytes[1] & 1 && n % 3 ? 1 : (unsigned int)-1);
	}
	feed(lines, &e, data, 0, (unsigned int)-1);
	FUZZ_ASSERT(memchr(e.p, '\n', (size_t)(e.end - e.p)) == NULL);
	pending = e.p < e.end;
	FUZZ_ASSERT(lines_pending(lines) == pending);
	lines_free(&lines);
	return 0;
}
