/*
 * Lines and columns: see place.h. Runs in the reader, on hostile bytes.
 */
#include <string.h>

#include "place.h"

struct place_walk
place_walk(const char *text, size_t len)
{
	struct place_walk walk = { text, len, 0, { 1, 1 } };

	return walk;
}

static void
place_step(struct place_walk *walk)
{
	unsigned char c = (unsigned char)walk->text[walk->offset++];

	/* Of a byte order mark, whose other two bytes have no column anyway. */
	if (walk->offset == 1 && walk->len >= 3 &&
	    memcmp(walk->text, "\xef\xbb\xbf", 3) == 0)
		return;
	if (c == '\n') {
		walk->place.line++;
		walk->place.column = 1;
	} else if (c != '\r' && (c & 0xc0) != 0x80) {
		walk->place.column++;
	}
}

struct place
place_find(struct place_walk *walk, size_t offset)
{
	if (offset > walk->len)
		offset = walk->len;
	if (offset < walk->offset)
		*walk = place_walk(walk->text, walk->len);
	while (walk->offset < offset)
		place_step(walk);
	return walk->place;
}
