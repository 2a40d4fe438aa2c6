/*
 * The user's settings: read at the start from the command line, the environment
 * and the configuration file, and checked against options.def. Some are read
 * again while clients are served.
 */
#ifndef SUPERVISOR_OPTIONS_H
#define SUPERVISOR_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "../../common/base/buffer.h"
#include "../../common/base/err.h"
#include "option_table.h"

/* The origin of a value; later ones take precedence over earlier ones. */
enum options_source {
	OPTIONS_DEFAULT,
	OPTIONS_PRESET, /* another option: presets.def */
	OPTIONS_FILE,
	OPTIONS_COMPAT, /* the environment, by a name of an earlier service */
	OPTIONS_FORMER, /* the environment, by a former name */
	OPTIONS_ENVIRONMENT,
	OPTIONS_FLAG,
};

/* The words of the option arguments, in their order. */
enum options_argument {
#define ARGUMENT(ID, name, word) ARGUMENT_##ID,
#include "arguments.def"
};

/* The words of the option limits. */
#define OPTIONS_LIMITS 3

/* C types by kind. Times are in seconds, sizes in bytes. */
#define OPTIONS_TYPE_SECONDS unsigned int
#define OPTIONS_TYPE_SIZE uint64_t
#define OPTIONS_TYPE_COUNT unsigned int
#define OPTIONS_TYPE_DAYS unsigned int
#define OPTIONS_TYPE_AUTO unsigned int
#define OPTIONS_TYPE_SHARE unsigned int
#define OPTIONS_TYPE_CHOICE unsigned int
#define OPTIONS_TYPE_WORDS unsigned int
#define OPTIONS_TYPE_PATH char *
#define OPTIONS_TYPE_FILE char *
#define OPTIONS_TYPE_PROGRAM char *
#define OPTIONS_TYPE_NAME char *
#define OPTIONS_TYPE_USER char *
#define OPTIONS_TYPE_NAMES char *
#define OPTIONS_TYPE_SOCKETS char *
#define OPTIONS_TYPE_HOSTS char *
#define OPTIONS_TYPE_ORIGINS char *
#define OPTIONS_TYPE_LIMITS char *
#define OPTIONS_TYPE_URL char *
#define OPTIONS_TYPE_ADDRESS char *
#define OPTIONS_TYPE_SWITCH unsigned int

/*
 * A member for each row of options.def, then data on the command line and the
 * file.
 */
struct options {
#define OPTION(KIND, NAME, name, default_text, ALLOWED, doc)                   \
	OPTIONS_TYPE_##KIND name;
#include "options.def"
	struct command command;
	enum options_source sources[OPTION_IDS];
	/*
	 * Copies with the limits of each word of the option limits; NULL before
	 * all options are read. What others own stays theirs.
	 */
	struct options *limited;
	const struct options *owner_limits; /* one of these, or NULL */
	char *api_token;   /* of the option compat; NULL: none */
	char *file_secret; /* the same, which signs links */
	uint64_t link_seconds; /* how long these are valid; 0: there are none */
	const char *home; /* what ~ stands for, in envp; NULL: nothing */
	char *file;     /* the configuration file; NULL: no path */
	bool file_found; /* it exists and was read */
	char *file_refusal; /* why an existing file was not read */
};

/*
 * Reads all options. Unless help or the version is printed, every value
 * is checked, even if another takes precedence. 'config set' leaves to
 * config_set_try the member that it replaces, and whether options contradict
 * each other. Variables of other versions cause a warning in the log. Returns
 * 0, or -1 with err: the name as the user wrote it, the value, and the allowed
 * values. Call options_free in both cases.
 */
int options_read(struct options *options, int argc, char **argv, char **envp,
    struct err *err);

/*
 * Reads all options again, while clients are served. Those that calls look at
 * change at once; appends the names of others that differ now to later. Returns
 * 0, or -1 with err, as options_read: then nothing has changed.
 */
int options_reload(struct options *options, int argc, char **argv, char **envp,
    struct buffer *later, struct err *err);

/*
 * Sets an option as if this source had it, except that values of the same flag
 * may add up. Returns 0, or -1 with err: the name there, the value, and the
 * allowed values.
 */
int options_set(struct options *options, enum option_id id,
    enum options_source source, const char *text, struct err *err);

/*
 * Checks that the options do not contradict each other, and lowers the default
 * of one that would. Returns 0, or -1 with err.
 */
int options_check(struct options *options, struct err *err);

struct language;

/* Returns whether a language has this name. */
typedef int language_has_name(const struct language *, const char *name);

/*
 * Returns settings with the limits for code of a language, as long as the
 * options that were read: the stricter ones of that language, by any of its
 * names, and of the owner of the options; NULL if neither has any.
 */
const struct options *options_limits(const struct options *options,
    const struct language *language, language_has_name *has_name);

/* Gives options of an owner the limits of a word of option_limits_word. */
void options_set_limits(struct options *options, const char *word);

/* Returns how many bytes are kept of a stream; 0: none. */
static inline uint64_t
options_output_kept(const struct options *options)
{
	return options->memory_api && options->calls_days > 0 ?
	    options->output_kept : 0;
}

/* Returns whether calls may have this argument. */
static inline int
options_argument(const struct options *options, enum options_argument argument)
{
	return (options->arguments & 1U << argument) != 0;
}

/* Returns whether clients are served. */
int options_serves(const struct options *options);

/* Returns whether memories and files may be kept meanwhile. */
static inline int
options_keeps(const struct options *options)
{
	enum command_task task = options->command.task;

	return task != COMMAND_SELFTEST && task != COMMAND_SERVERS_LIST &&
	    task != COMMAND_SERVERS_TEST;
}

/* Returns the option that presets another one, of source OPTIONS_PRESET. */
enum option_id options_preset_by(
    const struct options *options, enum option_id id);

/* Frees the fields of options. */
void options_free(struct options *options);

/* Return the value of an option that is a number, or that is text. */
uint64_t options_number(const struct options *options, enum option_id id);
const char *options_text(const struct options *options, enum option_id id);

/*
 * Appends the name of an option where it was set: its flag, its variable, or
 * the file and its key there. For an option that was not set, appends the
 * variable.
 */
void options_add_name(struct buffer *text, const struct options *options,
    enum option_id id);

/* Returns the word of a choice, static. */
const char *options_word(const struct options *options, enum option_id id);

/* options_text.c: the help and the list of settings. */

/*
 * Prints usage, the commands, and each option with its default and the allowed
 * values. With command (the first word of some, and a verb, or NULL) prints
 * only those, with their flags; brief means only the commands. Returns 0, or -1
 * with err if there is no such command.
 */
int options_help(const char *command, const char *verb, int brief, FILE *out,
    struct err *err);

/* Prints one line of config show, with foreign text escaped. */
void options_print_line(
    FILE *out, const char *name, const char *value, const char *where);

/* Prints each option with its value and the origin of that. */
void options_print(const struct options *options, FILE *out);

/* Prints the same to standard output as one JSON object. */
void options_report(const struct options *options);

/* Returns whether --json is given. */
int options_json(const struct options *options);

#endif
