/*
 * Tests of worker/broker/state/rules: which names of tools may be used, by
 * lists in which * is any text; a name that cannot be judged is refused.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/broker/state/state.h"

static struct rules rules;

static struct ipc_bytes
bytes(const char *names, size_t len)
{
	return (struct ipc_bytes){ (const uint8_t *)names, len };
}

/* Lists of names end with a NUL that their literal has; NULL is none. */
static int
set(const char *allow, size_t allow_len, const char *deny, size_t deny_len)
{
	struct ipc_define define = { .narrowed = allow != NULL,
		.allow = bytes(allow, allow_len),
		.deny = bytes(deny, deny_len) };

	return rules_set(&rules, &define);
}

/* Why a JSON string is refused, in a word. */
static const char *
judge(const char *name)
{
	const char *why = rules_refuse(
	    &rules, (struct json_span){ name, strlen(name) });

	if (why == NULL)
		return "used";
	ck_assert_ptr_eq(strstr(why, "may not be used: "), why);
	if (strstr(why, "\"deny\"") != NULL)
		return "denied";
	return strstr(why, "\"allow\"") != NULL ? "not allowed" : "no text";
}

UNIT_TEST(without_rules_all_is_used)
{
	ck_assert_int_eq(set(NULL, 0, NULL, 0), 0);
	ck_assert_str_eq(judge("\"a\""), "used");
	ck_assert_str_eq(judge("\"\\ud800\""), "used");
}

UNIT_TEST(deny_wins)
{
	ck_assert_int_eq(set("read_*\0list", 12, "read_secret", 12), 1);
	ck_assert_str_eq(judge("\"read_file\""), "used");
	ck_assert_str_eq(judge("\"list\""), "used");
	ck_assert_str_eq(judge("\"read_secret\""), "denied");
	ck_assert_str_eq(judge("\"write\""), "not allowed");
	rules_reset(&rules);
	ck_assert_str_eq(judge("\"write\""), "used");
}

UNIT_TEST(an_empty_list_allows_nothing)
{
	ck_assert_int_eq(set("", 0, NULL, 0), 1);
	ck_assert_str_eq(judge("\"a\""), "not allowed");
	ck_assert_str_eq(judge("\"\""), "not allowed");
	rules_reset(&rules);
}

/* However it is written, and where it cannot be told what it is. */
UNIT_TEST(a_name_is_judged_as_text)
{
	set(NULL, 0, "delete", 7);
	ck_assert_str_eq(judge("\"d\\u0065lete\""), "denied");
	ck_assert_str_eq(judge("\"Delete\""), "used");
	ck_assert_str_eq(judge("\"delete\\u0000\""), "no text");
	ck_assert_str_eq(judge("\"delete\\ud800\""), "no text");
	rules_reset(&rules);
}

UNIT_TEST(reports_whether_they_have_changed)
{
	ck_assert_int_eq(set("a", 2, "b", 2), 1);
	ck_assert_int_eq(set("a", 2, "b", 2), 0);
	ck_assert_int_eq(set("a", 2, "c", 2), 1);
	ck_assert_int_eq(set("a", 2, NULL, 0), 1);
	ck_assert_int_eq(set("b", 2, NULL, 0), 1);
	ck_assert_int_eq(set("", 0, NULL, 0), 1);
	ck_assert_int_eq(set(NULL, 0, NULL, 0), 1);
	ck_assert_int_eq(set(NULL, 0, NULL, 0), 0);
	rules_reset(&rules);
}

static const struct {
	const char *pattern;
	const char *name;
	const char *wanted;
} patterns[] = {
	{ "*", "\"\"", "denied" },
	{ "*", "\"abc\"", "denied" },
	{ "a*", "\"a\"", "denied" },
	{ "a*", "\"ba\"", "used" },
	{ "*a", "\"ba\"", "denied" },
	{ "*a", "\"ab\"", "used" },
	{ "a*c", "\"abcbc\"", "denied" },
	{ "a*c", "\"abcb\"", "used" },
	{ "*b*d*", "\"abcde\"", "denied" },
	{ "*b*d*", "\"adcbe\"", "used" },
	{ "a**b", "\"ab\"", "denied" },
	{ "ab", "\"abc\"", "used" },
	{ "abc", "\"ab\"", "used" },
	/* Nothing else has a meaning of its own. */
	{ "a?", "\"ab\"", "used" },
	{ "[ab]", "\"a\"", "used" },
	{ "a.c", "\"abc\"", "used" },
	{ "\\*", "\"*\"", "used" },
};

UNIT_TESTS(a_star_is_any_text, UNIT_COUNT(patterns))
{
	set(NULL, 0, patterns[_i].pattern, strlen(patterns[_i].pattern) + 1);
	ck_assert_str_eq(judge(patterns[_i].name), patterns[_i].wanted);
	rules_reset(&rules);
}
