/*
 * Command lines that begin with a word: see command_word.h. Runs in the
 * supervisor.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "../../common/base/shown.h"
#include "command_operand.h"
#include "command_word.h"
#include "text/suggest.h"

static const struct command_row command_rows[] = {
#define COMMAND(TASK, ACTION, NEEDS, run, word, verb, operands, doc)           \
	{ COMMAND_##TASK, OPTION_##ACTION, COMMAND_NEEDS_##NEEDS, word, verb,  \
		operands, doc },
#include "commands.def"
};

/* Words that mean the first command of theirs. */
static const struct command_row command_more[] = {
#define COMMAND_ALONE(TASK, ACTION, word)                                      \
	{ COMMAND_##TASK, OPTION_##ACTION, COMMAND_NEEDS_NOTHING, word, NULL,  \
		NULL, NULL },
#include "commands.def"
};

#define COMMAND_ROWS (sizeof(command_rows) / sizeof(command_rows[0]))
#define COMMAND_MORE (sizeof(command_more) / sizeof(command_more[0]))

const struct command_row *
command_row(size_t n)
{
	return n < COMMAND_ROWS ? &command_rows[n] : NULL;
}

/* Returns the n-th accepted command, or NULL. */
static const struct command_row *
command_any(size_t n)
{
	if (n < COMMAND_ROWS)
		return &command_rows[n];
	n -= COMMAND_ROWS;
	return n < COMMAND_MORE ? &command_more[n] : NULL;
}

const struct command_row *
command_find(const char *word, const char *verb)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_any(i)) != NULL; i++)
		if (strcmp(row->word, word) == 0 &&
		    (verb == NULL ? row->verb == NULL :
		                    row->verb != NULL &&
		                strcmp(row->verb, verb) == 0))
			return row;
	return NULL;
}

/* Returns whether a word has verbs. */
static int
command_has_verbs(const char *word)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_any(i)) != NULL; i++)
		if (row->verb != NULL && strcmp(row->word, word) == 0)
			return 1;
	return 0;
}

const char *
command_nearest(const char *word)
{
	struct suggest suggest = suggest_start(word);
	size_t i;

	for (i = 0; i < COMMAND_ROWS; i++)
		suggest_try(&suggest, command_rows[i].word);
	return suggest.best;
}

/* Sets the error for a first word that is neither an option nor a command. */
static int
command_unknown(const char *word, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *near = command_nearest(word);
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];

	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	option_key(word, strlen(word), key);
	if (option_find(key) != OPTION_IDS) {
		option_flag(key, flag);
		return err_set(err, "\"%s\" is not a command: did you mean "
		    "%s%s?", shown.data, flag, strcmp(key, "tools") == 0 ?
		        ", or 'caisson saved-tools', its new name" : "");
	}
	if (near == NULL)
		return err_set(err, "\"%s\" is not a command: 'caisson help' "
		    "lists them", shown.data);
	return err_set(err, "\"%s\" is not a command: did you mean 'caisson "
	    "%s'?", shown.data, near);
}

int
command_superfluous(const char *word, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	return err_set(err, "\"%s\" is not understood: only options may "
	    "follow the command, 'caisson --help' lists them", shown.data);
}

int
command_unknown_verb(const char *word, const char *verb, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	auto_buffer struct buffer verbs = { 0 };
	const struct command_row *row;
	size_t i;

	if (!command_has_verbs(word))
		return command_superfluous(verb, err);
	shown_add_quoted(&shown, verb, OPTION_VALUE_SHOWN);
	for (i = 0; (row = command_any(i)) != NULL; i++) {
		if (row->verb == NULL || strcmp(row->word, word) != 0)
			continue;
		buffer_printf(&verbs, "%s%s%s%s", verbs.len > 0 ? ", " : "",
		    row->verb, row->operands == NULL ? "" : " ",
		    row->operands == NULL ? "" : row->operands);
	}
	return err_set(err, "\"%s\" is not understood: 'caisson %s' takes "
	    "one of %s", shown.data, word, verbs.data);
}

/* Operands */

/* Sets the error for an extra word that may begin a command line. */
static int
command_unmarked(
    const struct command *command, const char *word, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	return err_set(err, "\"%s\" is not understood: write 'caisson %s %s "
	    "%s'", shown.data, command->word, command->verb,
	    command->operands);
}

int
command_take(struct command *command, const char *word, struct err *err)
{
	size_t given = command_operands_given(command);

	if (given == command_operand_count(command->operands, 0))
		return command_rest_name(command->operands) != NULL ?
		    command_unmarked(command, word, err) :
		    command_superfluous(word, err);
	*(given == 0 ? &command->operand : &command->other) = word;
	return 0;
}

int
command_take_rest(struct command *command, char **rest, struct err *err)
{
	if (command_rest_name(command->operands) != NULL) {
		command->rest = rest;
		return 0;
	}
	for (; *rest != NULL; rest++)
		if (command_take(command, *rest, err) == -1)
			return -1;
	return 0;
}

/*
 * Returns whether a word after a command is a flag, not an operand. A required
 * operand may begin with a dash, as keys of memories may.
 */
static int
command_is_flag(const struct command *command, const char *word)
{
	size_t len = strcspn(word, "=");

	if (word[0] != '-' || word[1] == '\0')
		return 0;
	if (command_operands_given(command) >=
	        command_operand_count(command->operands, 1) ||
	    command_rest_name(command->operands) != NULL ||
	    strncmp(command->operands, "CLIENT", strlen("CLIENT")) == 0)
		return 1;
	return strcmp(word, "--") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "--help") == 0 ||
	    command_takes(command->task, command_flag_find(word, len));
}

/* Takes the operands of a command, up to the first flag. */
static int
command_read_operands(int argc, char **argv, int n, struct command *command)
{
	struct err err;

	while (n < argc &&
	    command_operands_given(command) <
	        command_operand_count(command->operands, 0) &&
	    !command_is_flag(command, argv[n]))
		(void)command_take(command, argv[n++], &err);
	return n - 1;
}

int
command_read(int argc, char **argv, struct command *command, struct err *err)
{
	const char *word = argc > 1 ? argv[1] : "";
	const char *verb = argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
	const struct command_row *row;

	memset(command, 0, sizeof(*command));
	if (word[0] == '-' || argc < 2)
		return 0;
	if (!command_has_verbs(word))
		verb = NULL;
	row = command_find(word, verb);
	if (row == NULL)
		return verb == NULL ? command_unknown(word, err) :
		                      command_unknown_verb(word, verb, err);
	command->task = row->task;
	command->action = row->action;
	command->needs = row->needs;
	command->word = row->word;
	command->verb = row->verb;
	command->operands = row->operands;
	return command_read_operands(
	    argc, argv, row->verb == NULL ? 2 : 3, command);
}
