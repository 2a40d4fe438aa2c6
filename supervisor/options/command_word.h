/*
 * The words of a command line that begins with one: "caisson memory show KEY".
 * Runs in the supervisor; reads argv and nothing else.
 */
#ifndef SUPERVISOR_COMMAND_WORD_H
#define SUPERVISOR_COMMAND_WORD_H

#include <stddef.h>

#include "../../common/err.h"
#include "option_table.h"

enum command_task {
	COMMAND_NONE,
#define COMMAND(TASK, ACTION, word, verb, operands, doc) COMMAND_##TASK,
#include "commands.def"
};

#define COMMAND_KEEP_MAX 64 /* names behind --keep */

/* What the flags of adopt say. */
struct command_adopt {
	int dry_run;
	int yes;
	int undo;
	int deny_destructive;
	const char *keep[COMMAND_KEEP_MAX]; /* of argv */
	size_t keep_count;
};

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
	const char *word;    /* the first one, static */
	const char *verb;    /* static, as it was written; NULL: none */
	const char *operand; /* what it is about, of argv; NULL: nothing */
	const char *other;   /* what may stand behind that; NULL: nothing */
	struct command_adopt adopt;
	int json; /* what is printed is one JSON object */
};

/*
 * Reads the words behind argv[0]; the options follow them. Returns how many
 * they are, 0 for none, or -1 with err.
 */
int command_read(
    int argc, char **argv, struct command *command, struct err *err);

/* Returns the n-th row, counted from 0, or NULL; static. */
const struct command_row *command_row(size_t n);

/* Returns the first word of a command that is near to another one, or NULL. */
const char *command_nearest(const char *word);

#endif
