/*
 * What the tests of translations into JSON share: a text and the JSON that it
 * becomes, or the place and the sentence with which it is refused.
 */
#ifndef TESTS_UNIT_TRANSLATED_H
#define TESTS_UNIT_TRANSLATED_H

#include <string.h>

#include "common/json/json_span.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/reader/place.h"

typedef int translate_fn(const char *text, size_t len,
    struct translation *translation, struct place *place, struct err *err);

/* Translates len bytes; returns the JSON, or "line:column sentence". */
static inline char *
translated(translate_fn *translate, const char *text, size_t len)
{
	struct translation translation = { 0 };
	auto_free char *exact = mem_resize(NULL, len);
	struct place place = { 0, 0 };
	struct json_span value;
	struct err err;
	char *told;

	/* Exact, so that ASan sees a byte too far. */
	if (len > 0)
		memcpy(exact, text, len);
	if (translate(exact, len, &translation, &place, &err) == 0) {
		ck_assert_int_eq(json_span_parse(translation.json.data,
		    translation.json.len, &value, &err), 0);
		told = mem_strdup(translation.json.data);
	} else {
		told = mem_printf("%d:%d %s", (int)place.line,
		    (int)place.column, err.text);
	}
	translation_reset(&translation);
	return told;
}

#endif
