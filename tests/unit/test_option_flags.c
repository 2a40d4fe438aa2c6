/*
 * Tests of supervisor/options/option_flags: the forms in which a flag can be
 * written. Wrong ones are in tests/e2e/wrong-invocations.
 */
#include <string.h>

#include "supervisor/options/option_flags.h"
#include "unit.h"

#define ARGS_MAX 6

static int
count(const char *const *args)
{
	int n = 0;

	while (args[n] != NULL)
		n++;
	return n;
}

static const struct {
	const char *args[ARGS_MAX];
	enum option_id id;
	enum option_action action;
	const char *value;
	int used; /* how many arguments the first flag takes */
} good[] = {
	{ { "--timeout", "30", "--check" }, OPTION_ID_TIMEOUT, OPTION_NONE,
	    "30", 2 },
	{ { "--timeout=30", "--check" }, OPTION_ID_TIMEOUT, OPTION_NONE,
	    "30", 1 },
	{ { "--timeout=" }, OPTION_ID_TIMEOUT, OPTION_NONE, "", 1 },
	{ { "--timeout", "" }, OPTION_ID_TIMEOUT, OPTION_NONE, "", 2 },
	{ { "--log-file=/a=b" }, OPTION_ID_LOG_FILE, OPTION_NONE, "/a=b", 1 },
	{ { "--log-file", "--check" }, OPTION_ID_LOG_FILE, OPTION_NONE,
	    "--check", 2 },
	{ { "--max-timeout", "-1" }, OPTION_ID_MAX_TIMEOUT, OPTION_NONE,
	    "-1", 2 },
	{ { "--check", "--timeout=1" }, OPTION_IDS, OPTION_CHECK, NULL, 1 },
	{ { "--help" }, OPTION_IDS, OPTION_HELP, NULL, 1 },
	{ { "--version" }, OPTION_IDS, OPTION_VERSION, NULL, 1 },
	{ { "--selftest" }, OPTION_IDS, OPTION_SELFTEST, NULL, 1 },
	{ { "--try" }, OPTION_IDS, OPTION_TRY, NULL, 1 },
	{ { "-v", "--try" }, OPTION_IDS, OPTION_NONE, NULL, 1 },
	{ { "--verbose" }, OPTION_IDS, OPTION_NONE, NULL, 1 },
	{ { "--print-client-config", "x", "y" }, OPTION_IDS,
	    OPTION_PRINT_CLIENT_CONFIG, "x", 2 },
	{ { "--print-client-config=x", "y" }, OPTION_IDS,
	    OPTION_PRINT_CLIENT_CONFIG, "x", 1 },
	{ { "--print-client-config", "--log-level", "warn" }, OPTION_IDS,
	    OPTION_PRINT_CLIENT_CONFIG, NULL, 1 },
	{ { "--print-client-config" }, OPTION_IDS,
	    OPTION_PRINT_CLIENT_CONFIG, NULL, 1 },
};

UNIT_EACH(reads_a_flag, UNIT_COUNT(good))
{
	const char *const *args = good[_i].args;
	struct option_flags walk = { .argc = count(args),
		.argv = (char **)args };
	struct option_flag flag;
	struct err err;

	ck_assert_int_eq(option_flags_next(&walk, &flag, &err), 1);
	ck_assert_uint_eq(flag.id, good[_i].id);
	ck_assert_uint_eq(flag.action, good[_i].action);
	ck_assert_pstr_eq(flag.value, good[_i].value);
	ck_assert_int_eq(walk.next, good[_i].used);
}

UNIT_TEST(ends_at_the_end)
{
	const char *args[] = { "caisson", NULL };
	struct option_flags walk = { .argc = 1,
		.argv = (char **)args,
		.next = 1 };
	struct option_flags nothing = { .argv = (char **)args, .next = 1 };
	struct option_flag flag;
	struct err err;

	ck_assert_int_eq(option_flags_next(&walk, &flag, &err), 0);
	ck_assert_int_eq(option_flags_next(&nothing, &flag, &err), 0);
}
