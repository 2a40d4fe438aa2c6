/*
 * A file of another language as JSON, with the place in the file of whatever
 * stands in it, so that one reader of entries serves all languages. Pure; runs
 * in the reader.
 */
#ifndef READER_TRANSLATION_H
#define READER_TRANSLATION_H

#include "../../common/buffer.h"
#include "place.h"

/* From this byte of the JSON on, what is there stands here in the file. */
struct translation_mark {
	size_t at;
	struct place place;
};

/* All zeroes is an empty one. */
struct translation {
	struct buffer json;
	struct translation_mark *marks;
	size_t count;
	size_t size;
};

/* What is added to the JSON next stands at that place of the file. */
void translation_mark(struct translation *translation, struct place place);

/* Returns the place in the file of a byte of the JSON. */
struct place translation_place(
    const struct translation *translation, size_t at);

void translation_reset(struct translation *translation);

#endif
