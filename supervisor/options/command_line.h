/*
 * The command line: the commands of commands.def with their flags and operands,
 * options, and actions, the flags that stand for a command. Runs in the
 * supervisor (and in the program that writes the manual pages); reads only
 * argv.
 */
#ifndef SUPERVISOR_COMMAND_LINE_H
#define SUPERVISOR_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/base/err.h"
#include "../../common/limits.h"

enum command_task {
	COMMAND_NONE,
#define COMMAND(TASK, NEEDS, run, word, verb, operands, FLAGS, doc)            \
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
};

struct command_flag_row {
	const char *key; /* with underscores; NULL for COMMAND_FLAG_NONE */
	char letter;     /* short form, or 0 */
	const char *value; /* name of its value; NULL: none */
	enum command_times times;
	const char *doc;
};

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

/* A row of commands.def. */
struct command_row {
	enum command_task task;
	enum command_needs needs;
	const char *word;
	const char *verb;     /* NULL: none */
	const char *operands; /* NULL: none */
	uint64_t flags;       /* a bit for each that it takes */
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

/* A command line. All zeroes: without a command. */
struct command {
	enum command_task task; /* what is done: the action, else the command */
	enum command_needs needs; /* of the command */
	const char *word;     /* of the command, static */
	const char *verb;     /* static; NULL: none */
	const char *operand;  /* first operand, of argv; NULL: none */
	const char *other;    /* second operand; NULL: none */
	char **rest; /* after "--": of argv, up to its NULL; NULL: none */
	char *url[2]; /* what rest is where a URL stands without "--" */
	int brief;   /* -h: the short help */
	struct command_flags flags;
};

/* An option on the command line. */
struct command_option {
	size_t id; /* of enum option_id */
	const char *value;
};

/*
 * Reads a command line. Its options are stored in given, which has room for
 * argc of them; *count is how many there are. For help, operand and other are
 * the command that it is about. Returns 0, or -1 with err.
 */
int command_line_read(int argc, char **argv, struct command *command,
    struct command_option *given, size_t *count, struct err *err);

/* Always returns -1, with the error for an unknown verb of word. */
int command_unknown_verb(const char *word, const char *verb, struct err *err);

/* Returns the n-th row, counted from 0, or NULL; static. */
const struct command_row *command_row(size_t n);

/*
 * Returns the row of a command, or NULL; a word alone stands for its list, or
 * what it shows.
 */
const struct command_row *command_find(const char *word, const char *verb);

/* Returns the first word of the command with the most similar name, or NULL. */
const char *command_nearest(const char *word);

/* Returns the row of a flag; static. */
const struct command_flag_row *command_flag_row(enum command_flag flag);

/*
 * Returns the flag in len bytes of an argument, such as "--dry-run" or "-y", or
 * COMMAND_FLAG_NONE.
 */
enum command_flag command_flag_find(const char *arg, size_t len);

/* Returns whether a command accepts a flag. */
int command_takes(enum command_task task, enum command_flag flag);

/* Return whether a flag is given; its n-th value, counted from 0, or NULL. */
int command_has(const struct command_flags *flags, enum command_flag flag);
const char *command_value(
    const struct command_flags *flags, enum command_flag flag, size_t n);

#endif
