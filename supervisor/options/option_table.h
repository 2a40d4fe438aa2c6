/*
 * The rows of options.def as data, and the name of an option in each place
 * where a user can set it. Runs in the supervisor (and in the program that
 * writes the manual pages); reads and changes nothing.
 */
#ifndef SUPERVISOR_OPTION_TABLE_H
#define SUPERVISOR_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "command_line.h"

struct suggest;

#define OPTION_PREFIX "CAISSON_"
/* The prefix of variables of mcp-server-code-execution-mode, accepted, too. */
#define OPTION_FORMER_PREFIX "MCP_BRIDGE_"
/* The exception, which is the option servers_config. */
#define OPTION_FORMER_SERVERS "MCP_SERVERS_CONFIG"

/* The number for "auto": computed while the program runs. */
#define OPTION_AUTO UINT32_MAX

/* Room for any name that the functions below return. */
#define OPTION_NAME_SIZE 64

enum option_kind {
	OPTION_KIND_SECONDS,
	OPTION_KIND_SIZE, /* bytes; k, m, g and t are powers of 1024 */
	OPTION_KIND_COUNT,
	OPTION_KIND_DAYS,
	OPTION_KIND_AUTO,   /* a count, or OPTION_AUTO */
	OPTION_KIND_SHARE,  /* in hundredths; written 1.5 */
	OPTION_KIND_CHOICE, /* its number: the position of the word */
	OPTION_KIND_WORDS,  /* words, comma-separated; a bit for each */
	OPTION_KIND_PATH,   /* absolute */
	OPTION_KIND_FILE,   /* a path, perhaps relative */
	OPTION_KIND_PROGRAM, /* a word of a list, or an absolute path */
	OPTION_KIND_NAME,   /* without blanks */
	OPTION_KIND_USER,   /* of containers: two numbers, not 0 */
	OPTION_KIND_NAMES,  /* of modules, comma-separated */
	OPTION_KIND_SOCKETS, /* ADDRESS:PORT or unix:PATH, comma-separated */
	OPTION_KIND_HOSTS,   /* NAME or NAME:PORT, comma-separated */
	OPTION_KIND_ORIGINS, /* of pages, comma-separated */
	OPTION_KIND_LIMITS, /* LANGUAGE:WORD of limits, comma-separated */
	OPTION_KIND_URL,    /* http or https, without a query */
	OPTION_KIND_ADDRESS, /* of IPv4 or IPv6, or nothing */
	OPTION_KIND_SWITCH, /* 1 or 0 */
};

enum option_id {
#define OPTION(KIND, NAME, name, default_text, ALLOWED, doc) OPTION_ID_##NAME,
#include "options.def"
	OPTION_IDS
};

struct option_row {
	const char *key;
	enum option_kind kind;
	const char *default_text; /* as written by users; NULL: computed */
	uint64_t least;     /* of a number, or of the length of text */
	uint64_t most;
	const char *const *words; /* the choices; the last one is NULL */
	const char *doc;
};

/* A flag that stands for a command. */
struct option_action_row {
	enum command_task task;
	const char *key;
	const char *argument; /* name of its argument; NULL: none */
	const char *doc;
};

/* Return the row of an option, of the n-th action or NULL; static. */
const struct option_row *option_row(enum option_id id);
const struct option_action_row *option_action_row(size_t n);

/* Returns whether its value may be a path, where ~ is the home folder. */
int option_is_path(enum option_id id);

/* Returns whether its value is text, not a number. */
int option_is_text(enum option_id id);

/* Returns whether the values of a flag that is repeated add up. */
int option_adds_up(enum option_id id);

/* Returns this word of the option limits, static; NULL: it is none. */
const char *option_limits_word(const char *text);

/* Returns whether only "caisson serve" uses it. */
int option_is_of_serve(enum option_id id);

/*
 * Return the option with this key, or OPTION_IDS; the action with this key, or
 * of this command, or NULL.
 */
enum option_id option_find(const char *key);
const struct option_action_row *option_action_find(const char *key);
const struct option_action_row *option_action_of(enum command_task task);

/*
 * Tries the keys of all options, and with actions set of all actions, for a
 * suggestion.
 */
void option_suggest(struct suggest *suggest, int actions);

/*
 * Returns the most similar key of an option (or of an action, if actions is
 * set), or NULL.
 */
const char *option_nearest(const char *key, int actions);

/*
 * Convert max_timeout to CAISSON_MAX_TIMEOUT, MCP_BRIDGE_MAX_TIMEOUT and
 * --max-timeout.
 */
void option_variable(const char *key, char name[OPTION_NAME_SIZE]);
void option_former(const char *key, char name[OPTION_NAME_SIZE]);
void option_flag(const char *key, char name[OPTION_NAME_SIZE]);

/*
 * Converts len bytes of a name without prefix or dashes to the key, in lower
 * case with underscores, cut to the maximum length.
 */
void option_key(const char *name, size_t len, char key[OPTION_NAME_SIZE]);

#endif
