/*
 * Tests of supervisor/command/print_config: the text that a person reads, in
 * which no foreign byte is raw and no secret stands.
 */
#include <string.h>

#include "common/mem.h"
#include "supervisor/command/command.h"
#include "supervisor/servers/servers.h"
#include "supervisor/supervisor.h"
#include "unit.h"

static const struct server_source variable = {
	.name = "CAISSON_SERVERS_CONFIG" };
static const struct server_source home = { .name = "~/MCPs/*.json" };
static const struct server_source cursor = { .name = "Cursor", .client = 1 };

static struct server_file files[] = {
	{ .source = &variable, .state = SERVER_FILE_MISSING,
	    .why = (char[]){ "is not set" } },
	{ .source = &home, .state = SERVER_FILE_TAKEN,
	    .path = (char[]){ "/h/a\x1b.json" } },
	{ .source = &home, .state = SERVER_FILE_REFUSED,
	    .path = (char[]){ "/h/b.json" }, .why = (char[]){ "is bad" } },
	{ .source = &home, .state = SERVER_FILE_SKIPPED,
	    .path = (char[]){ "/h" }, .why = (char[]){ "has none" } },
	{ .source = &cursor, .state = SERVER_FILE_MISSING,
	    .path = (char[]){ "/h/c\n.json" },
	    .why = (char[]){ "there is no such file" } },
	{ .source = &cursor, .state = SERVER_FILE_TAKEN,
	    .path = (char[]){ "/h/d.json" } },
	{ .source = &cursor, .state = SERVER_FILE_MISSING,
	    .path = (char[]){ "/h/e.json" },
	    .why = (char[]){ "there is no such file" } },
	/* The current folder is the home directory. */
	{ .source = &cursor, .state = SERVER_FILE_MISSING,
	    .path = (char[]){ "/h/c\n.json" },
	    .why = (char[]){ "there is no such file" } },
};

static struct server list[] = {
	{ .file = &files[1], .line = 2, .column = 3, .state = SERVER_TAKEN,
	    .name = (char[]){ "fs" }, .command = (char[]){ "npx" },
	    .args = { (char[]){ "secret\0secret" }, 14 },
	    .env = { (char[]){ "A\0secret\0B\0secret" }, 18 },
	    .cwd = (char[]){ "/x" }, .description = (char[]){ "a\nb" },
	    .narrowed = 1, .deny = { (char[]){ "a\x1b*\0b" }, 6 },
	    .program = (char[]){ "/usr/bin/npx" } },
	{ .file = &files[1], .line = 4, .column = 5, .state = SERVER_TAKEN,
	    .name = (char[]){ "q\"" }, .command = (char[]){ "${X}" },
	    .args = { (char[]){ "one" }, 4 }, .env = { (char[]){ "" }, 0 },
	    .cwd = (char[]){ "" }, .description = (char[]){ "" },
	    .program = (char[]){ "/usr/bin/secret" } },
	{ .file = &files[1], .line = 6, .column = 7, .state = SERVER_TAKEN,
	    .name = (char[]){ "lost" }, .command = (char[]){ "lost" },
	    .args = { (char[]){ "" }, 0 }, .env = { (char[]){ "" }, 0 },
	    .cwd = (char[]){ "" }, .description = (char[]){ "" },
	    .searched = (char[]){ "/a:/b\n" } },
	{ .file = &files[1], .line = 7, .column = 7, .state = SERVER_TAKEN,
	    .name = (char[]){ "gone" }, .command = (char[]){ "/gone" },
	    .args = { (char[]){ "" }, 0 }, .env = { (char[]){ "" }, 0 },
	    .cwd = (char[]){ "" }, .description = (char[]){ "" } },
	{ .file = &files[1], .line = 8, .column = 9, .state = SERVER_SKIPPED,
	    .name = (char[]){ "sk" }, .why = (char[]){ "says \"no\"" } },
	{ .file = &files[1], .line = 8, .column = 10,
	    .state = SERVER_REJECTED, .name = (char[]){ "rj" },
	    .why = (char[]){ "has \x1b in it" } },
	{ .file = &files[2], .line = 1, .column = 1, .state = SERVER_REJECTED,
	    .name = (char[]){ "" }, .why = (char[]){ "a comma" } },
};

/* What is printed of the first so many entries; the caller frees it. */
static char *
printed(size_t entries)
{
	struct servers servers = { 0 };
	char *text = NULL;
	size_t i, len;
	FILE *out = open_memstream(&text, &len);

	TAILQ_INIT(&servers.files);
	TAILQ_INIT(&servers.list);
	for (i = 0; i < UNIT_COUNT(files); i++)
		TAILQ_INSERT_TAIL(&servers.files, &files[i], entry);
	for (i = 0; i < entries; i++)
		TAILQ_INSERT_TAIL(&servers.list, &list[i], entry);
	print_config(&servers, out);
	fclose(out);
	return text;
}

#define HEAD "Sources, in their order; the first definition of a name wins:\n\n"

/* Missing files of other programs are reported in few words. */
#define ABSENT "taken    /h/d.json (Cursor): 0 servers\n"                      \
	"\nNot found, of other programs:\n  /h/c\\x0a.json /h/e.json\n"

START_TEST(prints_everything)
{
	auto_free char *text = printed(UNIT_COUNT(list));

	ck_assert_str_eq(text, HEAD
	    "missing  CAISSON_SERVERS_CONFIG: is not set\n"
	    "taken    /h/a\\x1b.json: 4 servers\n"
	    "         /h/a\\x1b.json:8:9: \"sk\" skipped: says \"no\"\n"
	    "         /h/a\\x1b.json:8:10: \"rj\" rejected: has \\x1b in it\n"
	    "refused  /h/b.json: is bad\n"
	    "         /h/b.json:1:1: a comma\n"
	    "skipped  /h: has none\n" ABSENT
	    "\nServers:\n"
	    "\nfs\n"
	    "    source       /h/a\\x1b.json:2:3\n"
	    "    command      npx, 2 arguments\n"
	    "    program      /usr/bin/npx\n"
	    "    variables    A, B\n"
	    "    cwd          /x\n"
	    "    description  a\\x0ab\n"
	    "    allowed      none\n"
	    "    denied       a\\x1b*, b\n"
	    "\nq\\\"\n"
	    "    source       /h/a\\x1b.json:4:5\n"
	    "    command      ${X}, 1 argument\n"
	    "\nlost\n"
	    "    source       /h/a\\x1b.json:6:7\n"
	    "    command      lost, 0 arguments\n"
	    "    program      not found; searched /a:/b\\x0a\n"
	    "\ngone\n"
	    "    source       /h/a\\x1b.json:7:7\n"
	    "    command      /gone, 0 arguments\n"
	    "    program      not found\n");
	ck_assert_ptr_null(strstr(text, "secret"));
}
END_TEST

START_TEST(says_when_there_is_none)
{
	auto_free char *text = printed(0);

	ck_assert_str_eq(text, HEAD
	    "missing  CAISSON_SERVERS_CONFIG: is not set\n"
	    "taken    /h/a\\x1b.json: 0 servers\n"
	    "refused  /h/b.json: is bad\n"
	    "skipped  /h: has none\n" ABSENT
	    "\nNo servers.\n");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, prints_everything);
	tcase_add_test(tc, says_when_there_is_none);
}

int
main(void)
{
	return unit_run("print_config", add_tests);
}
