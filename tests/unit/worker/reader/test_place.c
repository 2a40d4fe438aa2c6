/*
 * Tests of worker/reader/place: lines and columns as an editor counts
 * them, and those of a byte of translated JSON.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/reader/place.h"

static const struct {
	const char *text;
	size_t offset;
	unsigned int line, column;
} places[] = {
	{ "", 0, 1, 1 },
	{ "", 9, 1, 1 },
	{ "abc", 0, 1, 1 },
	{ "abc", 2, 1, 3 },
	{ "abc", 3, 1, 4 },
	{ "abc", 99, 1, 4 },
	{ "a\nb", 1, 1, 2 },
	{ "a\nb", 2, 2, 1 },
	{ "a\r\nb", 3, 2, 1 },
	{ "a\rb", 2, 1, 2 },
	{ "\n\n\n", 3, 4, 1 },
	{ "\tb", 1, 1, 2 },
	{ "\xc3\xa9" "b", 2, 1, 2 },
	{ "\xf0\x9f\x98\x80" "b", 4, 1, 2 },
	{ "\xef\xbb\xbf" "b", 3, 1, 1 },
	{ "\xef\xbb\xbf" "b\nc", 5, 2, 1 },
	{ "\xef\xbb\xbf", 0, 1, 1 },
};

UNIT_TESTS(finds, UNIT_COUNT(places))
{
	struct place_walk walk =
	    place_walk(places[_i].text, strlen(places[_i].text));
	struct place place = place_find(&walk, places[_i].offset);

	ck_assert_uint_eq(place.line, places[_i].line);
	ck_assert_uint_eq(place.column, places[_i].column);
}

/* In whatever order places are asked for, they are the same. */
UNIT_TEST(goes_on_and_back)
{
	static const char text[] = "\xef\xbb\xbf" "a\xc3\xa9\nb\r\n\nc";
	struct place_walk walk = place_walk(text, sizeof(text) - 1);
	size_t one, other;

	for (one = 0; one < sizeof(text); one++)
		for (other = 0; other < sizeof(text); other++) {
			struct place_walk fresh =
			    place_walk(text, sizeof(text) - 1);
			struct place wanted = place_find(&fresh, other);
			struct place place;

			place_find(&walk, one);
			place = place_find(&walk, other);
			ck_assert_uint_eq(place.line, wanted.line);
			ck_assert_uint_eq(place.column, wanted.column);
		}
}

UNIT_TEST(finds_places_of_json)
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
