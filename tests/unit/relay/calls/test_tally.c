/*
 * Tests of relay/calls/tally: calls by tool, in order of their first one, and
 * those without an answer; further tools are counted together. No name is taken
 * for another.
 */
#include <stdio.h>
#include <string.h>

#include "relay/relay.h"
#include "tests/unit/unit.h"

static const struct {
	const char *calls; /* of tools of one letter; "!": without an answer */
	const char *text;
} cases[] = {
	{ "", "" },
	{ "a", "a" },
	{ "aba", "a \xc3\x97" "2, b" },
	{ "!a", "a without an answer" },
	{ "ab!c", "a, b; c without an answer" },
	{ "ab!a!a!b", "a, b; a \xc3\x97" "2, b without an answer" },
	{ "abcdefghijklmnopq", "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, "
	    "p, other tools" },
	{ "!a!b!c!d!e!f!g!h!i!j!k!l!m!n!o!pq!r!s", "other tools; a, b, c, d, "
	    "e, f, g, h, i, j, k, l, m, n, o, p, other tools \xc3\x97" "2 "
	    "without an answer" },
};

UNIT_TESTS(names_calls, UNIT_COUNT(cases))
{
	auto_buffer struct buffer text = { 0 };
	struct tally tally = { 0 };
	const char *p;

	for (p = cases[_i].calls; *p != '\0'; p++) {
		int answered = *p != '!';
		const char name[] = { answered ? *p : *++p, '\0' };

		tally_add(&tally, name, answered);
	}
	tally_write(&tally, &text);
	ck_assert_str_eq(text.len == 0 ? "" : text.data, cases[_i].text);
}

static const struct {
	const char *name, *text;
} names[] = {
	{ "gh.a/b_c-D.9", "gh.a/b_c-D.9" },
	{ "plain, bank.pay x3; bank.refund",
	    "\"plain, bank.pay x3; bank.refund\"" },
	{ "s.a\ncalls made: b", "\"s.a\\ncalls made: b\"" },
	{ "s.a\", b", "\"s.a\\\", b\"" },
	{ "other tools", "\"other tools\"" },
	{ "s.caf\xc3\xa9", "\"s.caf\xc3\xa9\"" },
	{ "s.                                                         ",
	    "other tools" },
};

UNIT_TESTS(quotes_what_is_not_plain, UNIT_COUNT(names))
{
	auto_buffer struct buffer text = { 0 };
	struct tally tally = { 0 };

	tally_add(&tally, names[_i].name, 1);
	tally_write(&tally, &text);
	ck_assert_str_eq(text.data, names[_i].text);
}

/* The longest names, called as often as can be counted. */
UNIT_TEST(is_bounded)
{
	auto_buffer struct buffer text = { 0 };
	struct tally tally = { 0 };
	char name[WAITING_NAME_MAX + 1];
	size_t n;

	for (n = 0; n <= TALLY_TOOLS_MAX; n++) {
		snprintf(name, sizeof(name), "%0*zu", WAITING_NAME_MAX, n);
		tally_add(&tally, name, 1);
		tally.tools[n].answered = tally.tools[n].open = UINT64_MAX;
	}
	tally_write(&tally, &text);
	ck_assert_uint_le(text.len, DONE_CALLS_MAX);
}
