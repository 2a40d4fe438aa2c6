/*
 * Fuzz target of the reader's TOML: whatever the bytes are, they become one
 * JSON object that the scanner takes, of a bounded size, whose every byte has
 * a place in the file; or they are refused at a place of the file.
 */
#include <string.h>

#include "common/json_span.h"
#include "common/limits.h"
#include "fuzz.h"
#include "worker/reader/toml.h"

static void
check_place(struct place place, size_t len)
{
	FUZZ_ASSERT(place.line >= 1 && place.column >= 1);
	FUZZ_ASSERT(place.line + place.column <= len + 2);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct translation translation = { 0 };
	struct place place = { 1, 1 };
	struct json_span value;
	struct err err;
	size_t i;

	if (toml_translate((const char *)data, size, &translation, &place,
	        &err) == -1) {
		check_place(place, size);
		FUZZ_ASSERT(err.text[0] != '\0');
	} else {
		FUZZ_ASSERT(json_span_parse(translation.json.data,
		    translation.json.len, &value, &err) == 0);
		FUZZ_ASSERT(json_span_kind(value) == JSON_SPAN_OBJECT);
		FUZZ_ASSERT(translation.count <= 2 * CONFIG_NODES_MAX + 1);
		for (i = 0; i < translation.json.len; i += 1 + i / 64)
			check_place(
			    translation_place(&translation, i), size);
	}
	translation_reset(&translation);
	return 0;
}
