/*
 * The languages of code, as described by files in the directories of
 * worker/box, such as worker/box/python/language.def. The box has a struct
 * language of its own (worker/box/native/language.h).
 */
#ifndef SUPERVISOR_LANGUAGE_H
#define SUPERVISOR_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../options/option_table.h"
#include "../../options/options.h"

struct language {
	const char *name;
	const char *title; /* its name in a sentence */
	const char *const *aliases; /* the last one is NULL */
	enum option_id interpreter; /* the option for its path */
	const char *kind; /* the kind of program, with its article */
	const char *version; /* code that prints the version; NULL: none */
	const char *fix; /* how to install it */
	const char *use; /* how code calls a tool, for clients; NULL: not */
	bool forked; /* a template may preload its interpreter */
	bool stays; /* its interpreter can run several programs: sessions */
	unsigned int helpers; /* processes of ours beside the code */
	/* In a container: */
	const char *programs; /* a folder for its PATH, or NULL */
	/* The command that starts it, the last one is NULL. */
	const char *const *command;
	/*
	 * Where the language is an image, which has no bootstrap: its digits,
	 * which the engine starts. NULL: it is built in, and the next fields
	 * are not set.
	 */
	const char *image;
	const char *image_name; /* for people */
	const char *digest;
	unsigned int uid; /* its own user and group; 0: that of the setting */
	unsigned int gid;
};

/* Adds a language behind the others; it is kept. */
void language_add(const struct language *language);

/* Forgets those that were added. Calls may still refer to them. */
void language_remove_added(void);

/*
 * Sets what language_renew calls, which adds languages again where they have
 * changed.
 */
void language_set_renewer(void (*renew)(void));

/* To be called before a client is told of languages, or names one. */
void language_renew(void);

/* Returns the n-th language, counted from 0, static; NULL after the last. */
const struct language *language_at(size_t n);

/* Returns the language whose boxes are forked, static: the first one. */
const struct language *language_default(void);

/* Returns whether this is its name or an alias of it, in any letter case. */
int language_is(const struct language *language, const char *name);

/*
 * Returns the language of this name or alias in any letter case, static; NULL
 * if there is none.
 */
const struct language *language_find(const char *name);

/*
 * interpreter.c: returns the path of the program that runs the code, which is
 * searched for as those of servers are where the option is a name; that name if
 * there is none. Valid until the next call.
 */
const char *language_interpreter(
    const struct language *language, const struct options *options);

/*
 * Checks the names in the option language_limits. Returns 0, or -1 with err for
 * one that is no language, and will be none; of which others may be added, only
 * names similar to known ones are refused, and the log warns of the rest.
 */
int language_check_limits(
    const struct options *options, int others, struct err *err);

/* Appends the names of all languages, separated by commas. */
void language_add_names(struct buffer *text);

#endif
