/*
 * The command line: see command_line.h. Runs in the supervisor; opens and
 * changes nothing.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/suggest.h"
#include "command_line.h"
#include "option_table.h"
#include "option_value.h"

/* The tables */

static const struct command_row command_rows[] = {
#define COMMAND_TAKES(NAME) UINT64_C(1) << COMMAND_FLAG_##NAME
#define COMMAND(TASK, NEEDS, run, word, verb, operands, FLAGS, doc)            \
	{ COMMAND_##TASK, COMMAND_NEEDS_##NEEDS, word, verb, operands, FLAGS,  \
		doc },
#include "commands.def"
};

static const struct command_flag_row command_flag_rows[COMMAND_FLAGS] = {
#define COMMAND_FLAG(NAME, name, letter, value, TIMES, doc)                    \
	[COMMAND_FLAG_##NAME] = { #name, letter, value, COMMAND_##TIMES, doc },
#include "commands.def"
};

_Static_assert(COMMAND_FLAGS <= 64, "a command has a bit for each flag");

#define COMMAND_ROWS (sizeof(command_rows) / sizeof(command_rows[0]))

const struct command_row *
command_row(size_t n)
{
	return n < COMMAND_ROWS ? &command_rows[n] : NULL;
}

const struct command_row *
command_find(const char *word, const char *verb)
{
	const struct command_row *row;

	for (row = command_rows; row < command_rows + COMMAND_ROWS; row++)
		if (strcmp(row->word, word) == 0 && (verb == NULL ?
			row->verb == NULL ||
			    strcmp(row->verb, "list") == 0 ||
			    strcmp(row->verb, "show") == 0 ||
			    strcmp(row->verb, "status") == 0 :
			row->verb != NULL && strcmp(row->verb, verb) == 0))
			return row;
	return NULL;
}

const char *
command_nearest(const char *word)
{
	struct suggest suggest = suggest_start_word(word);
	size_t i;

	for (i = 0; i < COMMAND_ROWS; i++)
		suggest_try(&suggest, command_rows[i].word);
	return suggest.best;
}

const struct command_flag_row *
command_flag_row(enum command_flag flag)
{
	return &command_flag_rows[flag];
}

enum command_flag
command_flag_find(const char *arg, size_t len)
{
	char name[OPTION_NAME_SIZE];
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		option_flag(command_flag_rows[flag].key, name);
		if ((strlen(name) == len && memcmp(name, arg, len) == 0) ||
		    (len == 2 && arg[0] == '-' && arg[1] != '-' &&
			arg[1] == command_flag_rows[flag].letter))
			return flag;
	}
	return COMMAND_FLAG_NONE;
}

int
command_takes(enum command_task task, enum command_flag flag)
{
	return task != COMMAND_NONE &&
	    (command_rows[task - 1].flags & UINT64_C(1) << flag) != 0;
}

int
command_has(const struct command_flags *flags, enum command_flag flag)
{
	size_t i;

	for (i = 0; i < flags->count; i++)
		if (flags->given[i].flag == flag)
			return 1;
	return 0;
}

const char *
command_value(
    const struct command_flags *flags, enum command_flag flag, size_t n)
{
	size_t i;

	for (i = 0; i < flags->count; i++)
		if (flags->given[i].flag == flag && n-- == 0)
			return flags->given[i].value;
	return NULL;
}

/* Operands, as in "NAME [PATH]" or "NAME -- COMMAND [ARG...]" */

/* Returns how many a command accepts, or, with must set, needs. */
static size_t
command_operand_count(const char *operands, int must)
{
	size_t n = 0;

	while (operands != NULL && *operands != '\0' &&
	    strncmp(operands, "--", 2) != 0) {
		n += !must || *operands != '[';
		operands += strcspn(operands, " ");
		operands += strspn(operands, " ");
	}
	return n;
}

/* Returns the name of the command line after "--", or NULL. */
static const char *
command_rest_name(const char *operands)
{
	const char *rest = operands == NULL ? NULL : strstr(operands, "-- ");

	return rest == NULL ? NULL : rest + strlen("-- ");
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

/* Errors */

/* Sets "\"word\" " and the rest of a sentence. Always returns -1. */
static int __attribute__((format(printf, 3, 4)))
command_refuse(struct err *err, const char *word, const char *fmt, ...)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *rest = NULL;
	va_list ap;

	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	va_start(ap, fmt);
	rest = mem_vprintf(fmt, ap);
	va_end(ap);
	return err_set(err, "\"%s\" %s", shown.data, rest);
}

/* For a first word that is neither an option nor a command by itself. */
static int
command_unknown(const char *word, const char *verb, struct err *err)
{
	const char *suggested = command_nearest(word);
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];

	if (suggested != NULL && strcmp(suggested, word) == 0)
		return command_unknown_verb(
		    word, verb != NULL ? verb : word, err);
	option_key(word, strlen(word), key);
	/* The former name of saved-tools, rather than the option --tools. */
	if (strcmp(word, "tools") == 0)
		suggested = "saved-tools";
	else if (option_find(key) != OPTION_IDS) {
		option_flag(key, flag);
		return command_refuse(err, word,
		    "is not a command: did you mean %s?", flag);
	}
	return suggested == NULL ? command_refuse(err, word,
	    "is not a command: 'caisson help' lists them") :
	    command_refuse(err, word,
	        "is not a command: did you mean 'caisson %s'?", suggested);
}

/* operands: what the command takes, and has; or NULL. */
static int
command_superfluous(const char *word, const char *operands, struct err *err)
{
	if (operands != NULL)
		return command_refuse(err, word, "is not understood: the "
		    "command takes %s, and options", operands);
	return command_refuse(err, word, "is not understood: only options may "
	    "follow the command, 'caisson --help' lists them");
}

int
command_unknown_verb(const char *word, const char *verb, struct err *err)
{
	auto_buffer struct buffer verbs = { 0 };
	size_t i;

	for (i = 0; i < COMMAND_ROWS; i++) {
		const struct command_row *row = &command_rows[i];

		if (row->verb != NULL && strcmp(row->word, word) == 0)
			buffer_printf(&verbs, "%s%s%s%s",
			    verbs.len > 0 ? ", " : "", row->verb,
			    row->operands == NULL ? "" : " ",
			    row->operands == NULL ? "" : row->operands);
	}
	return verbs.len == 0 ? command_superfluous(verb, NULL, err) :
	    command_refuse(err, verb,
	        "is not understood: 'caisson %s' takes one of %s", word,
	        verbs.data);
}

/* A word where a flag is expected, without a command. */
static int
command_stray(const char *word, struct err *err)
{
	const char *suggested = command_nearest(word);

	if (suggested == NULL || strcmp(suggested, word) != 0)
		return command_refuse(err, word, "is not understood: only "
		    "options may follow an option, 'caisson --help' lists "
		    "them");
	return err_set(err, "the command \"%s\" must come before all options",
	    suggested);
}

/* Returns the flag of the command that is most similar, if there is one. */
static struct suggest
command_suggest(enum command_task task, const char *key)
{
	struct suggest suggest = suggest_start_word(key);
	enum command_flag known;

	for (known = COMMAND_FLAG_NONE + 1; known < COMMAND_FLAGS; known++)
		if (command_takes(task, known))
			suggest_try(&suggest, command_flag_rows[known].key);
	return suggest;
}

static int
command_unknown_flag(enum command_task task, const char *arg, size_t len,
    struct err *err)
{
	auto_buffer struct buffer name = { 0 }, shown = { 0 };
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];
	size_t dashes = strspn(arg, "-");
	struct suggest suggest;

	buffer_add(&name, arg, len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	option_key(arg + dashes, len > dashes ? len - dashes : 0, key);
	suggest = command_suggest(task, key);
	option_suggest(&suggest, 1);
	if (suggest.best == NULL)
		return err_set(err, "%s is not an option: 'caisson --help' "
		    "lists them", shown.data);
	option_flag(suggest.best, flag);
	return err_set(err, "%s is not an option: did you mean %s?",
	    shown.data, flag);
}

/* Reading */

struct command_line {
	char **argv; /* from the next argument on, up to its NULL */
	const struct command_row *row; /* NULL: no command */
	struct command *command;
	const struct option_action_row *action; /* NULL: none */
	struct command_option *given;
	size_t *count;
	struct err *err;
};

/* Reads the words of the command, if there are any. */
static int
command_line_begin(struct command_line *line)
{
	const char *word = line->argv[0], *verb;

	if (word == NULL || word[0] == '-')
		return 0;
	verb = line->argv[1];
	line->row = command_find(word, NULL);
	if (line->row == NULL && verb != NULL)
		line->row = command_find(word, verb);
	/* Help is that of all verbs, also where none is the default. */
	if (line->row == NULL && verb != NULL && (strcmp(verb, "-h") == 0 ||
	    strcmp(verb, "--help") == 0)) {
		line->command->task = COMMAND_HELP;
		line->command->operand = word;
		line->argv += 2;
		return 0;
	}
	if (line->row == NULL)
		return command_unknown(word, verb, line->err);
	line->argv++;
	if (line->row->verb != NULL && verb != NULL && verb[0] != '-') {
		line->row = command_find(word, verb);
		if (line->row == NULL)
			return command_unknown_verb(word, verb, line->err);
		line->argv++;
		line->command->verb = line->row->verb;
	}
	line->command->task = line->row->task;
	line->command->needs = line->row->needs;
	line->command->word = line->row->word;
	return 0;
}

static size_t
command_line_operands(const struct command_line *line)
{
	return (size_t)(line->command->operand != NULL) +
	    (line->command->other != NULL);
}

/* Takes an operand. */
static int
command_line_take(struct command_line *line, const char *word)
{
	const char *operands = line->row->operands;
	size_t n = command_line_operands(line);

	if (n < command_operand_count(operands, 0)) {
		*(n == 0 ? &line->command->operand : &line->command->other) =
		    word;
		return 0;
	}
	if (command_rest_name(operands) == NULL)
		return command_superfluous(word, operands, line->err);
	if (strstr(operands, "| URL") != NULL && line->command->rest == NULL &&
	    (strncasecmp(word, "http://", 7) == 0 ||
	        strncasecmp(word, "https://", 8) == 0)) {
		line->command->url[0] = (char *)(uintptr_t)word;
		line->command->rest = line->command->url;
		return 0;
	}
	return command_refuse(line->err, word, "is not understood: write "
	    "'caisson %s%s%s %s'", line->row->word,
	    line->row->verb == NULL ? "" : " ",
	    line->row->verb == NULL ? "" : line->row->verb, operands);
}

/* Takes all words after "--". */
static int
command_line_take_rest(struct command_line *line)
{
	line->argv++;
	if (command_rest_name(line->row->operands) != NULL) {
		line->command->rest = line->argv;
		while (*line->argv != NULL)
			line->argv++;
	}
	while (*line->argv != NULL)
		if (command_line_take(line, *line->argv++) == -1)
			return -1;
	return 0;
}

static int
command_line_give(struct command_line *line, enum command_flag flag,
    const char *value)
{
	struct command_flags *flags = &line->command->flags;
	char name[OPTION_NAME_SIZE];

	option_flag(command_flag_rows[flag].key, name);
	if (command_flag_rows[flag].times == COMMAND_ONCE &&
	    command_has(flags, flag))
		return err_set(line->err, "%s is given twice: give it once",
		    name);
	if (flags->count == COMMAND_GIVEN_MAX)
		return err_set(line->err, "%s is one flag too many: a command "
		    "takes at most %d", name, COMMAND_GIVEN_MAX);
	flags->given[flags->count].flag = flag;
	flags->given[flags->count++].value = value;
	return 0;
}

/* Takes a flag of a command; value is what is behind "=", or NULL. */
static int
command_line_take_flag(struct command_line *line, enum command_flag flag,
    const char *arg, int len, const char *value)
{
	const struct command_flag_row *row = command_flag_row(flag);
	const char *next = *line->argv;

	if (row->value == NULL && value != NULL)
		return err_set(line->err, "%.*s takes no value", len, arg);
	/* After a dash there is a value only behind "=", or nothing. */
	if (row->value != NULL && value == NULL && next != NULL &&
	    (next[0] != '-' || strcmp(next, "-") == 0))
		value = *line->argv++;
	if (row->value != NULL && value == NULL)
		return err_set(
		    line->err, "%.*s lacks its %s", len, arg, row->value);
	return command_line_give(line, flag, value);
}

/* Takes a flag that stands for a command. */
static int
command_line_act(struct command_line *line,
    const struct option_action_row *action, const char *arg, int len,
    const char *value)
{
	char one[OPTION_NAME_SIZE], other[OPTION_NAME_SIZE];

	if (value != NULL && action->argument == NULL)
		return err_set(line->err, "%.*s takes no value", len, arg);
	if (line->action != NULL && line->action != action) {
		option_flag(line->action->key, one);
		option_flag(action->key, other);
		return err_set(line->err, "%s and %s exclude each other: give "
		    "one of them", one, other);
	}
	line->action = action;
	if (action->argument == NULL)
		return 0;
	/* It may be omitted at the end. */
	if (value == NULL && *line->argv != NULL &&
	    strncmp(*line->argv, "--", 2) != 0)
		value = *line->argv++;
	line->command->operand = value;
	return 0;
}

static int
command_line_option(struct command_line *line, enum option_id id,
    const char *arg, const char *value)
{
	auto_buffer struct buffer allowed = { 0 };

	if (value == NULL)
		value = *line->argv;
	if (value == NULL) {
		option_value_add_allowed(&allowed, option_row(id));
		option_value_add_examples(&allowed, option_row(id));
		return err_set(line->err, "%s lacks its value, which must be "
		    "%s", arg, allowed.data);
	}
	line->argv += value == *line->argv;
	line->given[(*line->count)++] = (struct command_option){ id, value };
	return 0;
}

/* Takes the flag arg, and its value. */
static int
command_line_flag(struct command_line *line, const char *arg)
{
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] == '=' ? arg + len + 1 : NULL;
	enum command_flag flag = command_flag_find(arg, len);
	const struct option_action_row *action = NULL;
	char key[OPTION_NAME_SIZE], name[OPTION_NAME_SIZE] = "";

	if (arg[0] != '-')
		return command_stray(arg, line->err);
	if (flag != COMMAND_FLAG_NONE)
		return command_line_take_flag(line, flag, arg, (int)len, value);
	if (len > 2) {
		option_key(arg + 2, len - 2, key);
		option_flag(key, name);
	}
	if (len == 2)
		action = option_action_find(arg[1] == 'h' ? "help" :
		    arg[1] == 'V' ? "version" : "");
	else if (strlen(name) == len && memcmp(name, arg, len) == 0) {
		if (option_find(key) != OPTION_IDS)
			return command_line_option(
			    line, option_find(key), arg, value);
		action = option_action_find(key);
	}
	if (action == NULL)
		return command_unknown_flag(
		    line->command->task, arg, len, line->err);
	line->command->brief |= len == 2;
	return command_line_act(line, action, arg, (int)len, value);
}

static int
command_line_next(struct command_line *line)
{
	const char *arg = *line->argv;

	if (line->row != NULL && strcmp(arg, "--") == 0)
		return command_line_take_rest(line);
	line->argv++;
	/* What begins with a dash, as a key of a memory may, is behind "--". */
	if (line->row != NULL && (arg[0] != '-' || arg[1] == '\0'))
		return command_line_take(line, arg);
	return command_line_flag(line, arg);
}

/* The whole line */

/* Returns the command as it was written; the caller frees it. */
static char *
command_line_name(const struct command_line *line)
{
	const char *verb = line->command->verb;

	return mem_printf("'caisson %s%s%s'", line->row->word,
	    verb == NULL ? "" : " ", verb == NULL ? "" : verb);
}

/* The command and the action must be the same, or go together. */
static int
command_line_use_action(struct command_line *line)
{
	struct command *command = line->command;
	const struct option_action_row *action = line->action;
	auto_free char *name = NULL;
	char flag[OPTION_NAME_SIZE];

	if (action->task == COMMAND_HELP && line->row != NULL &&
	    line->row->task != COMMAND_HELP) {
		command->operand = line->row->word;
		command->other = command->verb;
	} else if (line->row != NULL && action->task != COMMAND_HELP &&
	    action->task != COMMAND_VERSION &&
	    action->task != line->row->task &&
	    (action->task != COMMAND_CONFIG_CHECK ||
	        option_action_of(line->row->task) != NULL)) {
		option_flag(action->key, flag);
		name = command_line_name(line);
		return err_set(line->err, "%s and %s exclude each other: give "
		    "one of them", name, flag);
	}
	command->task = action->task;
	return 0;
}

/* Checks that no operand is missing, and one of several words is known. */
static int
command_line_check_operands(const struct command_line *line)
{
	const struct command *command = line->command;
	const char *operands = line->row->operands;
	const char *rest = command_rest_name(operands), *missing = rest;
	auto_free char *name = command_line_name(line);
	size_t n = command_line_operands(line);

	if (n < command_operand_count(operands, 1))
		missing = operands + (n == 0 ? 0 : strcspn(operands, " ") + 1);
	else if (missing == NULL || missing[0] == '[' ||
	    (command->rest != NULL && command->rest[0] != NULL))
		return command->operand == NULL ||
		        memchr(operands, '|', strcspn(operands, " ")) == NULL ||
		        command_is_among(operands, strcspn(operands, " "),
			    command->operand) ? 0 :
		    command_refuse(line->err, command->operand,
		        "is not understood: %s takes %.*s", name,
		        (int)strcspn(operands, " "), operands);
	/* A URL is no name. */
	else if (strstr(operands, "| URL") != NULL &&
	    strstr(command->operand, "://") != NULL)
		missing = operands;
	return err_set(line->err, "%s lacks its %.*s%s", name,
	    (int)strcspn(missing, " "), missing,
	    strncmp(missing, "CLIENT", strlen("CLIENT")) == 0 ?
	        ", such as cursor: 'caisson client' lists them" :
	        missing != rest ? "" :
	        strstr(operands, "| URL") == NULL ? " behind --" :
	        " behind --, or its URL");
}

/* Checks that each flag belongs to this command. */
static int
command_line_check_flags(const struct command_line *line)
{
	const struct command *command = line->command;
	char name[OPTION_NAME_SIZE], other[OPTION_NAME_SIZE];
	const char *key, *near;
	size_t i;

	for (i = 0; i < command->flags.count; i++) {
		if (command_takes(
		        command->task, command->flags.given[i].flag))
			continue;
		key = command_flag_rows[command->flags.given[i].flag].key;
		near = command_suggest(command->task, key).best;
		option_flag(key, name);
		option_flag(near == NULL ? "" : near, other);
		if (near != NULL)
			return err_set(line->err, "%s is a flag of other "
			    "commands: did you mean %s?", name, other);
		return err_set(line->err, "%s is a flag of other commands: "
		    "'caisson help %s' lists them", name, name + strlen("--"));
	}
	return line->row == NULL ? 0 : command_line_check_operands(line);
}

int
command_line_read(int argc, char **argv, struct command *command,
    struct command_option *given, size_t *count, struct err *err)
{
	struct command_line line = { .argv = argv + (argc > 0),
		.command = command, .given = given, .count = count,
		.err = err };

	memset(command, 0, sizeof(*command));
	*count = 0;
	if (command_line_begin(&line) == -1)
		return -1;
	while (*line.argv != NULL)
		if (command_line_next(&line) == -1)
			return -1;
	if (line.action != NULL && command_line_use_action(&line) == -1)
		return -1;
	return command->task == COMMAND_HELP ? 0 :
	    command_line_check_flags(&line);
}
