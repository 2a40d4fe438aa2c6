/*
 * The words of a command line: see command_word.h. Runs in the
 * supervisor.
 */
#include <string.h>

#include "../../common/buffer.h"
#include "../../common/limits.h"
#include "../../common/shown.h"
#include "command_word.h"
#include "suggest.h"

static const struct command_row command_rows[] = {
#define COMMAND(TASK, ACTION, word, verb, operands, doc)                       \
	{ COMMAND_##TASK, OPTION_##ACTION, word, verb, operands, doc },
#include "commands.def"
};

/* What is understood, and not shown. */
static const struct command_row command_more[] = {
#define COMMAND_ALONE(TASK, ACTION, word)                                      \
	{ COMMAND_##TASK, OPTION_##ACTION, word, NULL, NULL, NULL },
#define COMMAND_FORMER(TASK, word, verb, operands)                             \
	{ COMMAND_##TASK, OPTION_NONE, word, verb, operands, NULL },
#include "commands.def"
};

/* Words that will be commands, and what there is instead. */
static const struct {
	const char *word;
	const char *doc;
} command_later[] = {
#define COMMAND_LATER(word, doc) { word, doc },
#include "commands.def"
};

#define COMMAND_ROWS (sizeof(command_rows) / sizeof(command_rows[0]))
#define COMMAND_MORE (sizeof(command_more) / sizeof(command_more[0]))
#define COMMAND_LATER_ROWS (sizeof(command_later) / sizeof(command_later[0]))

const struct command_row *
command_row(size_t n)
{
	return n < COMMAND_ROWS ? &command_rows[n] : NULL;
}

/* The n-th of all that is understood, or NULL. */
static const struct command_row *
command_any(size_t n)
{
	if (n < COMMAND_ROWS)
		return &command_rows[n];
	n -= COMMAND_ROWS;
	return n < COMMAND_MORE ? &command_more[n] : NULL;
}

static const struct command_row *
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

/* Whether a word takes verbs at all. */
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

/* A first word that is no option and no command. */
static int
command_unknown(const char *word, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *near = command_nearest(word);
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];
	size_t i;

	for (i = 0; i < COMMAND_LATER_ROWS; i++)
		if (strcmp(command_later[i].word, word) == 0)
			return err_set(err, "'caisson %s' is not there yet: %s",
			    word, command_later[i].doc);
	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	option_key(word, strlen(word), key);
	if (option_find(key) != OPTION_IDS) {
		option_flag(key, flag);
		return err_set(err, "\"%s\" is not a command: did you mean "
		    "%s?", shown.data, flag);
	}
	if (near == NULL)
		return err_set(err, "\"%s\" is not a command: 'caisson help' "
		    "lists them", shown.data);
	return err_set(err, "\"%s\" is not a command: did you mean 'caisson "
	    "%s'?", shown.data, near);
}

/* Names the verbs that a word takes. */
static int
command_unknown_verb(const char *word, const char *verb, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	auto_buffer struct buffer verbs = { 0 };
	const struct command_row *row;
	size_t i;

	shown_add_quoted(&shown, verb, OPTION_VALUE_SHOWN);
	for (i = 0; (row = command_any(i)) != NULL; i++) {
		if (row->verb == NULL || strcmp(row->word, word) != 0)
			continue;
		buffer_printf(&verbs, "%s%s%s%s", verbs.len > 0 ? ", " : "",
		    row->verb, row->operands == NULL ? "" : " ",
		    row->operands == NULL ? "" : row->operands);
	}
	return err_set(err, "\"%s\" is not understood: behind 'caisson %s' "
	    "there is one of %s", shown.data, word, verbs.data);
}

/* Takes what a command is about from argv, where the first may stand at n. */
static int
command_operands(const struct command_row *row, int argc, char **argv, int n,
    struct command *command, struct err *err)
{
	const char *more = strchr(row->operands, '[');

	/* What may be left out, and begins with a dash, is an option. */
	if (n >= argc || (more == row->operands && argv[n][0] == '-')) {
		if (more == row->operands)
			return n - 1;
		return err_set(err, "'caisson %s%s%s' lacks its %s", row->word,
		    row->verb == NULL ? "" : " ",
		    row->verb == NULL ? "" : row->verb, row->operands);
	}
	command->operand = argv[n++];
	if (more == NULL || more == row->operands || n >= argc ||
	    argv[n][0] == '-')
		return n - 1;
	command->other = argv[n];
	return n;
}

/* The names behind --keep, up to the next flag. */
static int
command_read_keep(
    int argc, char **argv, struct command_adopt *adopt, struct err *err)
{
	int n = 0;

	for (; n < argc && argv[n][0] != '-'; n++) {
		if (adopt->keep_count == COMMAND_KEEP_MAX)
			return err_set(err, "--keep takes at most %d names",
			    COMMAND_KEEP_MAX);
		adopt->keep[adopt->keep_count++] = argv[n];
	}
	return n > 0 ? n : err_set(err, "--keep lacks the NAME of a server "
	    "that stays where it is");
}

/* The client and the flags of adopt; returns how many words there are. */
static int
command_read_adopt(
    int argc, char **argv, struct command *command, struct err *err)
{
	struct command_adopt *adopt = &command->adopt;
	int kept, n = 2;

	if (argc > 2 && argv[2][0] != '-')
		command->operand = argv[n++];
	for (; n < argc; n++) {
		if (strcmp(argv[n], "--dry-run") == 0)
			adopt->dry_run = 1;
		else if (strcmp(argv[n], "--yes") == 0)
			adopt->yes = 1;
		else if (strcmp(argv[n], "--undo") == 0)
			adopt->undo = 1;
		else if (strcmp(argv[n], "--deny-destructive") == 0)
			adopt->deny_destructive = 1;
		else if (strcmp(argv[n], "--keep") != 0)
			break;
		else if ((kept = command_read_keep(argc - n - 1,
		              argv + n + 1, adopt, err)) == -1)
			return -1;
		else
			n += kept;
	}
	if (command->operand == NULL)
		return err_set(err, "'caisson adopt' lacks its CLIENT, such "
		    "as cursor: 'caisson client' lists them");
	return n - 1;
}

/* Whether a word is one of "[one|other]". */
static int
command_is_among(const char *operands, const char *word)
{
	size_t len = strlen(word);
	const char *p = operands + 1;

	for (; p[-1] != ']'; p += strcspn(p, "|]") + 1)
		if (strcspn(p, "|]") == len && strncmp(p, word, len) == 0)
			return 1;
	return 0;
}

/* A set and --json, in any order; returns how many words there are. */
static int
command_read_libraries(const struct command_row *row, int argc, char **argv,
    struct command *command, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	int n = 2;

	for (; n < argc; n++)
		if (strcmp(argv[n], "--json") == 0)
			command->json = 1;
		else if (argv[n][0] == '-' || command->operand != NULL)
			break;
		else
			command->operand = argv[n];
	if (command->operand == NULL ||
	    command_is_among(row->operands, command->operand))
		return n - 1;
	shown_add_quoted(&shown, command->operand, OPTION_VALUE_SHOWN);
	return err_set(err, "\"%s\" is not a set of libraries: it must be "
	    "minimal, office or science", shown.data);
}

int
command_read(int argc, char **argv, struct command *command, struct err *err)
{
	const char *word = argc > 1 ? argv[1] : "";
	const char *verb = argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
	const struct command_row *row;

	*command = (struct command){ 0 };
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
	command->word = row->word;
	command->verb = row->verb;
	if (row->task == COMMAND_ADOPT)
		return command_read_adopt(argc, argv, command, err);
	if (row->task == COMMAND_LIBRARIES)
		return command_read_libraries(row, argc, argv, command, err);
	if (row->operands == NULL)
		return row->verb == NULL ? 1 : 2;
	return command_operands(
	    row, argc, argv, row->verb == NULL ? 2 : 3, command, err);
}
