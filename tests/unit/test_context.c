/*
 * Tests of supervisor/front/context: what a client says that it can do.
 */
#include <string.h>

#include "unit.h"
#include "supervisor/front/context.h"

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

START_TEST(reads_capabilities)
{
	struct json_span object;

	ck_assert_int_eq(json_span_parse(rows[_i].object,
	    strlen(rows[_i].object), &object, NULL), 0);
	ck_assert_uint_eq(
	    context_capabilities(object), rows[_i].capabilities);
}
END_TEST

START_TEST(says_nothing)
{
	ck_assert_uint_eq(
	    context_capabilities((struct json_span){ NULL, 0 }), 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, reads_capabilities, 0, UNIT_COUNT(rows));
	tcase_add_test(tc, says_nothing);
}

int
main(void)
{
	return unit_run("context", add_tests);
}
