/*
 * The command line, flag by flag: "--name value", "--name=value", and actions,
 * most of which have no value. Runs in the supervisor; looks only at argv.
 */
#ifndef SUPERVISOR_OPTION_FLAGS_H
#define SUPERVISOR_OPTION_FLAGS_H

#include "../../common/err.h"
#include "option_table.h"

/* Where a walk stands; begin with next = 1, behind the program's name. */
struct option_flags {
	int argc;
	char **argv;
	int next;
};

/* One flag: an option and its value, or an action. Borrowed from argv. */
struct option_flag {
	enum option_id id;         /* OPTION_IDS when it is an action */
	enum option_action action; /* OPTION_NONE when it is an option */
	int brief;                 /* -h: the short form of the help */
	int verbose;               /* -v: neither of the two */
	const char *value; /* NULL: an action without one */
};

/*
 * Reads the next flag. Returns 1, 0 at the end, or -1 with err for what is no
 * flag of ours, or lacks its value, or has one too many.
 */
int option_flags_next(
    struct option_flags *walk, struct option_flag *flag, struct err *err);

#endif
