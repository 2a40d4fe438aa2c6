/*
 * Tests of common/suggest: which word is the nearest, and that nothing is
 * suggested for a word that is near to none.
 */

#include "common/suggest.h"
#include "tests/unit/unit.h"

static const char *const words[] = { "timeout", "max_timeout", "queue",
	"queue_timeout", "pids", "python", "memory", NULL };

static const struct {
	const char *word;
	const char *best; /* NULL: none */
} cases[] = {
	{ "timeout", "timeout" },
	{ "timout", "timeout" },
	{ "timeoutt", "timeout" },
	{ "tmieout", "timeout" },
	{ "timexut", "timeout" },
	{ "max_timout", "max_timeout" },
	{ "maxtimeout", "max_timeout" },
	{ "pid", "pids" },
	{ "pyton", "python" },
	{ "pythn3", "python" },
	{ "mem", "memory" },
	{ "Max-Time", "max_timeout" },
	{ "fu", NULL },
	{ "x", NULL },
	{ "", NULL },
	{ "something_else_entirely", NULL },
	{ "0123456789012345678901234567890123456789012345678901234567890123"
	  "45678901234567890123456789", NULL },
};

UNIT_EACH(finds_the_nearest, UNIT_COUNT(cases))
{
	struct suggest suggest = suggest_start(cases[_i].word);
	size_t i;

	for (i = 0; words[i] != NULL; i++)
		suggest_try(&suggest, words[i]);
	if (cases[_i].best == NULL)
		ck_assert_msg(suggest.best == NULL, "%s: suggests %s",
		    cases[_i].word, suggest.best);
	else
		ck_assert_pstr_eq(suggest.best, cases[_i].best);
}

UNIT_TEST(first_of_equals_stays)
{
	struct suggest suggest = suggest_start("abcd");

	suggest_try(&suggest, "abce");
	suggest_try(&suggest, "abcf");
	ck_assert_str_eq(suggest.best, "abce");
	suggest_try(&suggest, "abcd");
	ck_assert_str_eq(suggest.best, "abcd");
}
