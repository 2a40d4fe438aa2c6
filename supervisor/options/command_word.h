/*
 * Command lines that begin with a word: "caisson memory show KEY". Runs in the
 * supervisor; reads only argv.
 */
#ifndef SUPERVISOR_COMMAND_WORD_H
#define SUPERVISOR_COMMAND_WORD_H

#include <stddef.h>

#include "../../common/base/err.h"
#include "command_flag.h"
#include "option_table.h"

/* What is prepared before a command: see commands.def. */
enum command_needs {
	COMMAND_NEEDS_NOTHING,
	COMMAND_NEEDS_OTHERS,
	COMMAND_NEEDS_PROCESS,
	COMMAND_NEEDS_BOXES,
	COMMAND_NEEDS_CODE,
	COMMAND_NEEDS_CLIENT,
	COMMAND_NEEDS_CLIENTS
};

/* A row of commands.def, as shown to users. */
struct command_row {
	enum command_task task;
	enum option_action action; /* the same as an action; or none */
	enum command_needs needs;
	const char *word;
	const char *verb;     /* NULL: none */
	const char *operands; /* NULL: none */
	const char *doc;
};

struct command {
	enum command_task task;
	enum option_action action;
	enum command_needs needs;
	const char *word;     /* first word, static */
	const char *verb;     /* static, as given; NULL: none */
	const char *operands; /* accepted operands, static; NULL: none */
	const char *operand;  /* first operand, of argv; NULL: none */
	const char *other;    /* second operand; NULL: none */
	char **rest; /* after "--": of argv, up to its NULL; NULL: none */
	struct command_flags flags;
};

/*
 * Reads the words after argv[0], which may be followed by flags. Returns how
 * many there are, 0 for none, or -1 with err.
 */
int command_read(
    int argc, char **argv, struct command *command, struct err *err);

/*
 * Take a word after a flag, or all words after "--" up to a NULL. Return 0, or
 * -1 with err if the command accepts none, or no more.
 */
int command_take(struct command *command, const char *word, struct err *err);
int command_take_rest(struct command *command, char **rest, struct err *err);

/*
 * After the whole command line was read: checks that nothing is missing, and
 * that each flag belongs to this command or action. Returns 0, or -1 with err.
 */
int command_check(const struct command *command, enum option_action action,
    struct err *err);

/* Returns whether an action may be combined with words. */
int command_goes_with(
    const struct command *command, enum option_action action);

/*
 * Always return -1, with the error for an extra word, or for an unknown verb of
 * word.
 */
int command_superfluous(const char *word, struct err *err);
int command_unknown_verb(
    const char *word, const char *verb, struct err *err);

/* Returns the n-th row, counted from 0, or NULL; static. */
const struct command_row *command_row(size_t n);

/* Returns the row of a command; verb is NULL if it has none. NULL: none. */
const struct command_row *command_find(const char *word, const char *verb);

/* Returns the first word of the command with the most similar name, or NULL. */
const char *command_nearest(const char *word);

#endif
