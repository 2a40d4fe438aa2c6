/*
 * Tests of supervisor/options/text/json_report: members, elements, and texts
 * that come from files and models.
 */

#include "supervisor/options/text/json_report.h"
#include "tests/unit/unit.h"

UNIT_TEST(an_object_is_built)
{
	auto_buffer struct buffer out = { 0 };

	json_report_text(&out, "a", "b\"c\n");
	json_report_text(&out, "none", NULL);
	json_report_open(&out, "list", '[');
	json_report_number(&out, NULL, 18446744073709551615ULL);
	json_report_bool(&out, NULL, 0);
	json_report_open(&out, NULL, '{');
	json_report_close(&out, '}');
	json_report_raw(&out, NULL, "[1]", 3);
	json_report_close(&out, ']');
	json_report_bool(&out, "yes", 1);
	json_report_close(&out, '}');
	ck_assert_str_eq(out.data, "{\"a\": \"b\\\"c\\n\", \"none\": null, "
	    "\"list\": [18446744073709551615, false, {}, [1]], "
	    "\"yes\": true}");
}

/* A path may be any bytes; a text of JSON is UTF-8. */
UNIT_TEST(bytes_are_escaped)
{
	auto_buffer struct buffer out = { 0 };

	buffer_add_text(&out, "[");
	json_report_text(&out, NULL, "/a\xff");
	ck_assert_str_eq(out.data, "[\"/a\\\\xff\"");
}
