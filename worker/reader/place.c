/*
 * Lines and columns: see place.h. Runs in the reader, on hostile bytes.
 */
#include <string.h>

#include "place.h"

struct place
place_find(const char *text, size_t len, size_t offset)
{
	struct place place = { 1, 1 };
	size_t i = 0;

	if (offset > len)
		offset = len;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	for (; i < offset; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}
