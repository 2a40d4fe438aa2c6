/*
 * Fuzz targets of the reader's translations into JSON share this: whatever the
 * bytes are, they become one JSON value that the scanner takes, of a bounded
 * size, whose every byte has a place in the file; or they are refused at a
 * place of the file.
 */
#ifndef TESTS_FUZZ_TRANSLATION_H
#define TESTS_FUZZ_TRANSLATION_H

#include "common/json/json_span.h"
#include "common/limits.h"
#include "fuzz.h"
#include "worker/reader/place.h"

typedef int fuzz_translator(const char *text, size_t len,
    struct translation *translation, struct place *place, struct err *err);

static inline void
fuzz_place(struct place place, size_t len)
{
	FUZZ_ASSERT(place.line >= 1 && place.column >= 1);
	FUZZ_ASSERT(place.line + place.column <= len + 2);
}

/* Returns whether it became a value, whose kind goes to *kind. */
static inline int
fuzz_translate(fuzz_translator *translate, const uint8_t *data, size_t size,
    enum json_span_kind *kind)
{
	struct translation translation = { 0 };
	struct place place = { 1, 1 };
	struct json_span value;
	struct err err;
	int done = 0;
	size_t i;

	if (translate((const char *)data, size, &translation, &place,
	        &err) == -1) {
		fuzz_place(place, size);
		FUZZ_ASSERT(err.text[0] != '\0');
	} else {
		FUZZ_ASSERT(json_span_parse(translation.json.data,
		    translation.json.len, &value, &err) == 0);
		*kind = json_span_kind(value);
		done = 1;
		FUZZ_ASSERT(translation.count <= 2 * CONFIG_NODES_MAX + 1);
		for (i = 0; i < translation.json.len; i += 1 + i / 64)
			fuzz_place(translation_place(&translation, i), size);
	}
	translation_reset(&translation);
	return done;
}

#endif
