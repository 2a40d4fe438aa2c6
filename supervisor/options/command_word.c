/*
 * The words of a command line: see command_word.h. Runs in the
 * supervisor.
 */
#include <string.h>

#include "../../common/buffer.h"
#include "../../common/limits.h"
#include "../../common/shown.h"
#include "command_word.h"

#define COMMAND_TOOLS(word)                                                    \
	{ word, NULL, NULL, COMMAND_TOOLS_LIST },                              \
	{ word, "list", NULL, COMMAND_TOOLS_LIST },                            \
	{ word, "show", "NAME", COMMAND_TOOLS_SHOW },                          \
	{ word, "remove", "NAME", COMMAND_TOOLS_REMOVE },                      \
	{ word, "clear", NULL, COMMAND_TOOLS_CLEAR },                          \
	{ word, "prune", NULL, COMMAND_TOOLS_PRUNE }

/*
 * Of one first word, the row without a verb is what it does alone; behind
 * servers there are options only.
 */
static const struct command_row {
	const char *word;
	const char *verb;
	/* How it is called, and in brackets what may follow; NULL: none. */
	const char *operand;
	enum command_task task;
} command_rows[] = {
	{ "servers", NULL, NULL, COMMAND_SERVERS },
	{ "memory", NULL, NULL, COMMAND_MEMORY_LIST },
	{ "memory", "list", NULL, COMMAND_MEMORY_LIST },
	{ "memory", "show", "KEY", COMMAND_MEMORY_SHOW },
	{ "memory", "remove", "KEY", COMMAND_MEMORY_REMOVE },
	{ "memory", "clear", NULL, COMMAND_MEMORY_CLEAR },
	{ "files", NULL, NULL, COMMAND_FILES_LIST },
	{ "files", "list", NULL, COMMAND_FILES_LIST },
	{ "files", "show", "NAME", COMMAND_FILES_SHOW },
	{ "files", "save", "NAME [PATH]", COMMAND_FILES_SAVE },
	{ "files", "add", "PATH [NAME]", COMMAND_FILES_ADD },
	{ "files", "remove", "NAME", COMMAND_FILES_REMOVE },
	{ "files", "clear", NULL, COMMAND_FILES_CLEAR },
	COMMAND_TOOLS("saved-tools"),
	COMMAND_TOOLS("tools"), /* the name in earlier versions */
};

#define COMMAND_ROWS (sizeof(command_rows) / sizeof(command_rows[0]))

static const struct command_row *
command_find(const char *word, const char *verb)
{
	size_t i;

	for (i = 0; i < COMMAND_ROWS; i++) {
		const char *known = command_rows[i].verb;

		if (strcmp(command_rows[i].word, word) != 0)
			continue;
		if (verb == NULL ? known == NULL
		                 : known != NULL && strcmp(known, verb) == 0)
			return &command_rows[i];
	}
	return NULL;
}

/* Names the verbs that a word takes. */
static int
command_unknown(const char *word, const char *verb, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	auto_buffer struct buffer verbs = { 0 };
	size_t i;

	shown_add_quoted(&shown, verb, OPTION_VALUE_SHOWN);
	for (i = 0; i < COMMAND_ROWS; i++) {
		const struct command_row *row = &command_rows[i];

		if (row->verb == NULL || strcmp(row->word, word) != 0)
			continue;
		buffer_printf(&verbs, "%s%s%s%s", verbs.len > 0 ? ", " : "",
		    row->verb, row->operand == NULL ? "" : " ",
		    row->operand == NULL ? "" : row->operand);
	}
	return err_set(err, "\"%s\" is not understood: behind 'caisson %s' "
	    "there is one of %s", shown.data, word, verbs.data);
}

int
command_read(int argc, char **argv, struct command *command, struct err *err)
{
	const char *word = argc > 1 ? argv[1] : "";
	const char *verb = argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
	const struct command_row *row = command_find(word, NULL);

	*command = (struct command){ 0 };
	if (row == NULL)
		return 0;
	if (verb != NULL && row->task != COMMAND_SERVERS)
		row = command_find(word, verb);
	if (row == NULL)
		return command_unknown(word, verb, err);
	command->task = row->task;
	command->word = row->word;
	if (row->operand == NULL)
		return row->verb == NULL ? 1 : 2;
	if (argc <= 3)
		return err_set(err, "'caisson %s %s' lacks its %s", word, verb,
		    row->operand);
	command->operand = argv[3];
	/* What begins with a dash is an option. */
	if (strchr(row->operand, '[') == NULL || argc <= 4 || argv[4][0] == '-')
		return 3;
	command->other = argv[4];
	return 4;
}
