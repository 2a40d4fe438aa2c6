/*
 * Tests of worker/reader/translation: a byte of the JSON is found in the file
 * that it was made of.
 */
#include "unit.h"
#include "worker/reader/place.h"

UNIT_TEST(finds_places)
{
	struct translation translation = { 0 };
	struct place place = translation_place(&translation, 5);
	size_t i;

	ck_assert_uint_eq(place.line, 1);
	ck_assert_uint_eq(place.column, 1);
	for (i = 0; i < 1000; i++) {
		translation_mark(&translation, (struct place){ i + 1, 7 });
		buffer_add_text(&translation.json, "ab");
	}
	for (i = 0; i < 2000; i++) {
		place = translation_place(&translation, i);
		ck_assert_uint_eq(place.line, i / 2 + 1);
		ck_assert_uint_eq(place.column, 7);
	}
	place = translation_place(&translation, 99999);
	ck_assert_uint_eq(place.line, 1000);
	translation_reset(&translation);
	ck_assert_ptr_null(translation.marks);
	ck_assert_uint_eq(translation.json.len, 0);
}
