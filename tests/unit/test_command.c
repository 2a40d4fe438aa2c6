/*
 * Tests of supervisor/options/command_word: which words are understood, what
 * they are about, and what is said of others.
 */

#include "common/base/err.h"
#include "supervisor/options/command_word.h"
#include "unit.h"

#define ARGS_MAX 8

static int
read_words(const char *const *words, struct command *command, struct err *err)
{
	char *argv[ARGS_MAX + 2] = { (char *)"caisson" };
	int argc = 1;

	while (words[argc - 1] != NULL) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	return command_read(argc, argv, command, err);
}

static const struct {
	const char *words[ARGS_MAX];
	int count;
	enum command_task task;
	const char *operand;
} good[] = {
	{ { NULL }, 0, COMMAND_NONE, NULL },
	{ { "--check" }, 0, COMMAND_NONE, NULL },
	{ { "-h", "memory" }, 0, COMMAND_NONE, NULL },
	{ { "servers", "--try" }, 1, COMMAND_SERVERS_LIST, NULL },
	{ { "servers", "test", "--pids=9" }, 2, COMMAND_SERVERS_TEST, NULL },
	{ { "selftest", "list" }, 1, COMMAND_SELFTEST, NULL },
	{ { "client" }, 1, COMMAND_CLIENT, NULL },
	{ { "client", "--pids=9" }, 1, COMMAND_CLIENT, NULL },
	{ { "client", "cursor", "x" }, 2, COMMAND_CLIENT, "cursor" },
	{ { "help", "memory" }, 2, COMMAND_HELP, "memory" },
	{ { "config" }, 1, COMMAND_CONFIG_SHOW, NULL },
	{ { "config", "check" }, 2, COMMAND_CONFIG_CHECK, NULL },
	{ { "completion", "zsh" }, 2, COMMAND_COMPLETION, "zsh" },
	{ { "files", "save", "a", "b" }, 4, COMMAND_FILES_SAVE, "a" },
	{ { "files", "save", "a", "--pids=9" }, 3, COMMAND_FILES_SAVE, "a" },
	{ { "memory" }, 1, COMMAND_MEMORY_LIST, NULL },
	{ { "memory", "--state-dir=/x" }, 1, COMMAND_MEMORY_LIST, NULL },
	{ { "memory", "list", "x" }, 2, COMMAND_MEMORY_LIST, NULL },
	{ { "memory", "show", "a b" }, 3, COMMAND_MEMORY_SHOW, "a b" },
	{ { "memory", "show", "--check" }, 3, COMMAND_MEMORY_SHOW, "--check" },
	{ { "memory", "remove", "" }, 3, COMMAND_MEMORY_REMOVE, "" },
	{ { "memory", "clear", "--x" }, 2, COMMAND_MEMORY_CLEAR, NULL },
	{ { "saved-tools" }, 1, COMMAND_TOOLS_LIST, NULL },
	{ { "saved-tools", "list" }, 2, COMMAND_TOOLS_LIST, NULL },
	{ { "saved-tools", "show", "f" }, 3, COMMAND_TOOLS_SHOW, "f" },
	{ { "saved-tools", "remove", "a b" }, 3, COMMAND_TOOLS_REMOVE, "a b" },
	{ { "saved-tools", "clear" }, 2, COMMAND_TOOLS_CLEAR, NULL },
	{ { "saved-tools", "prune" }, 2, COMMAND_TOOLS_PRUNE, NULL },
	{ { "libraries" }, 1, COMMAND_LIBRARIES, NULL },
	{ { "libraries", "--json", "office" }, 1, COMMAND_LIBRARIES, NULL },
	{ { "libraries", "science", "x" }, 2, COMMAND_LIBRARIES, "science" },
	{ { "adopt", "cursor" }, 2, COMMAND_ADOPT, "cursor" },
	{ { "adopt", "cursor", "--yes", "--x" }, 2, COMMAND_ADOPT, "cursor" },
	{ { "adopt", "--yes", "cursor" }, 1, COMMAND_ADOPT, NULL },
	{ { "memory", "show" }, 2, COMMAND_MEMORY_SHOW, NULL },
	{ { "memory", "show", "--help" }, 2, COMMAND_MEMORY_SHOW, NULL },
	{ { "memory", "show", "--" }, 2, COMMAND_MEMORY_SHOW, NULL },
	{ { "help", "memory", "show" }, 3, COMMAND_HELP, "memory" },
};

UNIT_EACH(words_are_understood, UNIT_COUNT(good))
{
	struct command command;
	struct err err = { 0 };

	ck_assert_int_eq(
	    read_words(good[_i].words, &command, &err), good[_i].count);
	ck_assert_int_eq(command.task, good[_i].task);
	ck_assert_pstr_eq(command.operand, good[_i].operand);
	if (good[_i].count > 0)
		ck_assert_str_eq(command.word, good[_i].words[0]);
}

/* Words that stand behind flags, and what is missing in the end. */
static const struct {
	const char *words[ARGS_MAX];
	const char *behind; /* NULL: nothing */
	const char *rest[ARGS_MAX];
	const char *says; /* NULL: it is good */
} behind[] = {
	{ { "adopt" }, "cursor", { NULL }, NULL },
	{ { "adopt", "cursor" }, NULL, { NULL }, NULL },
	{ { "adopt", "cursor" }, "zed", { NULL },
	    "\"zed\" is not understood: only options may follow the "
	    "command, 'caisson --help' lists them" },
	{ { "memory", "show" }, NULL, { "--json" }, NULL },
	{ { "memory", "show" }, NULL, { "a", "b" },
	    "\"b\" is not understood: only options may follow the "
	    "command, 'caisson --help' lists them" },
	{ { "memory", "list" }, NULL, { "a" },
	    "\"a\" is not understood: only options may follow the "
	    "command, 'caisson --help' lists them" },
	{ { "memory", "list" }, NULL, { NULL }, NULL },
	{ { "memory", "show" }, NULL, { NULL },
	    "'caisson memory show' lacks its KEY" },
	{ { "files", "add" }, NULL, { NULL },
	    "'caisson files add' lacks its PATH" },
	{ { "completion", "csh" }, NULL, { NULL },
	    "\"csh\" is not understood: 'caisson completion' takes "
	    "bash|zsh|fish" },
	{ { "completion", "fish" }, NULL, { NULL }, NULL },
	{ { "libraries" }, "science", { NULL }, NULL },
	{ { "libraries" }, NULL, { NULL }, NULL },
	{ { "libraries", "min" }, NULL, { NULL },
	    "\"min\" is not understood: 'caisson libraries' takes "
	    "[minimal|office|science]" },
	{ { "completion" }, NULL, { NULL },
	    "'caisson completion' lacks its bash|zsh|fish" },
	{ { "adopt" }, NULL, { NULL }, "'caisson adopt' lacks its CLIENT, such "
	    "as cursor: 'caisson client' lists them" },
};

UNIT_EACH(words_behind_flags, UNIT_COUNT(behind))
{
	struct command command;
	struct err err = { 0 };
	int done;

	ck_assert_int_ge(read_words(behind[_i].words, &command, &err), 0);
	done = behind[_i].behind == NULL ? 0 :
	    command_take(&command, behind[_i].behind, &err);
	if (done == 0 && behind[_i].rest[0] != NULL)
		done = command_take_rest(
		    &command, (char **)behind[_i].rest, &err);
	if (done == 0)
		done = command_check(&command, OPTION_NONE, &err);
	ck_assert_int_eq(done, behind[_i].says == NULL ? 0 : -1);
	if (behind[_i].says != NULL)
		ck_assert_str_eq(err.text, behind[_i].says);
}

/* A key may look like a flag: it is one behind "--". */
UNIT_TEST(what_a_memory_is_called)
{
	static const char *const words[] = { "memory", "show", NULL };
	char *rest[] = { (char *)"--json", NULL };
	struct command command;
	struct err err = { 0 };

	ck_assert_int_eq(read_words(words, &command, &err), 2);
	ck_assert_int_eq(command_take_rest(&command, rest, &err), 0);
	ck_assert_str_eq(command.operand, "--json");
}
