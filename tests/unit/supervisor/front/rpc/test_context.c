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
	{ "{\"roots\":{\"listChanged\":true}}", ASK_CLIENT_ROOTS },
	{ "{\"sampling\":{},\"elicitation\":{},\"roots\":{}}",
	    ASK_CLIENT_ROOTS | ASK_CLIENT_SAMPLING | ASK_CLIENT_FORM },
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
	ck_assert_uint_eq(context_capabilities(object), rows[_i].capabilities);
}

UNIT_TEST(says_nothing)
{
	ck_assert_uint_eq(
	    context_capabilities((struct json_span){ NULL, 0 }), 0);
}
