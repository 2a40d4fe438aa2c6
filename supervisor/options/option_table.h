/*
 * The rows of options.def as data, and how an option is called in each of the
 * places where a user can set it. Runs in the supervisor (and in the program
 * that writes the manual pages); reads and changes nothing.
 */
#ifndef SUPERVISOR_OPTION_TABLE_H
#define SUPERVISOR_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct suggest;

#define OPTION_PREFIX "CAISSON_"
/* What variables began with in earlier versions, and may still. */
#define OPTION_FORMER_PREFIX "MCP_BRIDGE_"
/* The one that did not: the option servers_config. */
#define OPTION_FORMER_SERVERS "MCP_SERVERS_CONFIG"

/* The number of "auto": it is found out while the program runs. */
#define OPTION_AUTO UINT32_MAX

/* Room for any name that the functions below make. */
#define OPTION_NAME_SIZE 64

enum option_kind {
	OPTION_KIND_SECONDS,
	OPTION_KIND_SIZE, /* bytes; k, m, g and t are powers of 1024 */
	OPTION_KIND_COUNT,
	OPTION_KIND_AUTO,   /* a count, or OPTION_AUTO */
	OPTION_KIND_SHARE,  /* in hundredths; written 1.5 */
	OPTION_KIND_CHOICE, /* its number is the position of the word */
	OPTION_KIND_WORDS,  /* some, with commas between them; a bit of each */
	OPTION_KIND_PATH,   /* absolute */
	OPTION_KIND_FILE,   /* a path, from the folder that one works in, too */
	OPTION_KIND_NAMES,  /* of modules, with commas between them */
	OPTION_KIND_SWITCH, /* 1 or 0 */
};

enum option_id {
#define OPTION(KIND, NAME, name, preset, ALLOWED, doc) OPTION_ID_##NAME,
#include "options.def"
	OPTION_IDS
};

/* OPTION_NONE: no action was asked for. Then a command runs, or it serves. */
enum option_action {
	OPTION_NONE,
#define OPTION_ACTION(NAME, name, doc) OPTION_##NAME,
#include "options.def"
	OPTION_ACTIONS
};

struct option_row {
	const char *key;
	enum option_kind kind;
	const char *preset; /* as a user would write it; NULL: computed */
	uint64_t least;     /* of a number, or of the bytes of text */
	uint64_t most;
	const char *const *words; /* that may be chosen, the last one is NULL */
	const char *doc;
};

struct option_action_row {
	const char *key; /* NULL for OPTION_NONE */
	const char *doc;
	const char *argument; /* what it is about; NULL: it has none */
};

/* Returns the row of an option, of an action; static. */
const struct option_row *option_row(enum option_id id);
const struct option_action_row *option_action_row(enum option_action action);

/* Whether its value is text, and not a number. */
int option_is_text(enum option_id id);

/* Returns the option or action with this key; OPTION_IDS, OPTION_ACTIONS. */
enum option_id option_find(const char *key);
enum option_action option_action_find(const char *key);

/* Whether this key is one that only other versions use. */
int option_is_later(const char *key);

/* The key of the n-th of those, counted from 0, or NULL. */
const char *option_later(size_t n);

/* Tries the keys of all options, and of all actions, for a suggestion. */
void option_suggest(struct suggest *suggest, int actions);

/*
 * Returns the key of the option (or of the action, where those are allowed)
 * that a user who wrote this may have meant, or NULL.
 */
const char *option_nearest(const char *key, int actions);

/*
 * From max_timeout make CAISSON_MAX_TIMEOUT, MCP_BRIDGE_MAX_TIMEOUT and
 * --max-timeout.
 */
void option_variable(const char *key, char name[OPTION_NAME_SIZE]);
void option_former(const char *key, char name[OPTION_NAME_SIZE]);
void option_flag(const char *key, char name[OPTION_NAME_SIZE]);

/*
 * The other way, without prefix or dashes: returns the key in small letters
 * and underscores that len bytes of a name stand for, cut where it is longer
 * than any.
 */
void option_key(const char *name, size_t len, char key[OPTION_NAME_SIZE]);

#endif
