/*
 * The command line, flag by flag: "--name value", "--name=value", and actions,
 * most of which have no value. Runs in the supervisor; looks only at argv.
 */
#ifndef SUPERVISOR_OPTION_FLAGS_H
#define SUPERVISOR_OPTION_FLAGS_H

#include "../../common/err.h"
#include "command_flag.h"
#include "option_table.h"

/* Where a walk stands; begin with next = 1, behind the program's name. */
struct option_flags {
	int argc;
	char **argv;
	int next;
	enum command_task task; /* of the command; or COMMAND_NONE */
	enum command_flag list; /* that the next word is a value of, too */
};

/*
 * One flag: an option and its value, an action, a flag of a command; or, where
 * there is a command, a word that is no flag, or all behind "--". Borrowed from
 * argv.
 */
struct option_flag {
	enum option_id id;         /* OPTION_IDS when it is no option */
	enum option_action action; /* OPTION_NONE when it is none */
	enum command_flag own;     /* COMMAND_FLAG_NONE when it is none */
	int brief;                 /* -h: the short form of the help */
	const char *value; /* NULL: a flag or action without one */
	const char *word;  /* NULL: it is a flag */
	char **rest;       /* what stands behind "--", or NULL */
};

/*
 * Reads the next flag. Returns 1, 0 at the end, or -1 with err for what is no
 * flag of ours, or lacks its value, or has one too many.
 */
int option_flags_next(
    struct option_flags *walk, struct option_flag *flag, struct err *err);

#endif
