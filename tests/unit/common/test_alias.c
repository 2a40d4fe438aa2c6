/*
 * Tests of common/alias: the alias of one name, what names that become the
 * same get, that the order in which they come does not matter, and what names
 * mean.
 */
#include <string.h>

#include "common/alias.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

static const struct {
	const char *name;
	const char *alias;
} single[] = {
	{ "fs", "fs" },
	{ "", "tool" },
	{ "!!!", "_" },
	{ "_", "_" },
	{ "__", "__" },
	{ "Read-File", "read_file" },
	{ "a.b/c d", "a_b_c_d" },
	{ "a...b", "a_b" },
	{ "a-_b", "a__b" },
	{ ".a.", "_a_" },
	{ "9lives", "_9lives" },
	{ "-9", "_9" },
	{ "0", "_0" },
	{ "\xc3\xa4\xc3\xb6", "_" },
	{ "caf\xc3\xa9s", "caf_s" },
	{ "\xff\x01z", "_z" },
	{ "I\xcc\x87", "i_" },
	{ "class", "class_" },
	{ "Class", "class_" },
	{ "class-", "class_" },
	{ "yield", "yield_" },
	{ "and", "and_" },
	{ "None", "none" },
	{ "TRUE", "true" },
	{ "match", "match" },
	{ "classes", "classes" },
	{ "azAZ09_@[`{/:", "azaz09__" },
};

UNIT_TESTS(makes_an_alias, UNIT_COUNT(single))
{
	auto_free char *alias = NULL;

	alias_assign(&single[_i].name, 1, "tool", &alias);
	ck_assert_str_eq(alias, single[_i].alias);
}

/* Every hard keyword that is written in lower case gets its mark. */
UNIT_TEST(marks_keywords)
{
	static const char *const keywords[] = { "and", "as", "assert", "async",
		"await", "break", "class", "continue", "def", "del", "elif",
		"else", "except", "finally", "for", "from", "global", "if",
		"import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise", "return", "try", "while", "with", "yield" };
	size_t n;

	for (n = 0; n < UNIT_COUNT(keywords); n++) {
		auto_free char *alias = NULL;
		auto_free char *marked = mem_printf("%s_", keywords[n]);

		alias_assign(&keywords[n], 1, "tool", &alias);
		ck_assert_str_eq(alias, marked);
	}
}

/* Up to five names in the order of their bytes, and what each must get. */
static const struct {
	const char *names[6];
	const char *aliases[5];
} sets[] = {
	{ { NULL }, { NULL } },
	/* A name that is its own alias has it, wherever it stands. */
	{ { "A", "a" }, { "a_2", "a" } },
	{ { "Secret_Read", "secret-read", "secret_read" },
	    { "secret_read_2", "secret_read_3", "secret_read" } },
	/* None is: as sorted. */
	{ { "A", "A!", "a?" }, { "a", "a_", "a__2" } },
	{ { "A!", "A?", "a!", "a_" }, { "a__2", "a__3", "a__4", "a_" } },
	/* No natural alias is lost to a made-up one. */
	{ { "A", "a", "a_2" }, { "a_3", "a", "a_2" } },
	{ { "A", "A_2", "a", "a_2", "a_3" },
	    { "a_4", "a_2_2", "a", "a_2", "a_3" } },
	{ { "A_2", "B", "a", "a_2", "b" },
	    { "a_2_2", "b_2", "a", "a_2", "b" } },
	{ { "CLASS", "class", "class_" },
	    { "class__2", "class__3", "class_" } },
	{ { "", "Tool", "tool" }, { "tool_2", "tool_3", "tool" } },
	{ { "!", "-", "_", "__" }, { "__2", "__3", "_", "__" } },
	/* A server may well give a name twice. */
	{ { "a", "a", "a" }, { "a", "a_2", "a_3" } },
};

/* Gives the names of a set in an order of its own: turned and mirrored. */
static void
check_order(int set, size_t count, size_t turn, int mirrored)
{
	const char *names[5] = { NULL };
	char *aliases[5];
	size_t n, from[5];

	for (n = 0; n < count; n++) {
		from[n] = (n + turn) % count;
		if (mirrored)
			from[n] = count - 1 - from[n];
		names[n] = sets[set].names[from[n]];
	}
	alias_assign(names, count, "tool", aliases);
	for (n = 0; n < count; n++) {
		if (strcmp(names[0], names[count - 1]) != 0)
			ck_assert_str_eq(
			    aliases[n], sets[set].aliases[from[n]]);
		free(aliases[n]);
	}
}

UNIT_TESTS(resolves_collisions, UNIT_COUNT(sets))
{
	char *aliases[5];
	size_t n, count = 0;

	while (sets[_i].names[count] != NULL)
		count++;
	alias_assign(sets[_i].names, count, "tool", aliases);
	for (n = 0; n < count; n++) {
		ck_assert_str_eq(aliases[n], sets[_i].aliases[n]);
		free(aliases[n]);
	}
	for (n = 0; n < count; n++) {
		check_order(_i, count, n, 0);
		check_order(_i, count, n, 1);
	}
}

/* Which of these, by name and alias, a name means. */
static const char *const meant[][2] = { { "git-hub1_2", "git_hub1_2" },
	{ "a-b", "a_b" }, { "A.B", "a_b_2" }, { "x.y", "x_y" }, { "é", "_" } };

static const struct {
	const char *name, *server, *tool; /* NULL: none */
} meanings[] = {
	{ "git_hub1_2", "git-hub1_2", "git-hub1_2" },
	{ "GitHub1_2", "git-hub1_2", "git-hub1_2" },
	{ "MCP_gitHub1_2", "git-hub1_2", NULL },
	{ "GIT_HUB12", NULL, NULL },
	{ "git-hub1__2", NULL, NULL },
	{ "git.hub1.2", NULL, NULL },
	{ "a_b", "a-b", "a-b" },
	{ "a_b_2", "A.B", "A.B" },
	{ "A_B", NULL, NULL },
	{ "X-Y", "x.y", NULL },
	{ "mcp_", NULL, NULL },
	{ "", NULL, NULL },
};

UNIT_TESTS(finds_what_a_name_means, UNIT_COUNT(meanings))
{
	struct alias_search server = alias_search_server(meanings[_i].name);
	struct alias_search tool = alias_search_tool(meanings[_i].name);
	size_t n;

	for (n = 0; n < UNIT_COUNT(meant); n++) {
		alias_try(&server, meant[n][0], meant[n][1], meant[n][0]);
		alias_try(&tool, meant[n][0], meant[n][1], meant[n][0]);
	}
	ck_assert_pstr_eq(alias_found(&server), meanings[_i].server);
	ck_assert_pstr_eq(alias_found(&tool), meanings[_i].tool);
}
