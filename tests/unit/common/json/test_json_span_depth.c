/*
 * Tests of common/json/json_span: how deep and how broad a text may be.
 */
#include "json_span_play.h"

/* Depth */

/* Nests so deep, in arrays, in objects, or in both by turns; closed. */
static void
nest(struct buffer *text, size_t depth, const char *kinds)
{
	size_t n, period = strlen(kinds);

	for (n = 0; n < depth; n++)
		buffer_add_text(
		    text, kinds[n % period] == '{' ? "{\"a\":" : "[");
	buffer_add_text(text, "1");
	while (n-- > 0)
		buffer_add_text(text, kinds[n % period] == '{' ? "}" : "]");
}

static const char *const nestings[] = { "[", "{", "[{", "{[", "[[{",
	"{{[[[{[" };

UNIT_TESTS(depth, UNIT_COUNT(nestings))
{
	auto_buffer struct buffer most = { 0 }, more = { 0 };
	struct json_span value;
	struct err err;

	nest(&most, JSON_DEPTH_MAX, nestings[_i]);
	nest(&more, JSON_DEPTH_MAX + 1, nestings[_i]);
	ck_assert_int_eq(json_span_parse(most.data, most.len, &value, &err), 0);
	ck_assert_uint_eq(value.len, most.len);
	ck_assert_int_eq(
	    json_span_parse(more.data, more.len, &value, &err), -1);
	ck_assert_msg(
	    strncmp(err.text, "nested more than 256 deep at byte ", 34) == 0,
	    "%s", err.text);
}

/* At every level the bracket that closes must be the one that opened. */
UNIT_TESTS(depth_brackets_match, UNIT_COUNT(nestings))
{
	size_t level;

	for (level = 0; level < JSON_DEPTH_MAX; level++) {
		auto_buffer struct buffer text = { 0 };
		struct json_span value;
		struct err err;
		char *closing;

		nest(&text, JSON_DEPTH_MAX, nestings[_i]);
		closing = &text.data[text.len - 1 - level];
		*closing = *closing == ']' ? '}' : ']';
		ck_assert_int_eq(
		    json_span_parse(text.data, text.len, &value, &err), -1);
	}
}

/* Breadth is not depth. */
UNIT_TEST(breadth)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span value;
	struct err err;
	int n;

	for (n = 0; n < 100000; n++)
		buffer_add_text(&text, n == 0 ? "[[{\"a\":[]}]" : ",[{}]");
	buffer_add_text(&text, "]");
	ck_assert_int_eq(json_span_parse(text.data, text.len, &value, &err), 0);
}

/* A bomb of brackets is refused at once, wherever its end is. */
UNIT_TEST(bracket_bomb)
{
	size_t len = 16 * MIB;
	auto_free char *text = mem_resize(NULL, len);
	struct json_span value;
	struct err err;

	memset(text, '[', len);
	ck_assert_int_eq(json_span_parse(text, len, &value, &err), -1);
	ck_assert_str_eq(err.text, "nested more than 256 deep at byte 257");
}
