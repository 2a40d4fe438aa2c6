/*
 * Tests of common/tool_size: of definitions of tools, what a model is shown is
 * counted.
 */
#include <string.h>

#include "common/tool_size.h"
#include "tests/unit/unit.h"

static const struct {
	const char *list;
	const char *shown; /* what is counted of it */
} cases[] = {
	{ "{\"tools\":[]}", "" },
	{ "{}", "" },
	{ "[]", "" },
	{ "{\"tools\":5}", "" },
	{ "{\"tools\":[{\"name\":\"a\"}]}", "{\"name\":\"a\"}" },
	{ "{\"tools\":[{\"title\":\"b\",\"inputSchema\":{\"x\": 1},\"name\":"
	    "\"a\",\"annotations\":{}, \"description\": \"\\u00e4\"},"
	    "{\"name\":\"c\"},5,{}]}",
	    "{\"name\":\"a\",\"description\":\"\\u00e4\",\"inputSchema\":"
	    "{\"x\": 1}}{\"name\":\"c\"}" },
};

UNIT_TESTS(counts_what_a_model_is_shown, UNIT_COUNT(cases))
{
	const char *list = cases[_i].list;
	struct json_span value;

	ck_assert_int_eq(json_span_parse(list, strlen(list), &value, NULL), 0);
	ck_assert_uint_eq(tool_size(value), strlen(cases[_i].shown));
}
