/*
 * Tests of common/severity: the levels of log messages.
 */
#include <string.h>

#include "common/severity.h"
#include "tests/unit/unit.h"

static const struct {
	const char *word;
	unsigned int level;
} levels[] = {
	{ "\"debug\"", 1 },
	{ "\"\\u0069nfo\"", 2 },
	{ "\"emergency\"", 8 },
	{ "\"loud\"", 0 },
	{ "7", 0 },
};

UNIT_EACH(reads_levels, UNIT_COUNT(levels))
{
	struct json_span word;

	ck_assert_int_eq(json_span_parse(levels[_i].word,
	    strlen(levels[_i].word), &word, NULL), 0);
	ck_assert_uint_eq(severity_read(word), levels[_i].level);
}
