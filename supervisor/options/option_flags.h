/*
 * The command line, flag by flag: "--name value", "--name=value", and actions,
 * most of which have no value. Runs in the supervisor; reads only argv.
 */
#ifndef SUPERVISOR_OPTION_FLAGS_H
#define SUPERVISOR_OPTION_FLAGS_H

#include "../../common/base/err.h"
#include "command_flag.h"
#include "option_table.h"

/* The position of a walk; begin with next = 1, after the program's name. */
struct option_flags {
	int argc;
	char **argv;
	int next;
	enum command_task task; /* of the command; or COMMAND_NONE */
	enum command_flag list; /* the next word may be a value of it */
};

/*
 * One flag: an option and its value, an action, or a flag of a command. After a
 * command it may also be a word, or all words after "--". Borrowed from argv.
 */
struct option_flag {
	enum option_id id;         /* OPTION_IDS: not an option */
	enum option_action action; /* OPTION_NONE: not an action */
	enum command_flag own;     /* COMMAND_FLAG_NONE: not of a command */
	int brief;                 /* -h: the short form of the help */
	const char *value; /* NULL: no value */
	const char *word;  /* NULL: a flag */
	char **rest;       /* the words after "--", or NULL */
};

/*
 * Reads the next flag. Returns 1, 0 at the end, or -1 with err for an unknown
 * flag, a missing value, or an extra one.
 */
int option_flags_next(
    struct option_flags *walk, struct option_flag *flag, struct err *err);

#endif
