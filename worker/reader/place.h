/*
 * The position of a byte in a text, as an editor shows it; and a file of
 * another format as JSON, with the position of each part in the file, so that
 * one reader of entries serves all formats. Pure; runs in the reader.
 */
#ifndef READER_PLACE_H
#define READER_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/base/buffer.h"

struct outline;

/* Both counted from 1, the column in characters. */
struct place {
	uint64_t line;
	uint64_t column;
};

/* A walk through a text, which continues from the last position. */
struct place_walk {
	const char *text;
	size_t len;
	size_t offset;
	struct place place;
};

/* Starts at the first byte. A byte order mark has no column. */
struct place_walk place_walk(const char *text, size_t len);

/*
 * Returns the position of the byte at offset, or of the end of the text if
 * offset is after it. Going forward costs the bytes in between, going back all
 * bytes before. A carriage return has no column: in a line end no character
 * follows it, and jsonc.h writes some in place of bytes without a column.
 */
struct place place_find(struct place_walk *walk, size_t offset);

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
	struct outline *outline; /* of its statements; NULL: not wanted */
};

/* Sets the position in the file of the JSON that is appended next. */
void translation_mark(struct translation *translation, struct place place);

/* Returns the position in the file of a byte of the JSON. */
struct place translation_place(
    const struct translation *translation, size_t at);

void translation_reset(struct translation *translation);

#endif
