/*
 * A file of another language as JSON: see translation.h. Runs in the reader.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "translation.h"

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
