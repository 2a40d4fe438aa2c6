/*
 * What the tests of common/json/json_span share: a text as JSON, in memory of
 * just its size, and spans to compare.
 */
#ifndef TESTS_UNIT_JSON_SPAN_PLAY_H
#define TESTS_UNIT_JSON_SPAN_PLAY_H

#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json_span.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

/* Parses an exact copy, so that ASan and valgrind see a byte too far. */
struct parsed {
	char *text;
	struct json_span value;
	struct err err;
	int ok;
};

static inline struct parsed
parse(const char *text, size_t len)
{
	struct parsed p = { .text = mem_resize(NULL, len) };

	if (len > 0)
		memcpy(p.text, text, len);
	p.ok = json_span_parse(p.text, len, &p.value, &p.err) == 0;
	return p;
}

static inline void
parsed_free(struct parsed *p)
{
	free(p->text);
}

#define auto_parsed __attribute__((cleanup(parsed_free)))

/* A constant text that must be JSON, as a span. */
static inline struct json_span
span(const char *text)
{
	struct json_span value = { NULL, 0 };
	struct err err;

	ck_assert_msg(json_span_parse(text, strlen(text), &value, &err) == 0,
	    "%s: %s", text, err.text);
	return value;
}

static inline void
assert_span(struct json_span value, const char *text)
{
	ck_assert_msg(
	    value.len == strlen(text) && memcmp(value.p, text, value.len) == 0,
	    "'%.*s' instead of '%s'", (int)value.len, value.p, text);
}

/* A text with all of JSON. */
static const char rich[] =
    "{\"id\":18446744073709551616,\"a\\u0062\":[1,-0.5e+10,{\"x\":null}],"
    "\"t\":true,\"f\":[false],\"s\":\"\\ud83d\\ude00 \xf0\x9f\x98\x80 "
    "\\\"\\\\\",\"o\":{}, \"e\":[ ]}";

#endif
