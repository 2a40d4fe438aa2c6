/*
 * Checks that a command line has all the parts that its command needs, and no
 * flags of others: command_check of command_word.h. Runs in the supervisor.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "../../common/base/shown.h"
#include "command_operand.h"
#include "command_word.h"

/* Appends "caisson servers add". */
static void
command_add_name(struct buffer *out, const char *word, const char *verb)
{
	buffer_printf(out, "caisson %s%s%s", word, verb == NULL ? "" : " ",
	    verb == NULL ? "" : verb);
}

static int
command_check_operands(const struct command *command, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	size_t len, given = command_operands_given(command);
	const char *missing;

	if (given < command_operand_count(command->operands, 1))
		missing = command_operand_name(command->operands, given, &len);
	else if (command_rest_name(command->operands) != NULL &&
	    command_rest_name(command->operands)[0] != '[' &&
	    (command->rest == NULL || command->rest[0] == NULL))
		missing = command_operand_name(
		    command_rest_name(command->operands), 0, &len);
	else
		return 0;
	command_add_name(&name, command->word, command->verb);
	return err_set(err, "'%s' lacks its %.*s%s", name.data, (int)len,
	    missing, strncmp(missing, "CLIENT", len) == 0 ?
	        ", such as cursor: 'caisson client' lists them" :
	        command_rest_name(command->operands) == missing ?
	        " behind --" : "");
}

/* Returns the command with the same meaning as an action. */
static enum command_task
command_of_action(enum option_action action)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++)
		if (row->action == action)
			return row->task;
	return COMMAND_NONE;
}

static int
command_misplaced(enum command_flag flag, struct err *err)
{
	const char *key = command_flag_row(flag)->key;
	char name[OPTION_NAME_SIZE];

	option_flag(key, name);
	return err_set(err, "%s is a flag of other commands: 'caisson help %s' "
	    "lists them", name, name + strlen("--"));
}

/* Returns whether a word is among len bytes such as "one|other]". */
static int
command_is_among(const char *words, size_t len, const char *word)
{
	size_t n, word_len = strlen(word);

	for (; len > 0; words += n, len -= n) {
		n = strcspn(words, "[|]");
		n = n < len ? n : len;
		if (n > 0 && n == word_len && memcmp(words, word, n) == 0)
			return 1;
		n += n < len;
	}
	return 0;
}

/* Checks an operand that must be one of several words. */
static int
command_check_choice(const struct command *command, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer shown = { 0 };
	const char *words;
	size_t len;

	if (command->operand == NULL)
		return 0;
	words = command_operand_name(command->operands, 0, &len);
	if (memchr(words, '|', len) == NULL ||
	    command_is_among(words, len, command->operand))
		return 0;
	shown_add_quoted(&shown, command->operand, OPTION_VALUE_SHOWN);
	command_add_name(&name, command->word, command->verb);
	return err_set(err, "\"%s\" is not understood: '%s' takes %.*s",
	    shown.data, name.data, (int)len, words);
}

int
command_check(const struct command *command, enum option_action action,
    struct err *err)
{
	enum command_task task = command->task;
	size_t i;

	if (action != OPTION_NONE)
		task = command_of_action(action);
	for (i = 0; i < command->flags.count; i++)
		if (!command_takes(task, command->flags.given[i].flag))
			return command_misplaced(
			    command->flags.given[i].flag, err);
	if (command_check_operands(command, err) == -1)
		return -1;
	return command_check_choice(command, err);
}

int
command_goes_with(const struct command *command, enum option_action action)
{
	if (action == OPTION_NONE || action == OPTION_HELP ||
	    action == OPTION_VERSION || action == command->action)
		return 1;
	/* As in earlier versions: "caisson servers --try". */
	if (command->action == OPTION_PRINT_CONFIG && command->verb == NULL)
		return action == OPTION_TRY || action == OPTION_CHECK;
	return command->action == OPTION_NONE && action == OPTION_CHECK;
}
