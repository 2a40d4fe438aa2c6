/*
 * A file of another format as JSON, with the position of each part in the file,
 * so that one reader of entries serves all formats. Pure; runs in the reader.
 */
#ifndef READER_TRANSLATION_H
#define READER_TRANSLATION_H

#include "../../common/base/buffer.h"
#include "place.h"

/* From this byte of the JSON on, the text is from this position of the file. */
struct translation_mark {
	size_t at;
	struct place place;
};

/* All zeroes is an empty translation. */
struct translation {
	struct buffer json;
	struct translation_mark *marks;
	size_t count;
	size_t size;
};

/* Sets the position in the file of the JSON that is appended next. */
void translation_mark(struct translation *translation, struct place place);

/* Returns the position in the file of a byte of the JSON. */
struct place translation_place(
    const struct translation *translation, size_t at);

void translation_reset(struct translation *translation);

#endif
