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

/*
 * Returns the place of the byte at offset, or of the end of the text where
 * offset is behind it. A byte order mark takes no place.
 */
struct place place_find(const char *text, size_t len, size_t offset);

#endif
