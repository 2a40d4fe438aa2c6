/*
 * The words of a command line that begins with one: "caisson memory show KEY".
 * Runs in the supervisor; reads argv and nothing else.
 */
#ifndef SUPERVISOR_COMMAND_WORD_H
#define SUPERVISOR_COMMAND_WORD_H

#include <stddef.h>

#include "../../common/err.h"
#include "command_flag.h"
#include "option_table.h"

/* A row of commands.def that a user is shown. */
struct command_row {
	enum command_task task;
	enum option_action action; /* that it is another name of; or none */
	const char *word;
	const char *verb;     /* NULL: it has none */
	const char *operands; /* NULL: it takes none */
	const char *doc;
};

struct command {
	enum command_task task;
	enum option_action action;
	const char *word;     /* the first one, static */
	const char *verb;     /* static, as it was written; NULL: none */
	const char *operands; /* that it takes, static; NULL: none */
	const char *operand;  /* what it is about, of argv; NULL: nothing */
	const char *other;    /* what may stand behind that; NULL: nothing */
	char **rest; /* behind "--": of argv, up to its NULL; NULL: none */
	struct command_flags flags;
};

/*
 * Reads the words behind argv[0], which flags may follow. Returns how many
 * they are, 0 for none, or -1 with err.
 */
int command_read(
    int argc, char **argv, struct command *command, struct err *err);

/*
 * Takes a word that stands behind a flag, or all that stands behind "--" up to
 * a NULL. Returns 0, or -1 with err: the command takes none, or no more.
 */
int command_take(struct command *command, const char *word, struct err *err);
int command_take_rest(struct command *command, char **rest, struct err *err);

/*
 * Once all was read: whether nothing is missing, and each flag is one of this
 * command, or of the action that was asked for. Returns 0, or -1 with err.
 */
int command_check(const struct command *command, enum option_action action,
    struct err *err);

/* Always -1: a word that cannot be meant as anything, as a verb of word. */
int command_superfluous(const char *word, struct err *err);
int command_unknown_verb(
    const char *word, const char *verb, struct err *err);

/* Whether a word will be a command; then err says what there is instead. */
int command_is_later(const char *word, struct err *err);

/* Returns the n-th row, counted from 0, or NULL; static. */
const struct command_row *command_row(size_t n);

/* Returns the first word of a command that is near to another one, or NULL. */
const char *command_nearest(const char *word);

#endif
