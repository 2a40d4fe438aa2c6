/*
 * The languages that code may be in, as the folders of worker/box tell of
 * themselves: worker/box/python/language.def is one. The box has a struct
 * language of its own (worker/box/native/language.h). Runs in the supervisor.
 */
#ifndef SUPERVISOR_LANGUAGE_H
#define SUPERVISOR_LANGUAGE_H

#include <stddef.h>

#include "../../common/buffer.h"
#include "../options/option_table.h"

struct language {
	const char *name;
	const char *title; /* as it is written in a sentence */
	const char *const *aliases; /* the last one is NULL */
	enum option_id interpreter; /* the option that names it */
	const char *kind; /* what that should name, with its article */
	const char *version; /* code that prints the version */
	const char *fix; /* how it is had where it is missing */
	const char *use; /* how code calls a tool, for clients */
	int forked; /* a template may have its interpreter loaded */
};

/* Returns the n-th language, counted from 0, static; NULL behind the last. */
const struct language *language_at(size_t n);

/*
 * Returns the language that boxes are kept ready for, static: the first one.
 */
const struct language *language_default(void);

/*
 * Returns the language of this name or alias, capital or small letters, static;
 * NULL when there is none.
 */
const struct language *language_find(const char *name);

/* Appends the names of all, with commas between them. */
void language_add_names(struct buffer *text);

#endif
