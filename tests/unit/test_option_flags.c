/*
 * Tests of supervisor/options/option_flags: the forms in which a flag can be
 * written, and one clear sentence for each that is wrong.
 */
#include <stdlib.h>
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

START_TEST(reads_a_flag)
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
END_TEST

START_TEST(ends_at_the_end)
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
END_TEST

static const struct {
	const char *args[ARGS_MAX];
	const char *says;
} bad[] = {
	{ { "--timeout" }, "--timeout lacks its value, which must be a time "
	    "from 1s to 24h, such as 30, 30s, 2m or 1h" },
	{ { "--timout", "3" },
	    "--timout is not an option: did you mean --timeout?" },
	{ { "--timout=3" },
	    "--timout is not an option: did you mean --timeout?" },
	{ { "-timeout=3" },
	    "-timeout is not an option: did you mean --timeout?" },
	{ { "--max_timeout=3" },
	    "--max_timeout is not an option: did you mean --max-timeout?" },
	{ { "--TIMEOUT=3" },
	    "--TIMEOUT is not an option: did you mean --timeout?" },
	{ { "--chek" }, "--chek is not an option: did you mean --check?" },
	{ { "--frobnicate" },
	    "--frobnicate is not an option: 'caisson --help' lists them" },
	{ { "--xyzzy=x" },
	    "--xyzzy is not an option: 'caisson --help' lists them" },
	{ { "-x" }, "-x is not an option: 'caisson --help' lists them" },
	{ { "--" }, "-- is not an option: 'caisson --help' lists them" },
	{ { "-" }, "- is not an option: 'caisson --help' lists them" },
	{ { "--=3" }, "-- is not an option: 'caisson --help' lists them" },
	{ { "serve" }, "the command \"serve\" must come before all options" },
	{ { "zed" }, "\"zed\" is not understood: only options may follow an "
	    "option, 'caisson --help' lists them" },
	{ { "" }, "\"\" is not understood: only options may follow an "
	    "option, 'caisson --help' lists them" },
	{ { "=" }, "\"\" is not understood: only options may follow an "
	    "option, 'caisson --help' lists them" },
	{ { "--check=1" }, "--check takes no value" },
	{ { "-v=1" }, "-v takes no value" },
	{ { "--a\n\033[31m" }, "--a\\x0a\\x1b[31m is not an option: "
	    "'caisson --help' lists them" },
	{ { "--0123456789012345678901234567890123456789012345678901234567890123"
	    "456789" },
	    "--0123456789012345678901234567890123456789012345678901234567... "
	    "is not an option: 'caisson --help' lists them" },
};

START_TEST(refuses_what_is_no_flag)
{
	const char *const *args = bad[_i].args;
	struct option_flags walk = { .argc = count(args),
		.argv = (char **)args };
	struct option_flag flag;
	struct err err;

	ck_assert_int_eq(option_flags_next(&walk, &flag, &err), -1);
	ck_assert_str_eq(err.text, bad[_i].says);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(tc, reads_a_flag, 0, UNIT_COUNT(good));
	tcase_add_test(tc, ends_at_the_end);
	tcase_add_loop_test(tc, refuses_what_is_no_flag, 0, UNIT_COUNT(bad));
}

int
main(void)
{
	return unit_run("option_flags", add);
}
