/*
 * What the user set: read once at start from the command line, the
 * environment and the configuration file, checked against options.def, and
 * never changed afterwards. Runs in the supervisor.
 */
#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H

#include <stdio.h>

#include "../../common/buffer.h"
#include "../../common/err.h"
#include "command_word.h"
#include "option_table.h"

/* Where a value comes from; a later one wins over those before it. */
enum options_source {
	OPTIONS_DEFAULT,
	OPTIONS_FILE,
	OPTIONS_FORMER, /* the environment, by the name of earlier versions */
	OPTIONS_ENVIRONMENT,
	OPTIONS_FLAG,
};

/* C types by kind. Times are in seconds, sizes in bytes. */
#define OPTIONS_TYPE_SECONDS unsigned int
#define OPTIONS_TYPE_SIZE uint64_t
#define OPTIONS_TYPE_COUNT unsigned int
#define OPTIONS_TYPE_AUTO unsigned int
#define OPTIONS_TYPE_SHARE unsigned int
#define OPTIONS_TYPE_CHOICE unsigned int
#define OPTIONS_TYPE_WORDS unsigned int
#define OPTIONS_TYPE_PATH char *
#define OPTIONS_TYPE_FILE char *
#define OPTIONS_TYPE_NAMES char *
#define OPTIONS_TYPE_SWITCH unsigned int

/* A member for each row of options.def, then where it was read. */
struct options {
#define OPTION(KIND, NAME, name, preset, ALLOWED, doc)                         \
	OPTIONS_TYPE_##KIND name;
#include "options.def"
	struct command command;
	int words; /* of the command line, before its flags */
	enum command_task first; /* what those ask for */
	enum option_action action;
	int brief;            /* -h: a short help */
	const char *argument; /* of the action, of argv; NULL: none */
	const char *more;     /* what stands behind that; NULL: nothing */
	enum options_source sources[OPTION_IDS];
	char *file;     /* the configuration file, NULL when it has no place */
	int file_found; /* it was there and was read */
	char *file_refusal; /* why it was not read although it is there */
};

/*
 * Reads all options. Unless the action is to print help or the version, every
 * value is checked, also one that another wins over. Variables of other
 * versions get a warning in the log. Returns 0, or -1 with err: the name as
 * the user wrote it, the value, and what is allowed. options_free in both
 * cases.
 */
int options_read(struct options *options, int argc, char **argv, char **envp,
    struct err *err);

/* Whether a client is served: neither an action nor a command is asked for. */
int options_serves(const struct options *options);

/* Frees what the options hold. */
void options_free(struct options *options);

/* Returns the value of an option that is a number, that of one that is text. */
uint64_t options_number(const struct options *options, enum option_id id);
const char *options_text(const struct options *options, enum option_id id);

/*
 * Appends how an option is called where it was set: its flag, its variable, or
 * the file and its key there. Of one that was not set it is the variable.
 */
void options_add_name(struct buffer *text, const struct options *options,
    enum option_id id);

/* Returns the word of a choice, static: options_word(&o, OPTION_ID_RUNTIME). */
const char *options_word(const struct options *options, enum option_id id);

/* options_text.c: what a user is shown. */

/*
 * Prints usage, the commands, and each option with its default and what is
 * allowed. Of one command (the first word of some, and a verb, or NULL), that
 * alone with its flags; brief means the commands alone. Returns 0, or -1 with
 * err: there is none such.
 */
int options_help(const char *command, const char *verb, int brief, FILE *out,
    struct err *err);

/* Prints each option with its value and where that comes from. */
void options_print(const struct options *options, FILE *out);

#endif
