/*
 * Tests of supervisor/servers/expand: what is filled in, what stays, what is
 * refused; no error shows a value.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit.h"

static char *environment[] = { "A=secret", "EMPTY=", "AB=other", "_x9=nine",
	"NESTED=${A}",
	"HOME=/home/me", NULL };

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
	{ "${workspaceFolder}/x", "/work/here/x" },
	{ "${workspaceFolderBasename}", "here" },
	{ "${userHome}${pathSeparator}x", "/home/me/x" },
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

UNIT_EACH(expands, UNIT_COUNT(good))
{
	struct expand expand = { .envp = environment,
		.folder = "/work/here" };
	struct err err = { .text = "" };
	auto_free char *text = expand_text(&expand, good[_i].text, &err);

	ck_assert_msg(text != NULL, "%s: %s", good[_i].text, err.text);
	ck_assert_str_eq(text, good[_i].expanded);
}

static const struct {
	const char *text;
	const char *sentence;
	int foreign;
} bad[] = {
	{ "${A}${NONE}", "uses ${NONE}, which is not set: set it, or write "
	    "${NONE:-default}", 0 },
	{ "${env:NONE}", "uses ${NONE}, which is not set: set it, or write "
	    "${NONE:-default}", 0 },
	{ "${a}", "uses ${a}, which is not set: set it, or write "
	    "${a:-default}", 0 },
	{ "${input:token}", "uses ${input:token}, which only another program "
	    "can fill in: write ${VARIABLE} and set it", 1 },
	{ "${workspaceFolder}", "uses ${workspaceFolder}, which is not set: "
	    "set it, or write ${workspaceFolder:-default}", 0 },
	{ "${env:userHome}", "uses ${userHome}, which is not set: set it, or "
	    "write ${userHome:-default}", 0 },
};

UNIT_EACH(refuses, UNIT_COUNT(bad))
{
	struct expand expand = { .envp = environment };
	struct err err;

	ck_assert_ptr_null(expand_text(&expand, bad[_i].text, &err));
	ck_assert_str_eq(err.text, bad[_i].sentence);
	ck_assert_int_eq(expand.foreign, bad[_i].foreign);
}

/* Ways that only the files of some clients have. */
static const struct {
	enum config_shape shape;
	const char *text;
	const char *expanded;
} clients[] = {
	{ CONFIG_SHAPE_CLIENT, "$A {env:A}", "$A {env:A}" },
	{ CONFIG_SHAPE_GEMINI, "$A-${A} {env:A}", "secret-secret {env:A}" },
	{ CONFIG_SHAPE_GEMINI, "$AB$A", "othersecret" },
	{ CONFIG_SHAPE_GEMINI, "$NONE $ $1 $", "$NONE $ $1 $" },
	{ CONFIG_SHAPE_MCP, "$A {env:A}", "$A secret" },
	{ CONFIG_SHAPE_MCP, "a{env:A}b${A}", "asecretbsecret" },
	{ CONFIG_SHAPE_MCP, "{env:} {env:A {x}", "{env:} {env:A {x}" },
};

UNIT_EACH(clients_have_their_ways, UNIT_COUNT(clients))
{
	struct expand expand = { .envp = environment,
		.shape = clients[_i].shape };
	struct err err;
	auto_free char *text = expand_text(&expand, clients[_i].text, &err);

	ck_assert_str_eq(text, clients[_i].expanded);
}

UNIT_TEST(a_variable_in_braces_must_be_set)
{
	struct expand expand = { .envp = environment,
		.shape = CONFIG_SHAPE_MCP };
	struct err err;

	ck_assert_ptr_null(expand_text(&expand, "{env:NONE}", &err));
	ck_assert_str_eq(err.text, "uses ${NONE}, which is not set: set it, "
	    "or write ${NONE:-default}");
}

/* However often a variable is used, the memory stays bounded. */
UNIT_TEST(the_result_is_bounded)
{
	auto_free char *value = mem_alloc(CONFIG_EXPANDED_MAX + 4);
	char *envp[] = { value, NULL };
	struct expand expand = { .envp = envp };
	struct err err;
	int extra;

	for (extra = 0; extra < 2; extra++) {
		auto_free char *text = NULL;

		memset(value, 'x', CONFIG_EXPANDED_MAX + 2 + (size_t)extra);
		memcpy(value, "V=", 2);
		text = expand_text(&expand, "${V}", &err);
		ck_assert_int_eq(text != NULL, extra == 0);
	}
	ck_assert_ptr_null(expand_text(&expand, "${V}${V}${V}${V}", &err));
	ck_assert_str_eq(err.text, "has more than 131071 bytes when its "
	    "variables are filled in, more than can be passed to a "
	    "program");
}
