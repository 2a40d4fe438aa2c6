/*
 * Where a byte stands in a text, as an editor shows it. Pure; runs in the
 * reader.
 */
#ifndef READER_PLACE_H
#define READER_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* Both counted from 1, the column in characters. */
struct place {
	uint64_t line;
	uint64_t column;
};

/* A walk through a text, which goes on from the place that it has found. */
struct place_walk {
	const char *text;
	size_t len;
	size_t offset;
	struct place place;
};

/* Starts at the first byte. A byte order mark takes no place. */
struct place_walk place_walk(const char *text, size_t len);

/*
 * Returns the place of the byte at offset, or of the end of the text where
 * offset is behind it. Going forward costs what is between, going back all
 * that is before. A carriage return takes no place: in a line end nothing
 * stands behind it, and jsonc.h puts others where bytes were that took none.
 */
struct place place_find(struct place_walk *walk, size_t offset);

#endif
