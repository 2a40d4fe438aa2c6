/*
 * Lines and columns, also of translated files: see place.h. Runs in the reader,
 * on hostile bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
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

void
translation_mark(struct translation *translation, struct place place)
{
	if (translation->count == translation->size) {
		translation->size = translation->size * 2 + 64;
		translation->marks = mem_resize(translation->marks,
		    translation->size * sizeof(*translation->marks));
	}
	translation->marks[translation->count++] =
	    (struct translation_mark){ translation->json.len, place };
}

struct place
translation_place(const struct translation *translation, size_t at)
{
	size_t low = 0, high = translation->count, middle;

	/* The last mark that is not after it. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (translation->marks[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? (struct place){ 1, 1 } :
	    translation->marks[low - 1].place;
}

void
translation_reset(struct translation *translation)
{
	buffer_reset(&translation->json);
	free(translation->marks);
	memset(translation, 0, sizeof(*translation));
}
