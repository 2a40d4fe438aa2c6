/*
 * Tests of supervisor/expand: what is filled in, what stays, what is refused;
 * no error shows a value.
 */
#include <string.h>

#include "common/limits.h"
#include "common/mem.h"
#include "supervisor/servers.h"
#include "unit.h"

static char *environment[] = { "A=secret", "EMPTY=", "AB=other", "_x9=nine",
	"NESTED=${A}", NULL };

static const struct {
	const char *text;
	const char *expanded;
} good[] = {
	{ "", "" },
	{ "plain", "plain" },
	{ "${A}", "secret" },
	{ "a${A}b${AB}c", "asecretbotherc" },
	{ "${_x9}", "nine" },
	{ "${EMPTY}", "" },
	{ "${env:A}", "secret" },
	{ "${A:-d}", "secret" },
	{ "${NONE:-d}", "d" },
	{ "${NONE:-}", "" },
	{ "${NONE:-a:b-c $x}", "a:b-c $x" },
	{ "${EMPTY:-d}", "d" },
	{ "${env:NONE:-d}", "d" },
	{ "${NESTED}", "${A}" }, /* once, not again and again */
	/* What is none of ours stays: a shell has its own uses. */
	{ "$A", "$A" },
	{ "$", "$" },
	{ "${", "${" },
	{ "${A", "${A" },
	{ "${}", "${}" },
	{ "${1}", "${1}" },
	{ "${#A}", "${#A}" },
	{ "${A:-d", "${A:-d" },
	{ "${A%x}", "${A%x}" },
	{ "${:-x}", "${:-x}" },
	{ "${A:}", "${A:}" },
	{ "${${A}}", "${secret}" },
	{ "$${A}", "$secret" },
};

START_TEST(expands)
{
	struct err err = { .text = "" };
	auto_free char *text = expand_text(good[_i].text, environment, &err);

	ck_assert_msg(text != NULL, "%s: %s", good[_i].text, err.text);
	ck_assert_str_eq(text, good[_i].expanded);
}
END_TEST

static const struct {
	const char *text;
	const char *sentence;
} bad[] = {
	{ "${A}${NONE}", "uses ${NONE}, which is not set: set it, or write "
	    "${NONE:-default}" },
	{ "${env:NONE}", "uses ${NONE}, which is not set: set it, or write "
	    "${NONE:-default}" },
	{ "${a}", "uses ${a}, which is not set: set it, or write "
	    "${a:-default}" },
	{ "${input:token}", "uses ${input:token}, which only another program "
	    "can fill in: write ${VARIABLE} and set it" },
	{ "${workspaceFolder}", "uses ${workspaceFolder}, which is not set: "
	    "set it, or write ${workspaceFolder:-default}" },
};

START_TEST(refuses)
{
	struct err err;

	ck_assert_ptr_null(expand_text(bad[_i].text, environment, &err));
	ck_assert_str_eq(err.text, bad[_i].sentence);
}
END_TEST

/* However often a variable is used, the memory stays bounded. */
START_TEST(the_result_is_bounded)
{
	auto_free char *value = mem_alloc(CONFIG_EXPANDED_MAX + 4);
	char *envp[] = { value, NULL };
	struct err err;
	int extra;

	for (extra = 0; extra < 2; extra++) {
		auto_free char *text = NULL;

		memset(value, 'x', CONFIG_EXPANDED_MAX + 2 + (size_t)extra);
		memcpy(value, "V=", 2);
		text = expand_text("${V}", envp, &err);
		ck_assert_int_eq(text != NULL, extra == 0);
	}
	ck_assert_ptr_null(expand_text("${V}${V}${V}${V}", envp, &err));
	ck_assert_str_eq(err.text, "has more than 131071 bytes when its "
	    "variables are filled in, which no program can be given");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, expands, 0, UNIT_COUNT(good));
	tcase_add_loop_test(tc, refuses, 0, UNIT_COUNT(bad));
	tcase_add_test(tc, the_result_is_bounded);
}

int
main(void)
{
	return unit_run("expand", add_tests);
}
