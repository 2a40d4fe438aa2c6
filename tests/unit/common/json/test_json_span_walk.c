/*
 * Tests of common/json/json_span: walking through members and elements, and
 * finding them.
 */
#include "json_span_play.h"

/* Walking */

UNIT_TEST(walks_members)
{
	static const char *const want[][2] = {
		{ "\"id\"", "18446744073709551616" },
		{ "\"a\\u0062\"", "[1,-0.5e+10,{\"x\":null}]" },
		{ "\"t\"", "true" },
		{ "\"f\"", "[false]" },
		{ "\"s\"", "\"\\ud83d\\ude00 \xf0\x9f\x98\x80 \\\"\\\\\"" },
		{ "\"o\"", "{}" },
		{ "\"e\"", "[ ]" },
	};
	struct json_span_walk walk = json_span_walk(span(rich));
	struct json_span name, value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(want); n++) {
		ck_assert_int_eq(
		    json_span_next_member(&walk, &name, &value), 1);
		assert_span(name, want[n][0]);
		assert_span(value, want[n][1]);
	}
	ck_assert_int_eq(json_span_next_member(&walk, &name, &value), 0);
	ck_assert_int_eq(json_span_next_member(&walk, &name, &value), 0);
}

UNIT_TEST(walks_elements)
{
	static const char *const want[] = { "1", "\"a,]\"", "[2,[3]]",
		"{\"b\":[4]}", "null", "\"\\\"\"", "[]", "{}", "-1e5" };
	struct json_span_walk walk = json_span_walk(
	    span(" [ 1 ,\"a,]\",[2,[3]],{\"b\":[4]}\n,\tnull,\"\\\"\",[],{}"
		 ",-1e5 ] "));
	struct json_span value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(want); n++) {
		ck_assert_int_eq(json_span_next_element(&walk, &value), 1);
		assert_span(value, want[n]);
	}
	ck_assert_int_eq(json_span_next_element(&walk, &value), 0);
	ck_assert_int_eq(json_span_next_element(&walk, &value), 0);
}

/* Finding */

UNIT_TEST(gets)
{
	static const struct {
		const char *object;
		const char *name;
		int count;
		const char *value; /* of the last one */
	} cases[] = {
		{ "{\"a\":1}", "a", 1, "1" },
		{ "{\"a\":1}", "b", 0, NULL },
		{ "{\"a\":1}", "", 0, NULL },
		{ "{\"a\":1}", "ab", 0, NULL },
		{ "{\"ab\":1}", "a", 0, NULL },
		{ "{}", "a", 0, NULL },
		{ "{\"\":[]}", "", 1, "[]" },
		{ "{\"a\":1,\"a\":2,\"b\":3,\"a\": 4 }", "a", 3, "4" },
		{ "{\"a\":1,\"\\u0061\":2}", "a", 2, "2" },
		{ "{\"\\u0061\\u0062c\":1}", "abc", 1, "1" },
		{ "{\"a\\u0062\":1}", "ab", 1, "1" },
		{ "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\":1}", "\"\\/\b\f\n\r\t", 1,
		    "1" },
		{ "{\"\\u00e9\":1,\"\xc3\xa9\":2}", "\xc3\xa9", 2, "2" },
		{ "{\"\\ud83d\\ude00\":1}", "\xf0\x9f\x98\x80", 1, "1" },
		{ "{\"\\u20ac\":1}", "\xe2\x82\xac", 1, "1" },
		/* A NUL does not end a name. */
		{ "{\"a\\u0000\":1}", "a", 0, NULL },
		{ "{\"\\u0000\":1}", "", 0, NULL },
		{ "{\"a\\u0000b\":1}", "a", 0, NULL },
		/* What cannot be decoded equals nothing. */
		{ "{\"\\ud800\":1}", "\xed\xa0\x80", 0, NULL },
		{ "{\"a\\udc00\":1}", "a", 0, NULL },
		/* Only the members of this object. */
		{ "{\"b\":{\"a\":1}}", "a", 0, NULL },
		{ "{\"b\":{\"a\":1},\"a\":2}", "a", 1, "2" },
		{ "{\"b\":\"\\\"a\\\":1\"}", "a", 0, NULL },
		{ "{\"A\":1}", "a", 0, NULL },
		{ "{\"a\":\"}\",\"b\":{\"c\":[]}}", "b", 1, "{\"c\":[]}" },
		/* What is no object has no members. */
		{ "[\"a\",1]", "a", 0, NULL },
		{ "\"a\"", "a", 0, NULL },
		{ "1", "a", 0, NULL },
		{ "null", "a", 0, NULL },
	};
	struct json_span value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(cases); n++) {
		value = (struct json_span){ "untouched", 9 };
		ck_assert_msg(json_span_get(span(cases[n].object),
				  cases[n].name, &value) == cases[n].count,
		    "%s in %s", cases[n].name, cases[n].object);
		assert_span(
		    value, cases[n].count > 0 ? cases[n].value : "untouched");
	}
}

/* Several members at once: what json_span_get() finds of each. */
UNIT_TEST(finds_members_at_once)
{
	static const char *const names[] = { "id", "ab", "none", "s", "o" };
	struct json_span_member members[UNIT_COUNT(names)];
	struct json_span value;
	size_t n;

	for (n = 0; n < UNIT_COUNT(names); n++)
		members[n].name = names[n];
	json_span_members(span(rich), members, UNIT_COUNT(names));
	for (n = 0; n < UNIT_COUNT(names); n++) {
		ck_assert_int_eq(json_span_get(span(rich), names[n], &value),
		    members[n].count);
		if (members[n].count == 0)
			continue;
		ck_assert_ptr_eq(members[n].value.p, value.p);
		ck_assert_uint_eq(members[n].value.len, value.len);
	}
	ck_assert_uint_eq(members[2].value.len, 0);
}

/* The last of equal ones; none of what is not an object. */
UNIT_TEST(counts_members)
{
	struct json_span_member member = { .name = "a" };

	json_span_members(
	    span("{\"a\":1,\"\\u0061\":[2],\"b\":3}"), &member, 1);
	ck_assert_int_eq(member.count, 2);
	assert_span(member.value, "[2]");
	json_span_members(span("[\"a\",1]"), &member, 1);
	ck_assert_int_eq(member.count, 0);
	ck_assert_uint_eq(member.value.len, 0);
}
