/*
 * Tests of supervisor/command/adopt/adopt_edit and worker/reader/locator:
 * what files look like with some of their entries cut out, and with one put in.
 */
#include <string.h>

#include "adopt_play.h"
#include "tests/unit/unit.h"

#define PUT "\"new\": {}"
#define ONE "{\"command\":\"a\"}"
#define BOM "\xef\xbb\xbf"

static struct adopt_play play;

static const struct {
	const char *text;
	const char *cuts;
	const char *put;
	const char *wanted;
} json[] = {
	/* One entry of each place, on lines of their own */
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE ",\n    \"b\": " ONE
	  ",\n    \"c\": " ONE "\n  }\n}\n", "-++", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {},\n    \"b\": " ONE
	    ",\n    \"c\": " ONE "\n  }\n}\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE ",\n    \"b\": " ONE
	  "\n  }\n}\n", "+-", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {},\n    \"a\": " ONE
	    "\n  }\n}\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE ",\n    \"b\": " ONE
	  "\n  }\n}\n", "-", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	/* None put in: the comma goes with the last one */
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE ",\n    \"b\": " ONE
	  "\n  }\n}\n", "+-", NULL,
	    "{\n  \"mcpServers\": {\n    \"a\": " ONE "\n  }\n}\n" },
	{ "{\"mcpServers\":{\"a\":" ONE ",\"b\":" ONE ",\"c\":" ONE "}}",
	    "+-", NULL, "{\"mcpServers\":{\"a\":" ONE "}}" },
	{ "{\"mcpServers\":{\"a\":" ONE ",}}", "-", NULL,
	    "{\"mcpServers\":{}}" },
	{ "{\n\t\"mcpServers\": {\n\t\t\"a\": " ONE ",\n\t\t\"b\": " ONE
	  ",\n\t},\n}", "+-", NULL,
	    "{\n\t\"mcpServers\": {\n\t\t\"a\": " ONE ",\n\t},\n}" },
	{ "{\"mcpServers\":{\"a\":" ONE ",\"b\":" ONE "}}", "-", NULL,
	    "{\"mcpServers\":{}}" },
	/* On one line */
	{ "{\"mcpServers\":{\"a\":" ONE "}}", "+", PUT,
	    "{\"mcpServers\":{\"new\": {},\"a\":" ONE "}}" },
	{ "{ \"mcpServers\": { \"a\": " ONE ", \"b\": " ONE " } }", "-", PUT,
	    "{ \"mcpServers\": { \"new\": {} } }" },
	{ "{ \"mcpServers\": { \"a\": " ONE ", \"b\": " ONE " } }", "-+", PUT,
	    "{ \"mcpServers\": { \"new\": {}, \"b\": " ONE " } }" },
	/* CRLF, a byte order mark, tabs */
	{ BOM "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": " ONE ",\r\n\t\t\"b\": "
	  ONE "\r\n\t}\r\n}\r\n", "-+", PUT,
	    BOM "{\r\n\t\"mcpServers\": {\r\n\t\t\"new\": {},\r\n\t\t\"b\": "
	    ONE "\r\n\t}\r\n}\r\n" },
	{ "{\r\n \"x\": 1\r\n}", "+", PUT,
	    "{\r\n \"mcpServers\": {\r\n  \"new\": {}\r\n },\r\n \"x\": 1"
	    "\r\n}" },
	/* Comments stay, whatever is in them, but for one before a comma */
	{ "{\n  // mine }\n  \"mcpServers\": {\n    // the first, \"b\": 1\n"
	  "    \"a\": " ONE ", // token\n    /* two\n     lines */ \"b\": "
	  ONE " /* , */ , // last,\n  } // end\n}\n", "-", PUT,
	    "{\n  // mine }\n  \"mcpServers\": {\n    \"new\": {}\n"
	    "    // the first, \"b\": 1\n    // token\n    /* two\n     lines "
	    "*/ // last,\n  } // end\n}\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE " // it, /* is\n  }\n}\n",
	    "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {},\n    \"a\": " ONE
	    " // it, /* is\n  }\n}\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\": " ONE ", /* x */ // y\n  }\n}\n",
	    "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {},\n    \"a\": " ONE
	    ", /* x */ // y\n  }\n}\n" },
	{ "{\n  \"mcpServers\": { \"a\": " ONE " // it\n  }\n}\n", "+", PUT,
	    "{\n  \"mcpServers\": { \"new\": {}, \"a\": " ONE " // it\n"
	    "  }\n}\n" },
	{ "{\"mcpServers\":{\"a\":" ONE " /* x */ , /* y */ }}", "-", NULL,
	    "{\"mcpServers\":{/* y */ }}" },
	{ "{\"mcpServers\":{\"a\":" ONE " /* x */ , \"b\":" ONE "}}", "-+",
	    NULL, "{\"mcpServers\":{\"b\":" ONE "}}" },
	/* An empty list, none, an empty file */
	{ "{\n  \"mcpServers\": {}\n}\n", "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	{ "{\n  \"mcpServers\": {\n  }\n}\n", "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	{ "{\"mcpServers\":{}}", "+", PUT,
	    "{\"mcpServers\":{ \"new\": {} }}" },
	{ "{}", "+", PUT, "{ \"mcpServers\": { \"new\": {} } }" },
	{ "{\n}\n", "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	{ "{\"x\":1}", "+", PUT,
	    "{\"mcpServers\": {\"new\": {}},\"x\":1}" },
	{ "{\n    \"x\": [\n    ]\n}\n", "+", PUT,
	    "{\n    \"mcpServers\": {\n        \"new\": {}\n    },\n"
	    "    \"x\": [\n    ]\n}\n" },
	{ "", "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	{ " \n", "+", PUT,
	    "{\n  \"mcpServers\": {\n    \"new\": {}\n  }\n}\n" },
	/* Entries that are wrong count, too; those of a second list stay */
	{ "{\"mcpServers\":{\"a\":" ONE ",\"b\":5}}", "-+", PUT,
	    "{\"mcpServers\":{\"new\": {},\"b\":5}}" },
	{ "{\"servers\":{\"b\":" ONE "},\"mcpServers\":{\"a\":" ONE "}}", "-",
	    NULL, "{\"servers\":{\"b\":" ONE "},\"mcpServers\":{}}" },
};

static void
check(enum config_shape shape, const char *text, const char *cuts,
    const char *put, const char *wanted)
{
	auto_buffer struct buffer out = { 0 };
	struct err err;

	adopt_play_read(&play, text, strlen(text), shape);
	ck_assert_uint_eq(play.gaps, 1);
	ck_assert_int_eq(adopt_play_edit(&play, text, strlen(text), cuts, put,
	    &out, &err), 0);
	ck_assert_str_eq(out.data, wanted);
	adopt_play_free(&play);
}

UNIT_TESTS(edits_json, UNIT_COUNT(json))
{
	check(CONFIG_SHAPE_CLIENT, json[_i].text, json[_i].cuts, json[_i].put,
	    json[_i].wanted);
}

#define SECTION "[mcp_servers.new]\ncommand = \"n\""
#define MINE "[mcp_servers.a]\ncommand = \"a\"\n"

static const struct {
	const char *text;
	const char *cuts;
	const char *put;
	const char *wanted;
} toml[] = {
	{ "model = \"m\"\n\n" MINE "\n[x]\ny = 1\n", "-", SECTION,
	    "model = \"m\"\n\n" SECTION "\n\n[x]\ny = 1\n" },
	{ "model = \"m\"\n\n" MINE "\n[x]\ny = 1\n", "-", NULL,
	    "model = \"m\"\n\n[x]\ny = 1\n" },
	/* Those whose sections are not together stay; comments behind, too. */
	{ "# one\n" MINE "[x]\ny = 1\n[mcp_servers.a.env]\nT = \"t\"\n", "-",
	    SECTION, "# one\n" SECTION "\n\n" MINE "[x]\ny = 1\n"
	    "[mcp_servers.a.env]\nT = \"t\"\n" },
	{ "# one\n" MINE "# in it\nargs = [\n  \"x\", # y\n]\n"
	  "[mcp_servers.a.env]\nT = \"t\"\n\n\n# behind\n"
	  "[mcp_servers.\"b c\"]\ncommand='b'\n", "-+", SECTION,
	    "# one\n" SECTION "\n\n# behind\n"
	    "[mcp_servers.\"b c\"]\ncommand='b'\n" },
	{ MINE "[mcp_servers.\"b c\"]\ncommand='b'\n  [mcp_servers.'b c'.env]"
	  "\n  X = '1'\n", "+-", NULL, MINE },
	{ "[[x]]\n[mcp_servers.a]\r\ncommand = \"a\"\r\n\r\n[y]\r\n", "-",
	    NULL, "[[x]]\n[y]\r\n" },
	/* Dotted keys and inline tables, a line for each */
	{ "[mcp_servers]\na = { command = \"a\" } # x\nb.command = \"b\"\n"
	  "b.args = []\n", "-+", NULL,
	    "[mcp_servers]\nb.command = \"b\"\nb.args = []\n" },
	{ "[mcp_servers]\na = { command = \"a\" } # x\nb.command = \"b\"\n"
	  "b.args = []\n", "+-", SECTION,
	    "[mcp_servers]\na = { command = \"a\" } # x\n\n" SECTION "\n" },
	/* No table of them, an empty file, no line end */
	{ "x = 1\n", "+", SECTION, "x = 1\n\n" SECTION "\n" },
	{ "x = 1", "+", SECTION, "x = 1\n\n" SECTION "\n" },
	{ "x = 1\n\n", "+", SECTION, "x = 1\n\n" SECTION "\n" },
	{ "", "+", SECTION, SECTION "\n" },
	{ "# x\n", "+", SECTION, "# x\n\n" SECTION "\n" },
};

UNIT_TESTS(edits_toml, UNIT_COUNT(toml))
{
	check(CONFIG_SHAPE_CODEX, toml[_i].text, toml[_i].cuts, toml[_i].put,
	    toml[_i].wanted);
}

/* Files into which nothing can be put. */
static const struct {
	enum config_shape shape;
	const char *text;
	const char *why;
} unfit[] = {
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":null}", "not an object" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{},\"mcpServers\":{}}",
	    "not an object" },
	{ CONFIG_SHAPE_CODEX, "mcp_servers = { a = { command = \"a\" } }",
	    "inline table" },
	{ CONFIG_SHAPE_GOOSE, "extensions:\n  a:\n    cmd: x\n", "YAML" },
};

UNIT_TESTS(says_what_cannot_be_edited, UNIT_COUNT(unfit))
{
	auto_buffer struct buffer out = { 0 };
	const char *text = unfit[_i].text;
	struct err err;

	adopt_play_read(&play, text, strlen(text), unfit[_i].shape);
	ck_assert_uint_eq(play.gaps, 1);
	ck_assert_int_eq(adopt_play_edit(
	    &play, text, strlen(text), "+", PUT, &out, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, unfit[_i].why));
	adopt_play_free(&play);
}

/* Members that only the client can honour. */
UNIT_TESTS(names_what_is_tied_to_a_client, 8)
{
	static const struct {
		const char *member;
		const char *tied;
	} members[] = {
		{ "\"timeout\":5", "" },
		{ "\"sandboxEnabled\":false", "" },
		{ "\"sandboxEnabled\":true", "sandboxEnabled" },
		{ "\"sandbox\":{}", "sandbox" },
		{ "\"tools\":[\"*\"]", "" },
		{ "\"tools\":{\"deny\":[\"x\"]}", "" },
		{ "\"tools\":{\"x\":{\"approval_mode\":\"never\"}}",
		    "tools" },
		{ "\"env_vars\":[\"X\"]", "env_vars" },
	};
	auto_free char *text = mem_printf("{\"mcpServers\":{\"a\":"
	    "{\"command\":\"a\",%s}}}", members[_i].member);

	adopt_play_read(&play, text, strlen(text), CONFIG_SHAPE_CLIENT);
	ck_assert_uint_eq(play.count, 1);
	ck_assert_str_eq(play.locations[0].tied, members[_i].tied);
	adopt_play_free(&play);
}

/* A place outside of the file is one that no reader has found there. */
UNIT_TEST(stays_within_the_file)
{
	auto_buffer struct buffer out = { 0 };
	const char text[] = "{\"mcpServers\":{\"a\":" ONE "}}";
	struct err err;

	adopt_play_read(&play, text, strlen(text), CONFIG_SHAPE_CLIENT);
	ck_assert_int_eq(adopt_play_edit(
	    &play, text, 20, "-", NULL, &out, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "outside of the file"));
	adopt_play_free(&play);
}
