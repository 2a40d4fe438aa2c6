/*
 * Tests of supervisor/front/rpc/context: what a client says that it can do.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "supervisor/front/rpc/rpc.h"

static const struct {
	const char *object;
	unsigned int capabilities;
} rows[] = {
	{ "{}", 0 },
	{ "{\"roots\":{\"listChanged\":true}}", CAPABILITY_ROOTS },
	{ "{\"sampling\":{},\"elicitation\":{},\"roots\":{}}",
	    CAPABILITY_ROOTS | CAPABILITY_SAMPLING | CAPABILITY_ELICITATION },
	/* What it cannot do, what is unknown, and what is none. */
	{ "{\"elicitation\":null,\"sampling\":false,\"experimental\":{}}", 0 },
	{ "[\"roots\"]", 0 },
	{ "\"roots\"", 0 },
	{ "null", 0 },
};

UNIT_EACH(reads_capabilities, UNIT_COUNT(rows))
{
	struct json_span object;

	ck_assert_int_eq(json_span_parse(rows[_i].object,
	    strlen(rows[_i].object), &object, NULL), 0);
	ck_assert_uint_eq(
	    context_capabilities(object), rows[_i].capabilities);
}

UNIT_TEST(says_nothing)
{
	ck_assert_uint_eq(
	    context_capabilities((struct json_span){ NULL, 0 }), 0);
}

static const struct {
	const char *wanted;
	const char *sent;
	int logs;
} levels[] = {
	{ "\"info\"", "info", 1 },
	{ "\"info\"", "debug", 0 },
	{ "\"info\"", "emergency", 1 },
	{ "\"\\u0069nfo\"", "info", 1 },
	{ "\"emergency\"", "alert", 0 },
	{ "\"debug\"", "debug", 1 },
	{ "\"loud\"", "emergency", 0 },
	{ "7", "emergency", 0 },
};

UNIT_EACH(reads_log_levels, UNIT_COUNT(levels))
{
	struct context context = { .owner = NULL };
	struct json_span word;

	ck_assert_int_eq(json_span_parse(levels[_i].wanted,
	    strlen(levels[_i].wanted), &word, NULL), 0);
	context.log_level = context_log_level(word);
	ck_assert_int_eq(
	    context_logs(&context, levels[_i].sent), levels[_i].logs);
}
