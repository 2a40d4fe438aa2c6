/*
 * The flags of commands, such as --yes of "caisson adopt": their rows in
 * commands.def, and the flags on a command line. Runs in the supervisor; reads
 * only argv.
 */
#ifndef SUPERVISOR_COMMAND_FLAG_H
#define SUPERVISOR_COMMAND_FLAG_H

#include <stddef.h>

#include "../../common/base/err.h"
#include "../../common/limits.h"

struct suggest;

enum command_task {
	COMMAND_NONE,
#define COMMAND(TASK, ACTION, NEEDS, run, word, verb, operands, doc)           \
	COMMAND_##TASK,
#include "commands.def"
};

enum command_flag {
	COMMAND_FLAG_NONE,
#define COMMAND_FLAG(NAME, name, letter, value, TIMES, doc) COMMAND_FLAG_##NAME,
#include "commands.def"
	COMMAND_FLAGS
};

enum command_times {
	COMMAND_ONCE,
	COMMAND_EACH, /* may be repeated */
	COMMAND_LIST, /* may be repeated, with several values each */
};

struct command_flag_row {
	const char *key; /* with underscores; NULL for COMMAND_FLAG_NONE */
	char letter;     /* short form, or 0 */
	const char *value; /* name of its value; NULL: none */
	enum command_times times;
	const char *doc;
};

/* The flags of one command line, in order. All zeroes: none. */
struct command_flags {
	struct {
		enum command_flag flag;
		const char *value; /* of argv; NULL: it has none */
	} given[COMMAND_GIVEN_MAX];
	size_t count;
};

/* Returns the row of a flag; static. */
const struct command_flag_row *command_flag_row(enum command_flag flag);

/*
 * Returns the flag in len bytes of an argument, such as "--dry-run" or "-y", or
 * COMMAND_FLAG_NONE.
 */
enum command_flag command_flag_find(const char *arg, size_t len);

/* Returns whether a command accepts a flag. */
int command_takes(enum command_task task, enum command_flag flag);

/* Tries the keys of the flags of a command for a suggestion. */
void command_flag_suggest(struct suggest *suggest, enum command_task task);

/* Adds a flag. Returns 0, or -1 with err: it is given too often. */
int command_flag_give(struct command_flags *flags, enum command_flag flag,
    const char *value, struct err *err);

/* Return whether a flag is given; its n-th value, counted from 0, or NULL. */
int command_has(const struct command_flags *flags, enum command_flag flag);
const char *command_value(
    const struct command_flags *flags, enum command_flag flag, size_t n);

#endif
