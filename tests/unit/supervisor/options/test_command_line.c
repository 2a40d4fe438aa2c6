/*
 * Tests of supervisor/options/command_line: the forms of a command line, and
 * what they are about. Wrong ones are in tests/e2e/wrong-invocations.
 */
#include "supervisor/options/command_line.h"
#include "supervisor/options/option_table.h"
#include "tests/unit/unit.h"

#define ARGS_MAX 8

static struct command_option given[ARGS_MAX];
static size_t given_count;

static int
read_line(const char *const *words, struct command *command, struct err *err)
{
	char *argv[ARGS_MAX + 2] = { (char *)"caisson" };
	int argc;

	for (argc = 1; words[argc - 1] != NULL; argc++)
		argv[argc] = (char *)words[argc - 1];
	return command_line_read(argc, argv, command, given, &given_count, err);
}

static const struct {
	const char *words[ARGS_MAX];
	enum command_task task;
	const char *operand, *other;
} good[] = {
	{ { NULL }, COMMAND_NONE, NULL, NULL },
	{ { "--check" }, COMMAND_CONFIG_CHECK, NULL, NULL },
	{ { "servers" }, COMMAND_SERVERS_LIST, NULL, NULL },
	{ { "servers", "--print-config" }, COMMAND_SERVERS_LIST, NULL, NULL },
	{ { "servers", "test", "--pids=9" }, COMMAND_SERVERS_TEST, NULL, NULL },
	{ { "selftest", "--selftest" }, COMMAND_SELFTEST, NULL, NULL },
	{ { "-v", "--selftest" }, COMMAND_SELFTEST, NULL, NULL },
	{ { "client", "cursor" }, COMMAND_CLIENT, "cursor", NULL },
	{ { "--print-client-config", "x" }, COMMAND_CLIENT, "x", NULL },
	{ { "--print-client-config=x" }, COMMAND_CLIENT, "x", NULL },
	{ { "--print-client-config", "--log-level", "warn" }, COMMAND_CLIENT,
	    NULL, NULL },
	{ { "config" }, COMMAND_CONFIG_SHOW, NULL, NULL },
	{ { "memory", "--check" }, COMMAND_CONFIG_CHECK, NULL, NULL },
	{ { "serve", "--check" }, COMMAND_CONFIG_CHECK, NULL, NULL },
	{ { "image" }, COMMAND_IMAGE_LIST, NULL, NULL },
	{ { "files", "save", "a", "b" }, COMMAND_FILES_SAVE, "a", "b" },
	{ { "files", "save", "a", "--pids=9", "b" }, COMMAND_FILES_SAVE, "a",
	    "b" },
	{ { "adopt", "--yes", "cursor" }, COMMAND_ADOPT, "cursor", NULL },
	{ { "libraries", "--json", "office" }, COMMAND_LIBRARIES, "office",
	    NULL },
	/* A key may look like a flag. */
	{ { "memory", "show", "--", "--json" }, COMMAND_MEMORY_SHOW, "--json",
	    NULL },
	{ { "memory", "remove", "" }, COMMAND_MEMORY_REMOVE, "", NULL },
	/* Help is about what stands before it. */
	{ { "help", "memory", "show" }, COMMAND_HELP, "memory", "show" },
	{ { "memory", "show", "--help" }, COMMAND_HELP, "memory", "show" },
	{ { "links", "-h" }, COMMAND_HELP, "links", NULL },
	{ { "-h" }, COMMAND_HELP, NULL, NULL },
	{ { "-V" }, COMMAND_VERSION, NULL, NULL },
};

UNIT_EACH(lines_are_understood, UNIT_COUNT(good))
{
	struct command command;
	struct err err = { 0 };

	ck_assert_msg(read_line(good[_i].words, &command, &err) == 0, "%s",
	    err.text);
	ck_assert_int_eq(command.task, good[_i].task);
	ck_assert_pstr_eq(command.operand, good[_i].operand);
	ck_assert_pstr_eq(command.other, good[_i].other);
}

static const struct {
	const char *words[ARGS_MAX];
	enum option_id id;
	const char *value;
} options[] = {
	{ { "--timeout", "30", "--check" }, OPTION_ID_TIMEOUT, "30" },
	{ { "--timeout=" }, OPTION_ID_TIMEOUT, "" },
	{ { "--timeout", "" }, OPTION_ID_TIMEOUT, "" },
	{ { "--log-file=/a=b" }, OPTION_ID_LOG_FILE, "/a=b" },
	{ { "--log-file", "--check" }, OPTION_ID_LOG_FILE, "--check" },
	{ { "--max-timeout", "-1" }, OPTION_ID_MAX_TIMEOUT, "-1" },
};

UNIT_EACH(options_have_values, UNIT_COUNT(options))
{
	struct command command;
	struct err err = { 0 };

	ck_assert_int_eq(read_line(options[_i].words, &command, &err), 0);
	ck_assert_uint_eq(given_count, 1);
	ck_assert_uint_eq(given[0].id, options[_i].id);
	ck_assert_str_eq(given[0].value, options[_i].value);
}
