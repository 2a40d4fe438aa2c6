/*
 * The table of the languages, made from the manifests of the folders beside
 * this file. Run by the launcher and by the code.
 */
#include <string.h>

#include "box.h"
#include "interpreter/interpreter.h"

/* The functions of languages that have their own. */
#define LANGUAGE_PROGRAM(file, usual, instead, prepare)
#define LANGUAGE_FUNCTIONS(name)                                               \
	int name##_locate(struct box *box, struct err *err);                   \
	int name##_run(struct box *box, struct err *err);
#define LANGUAGE(name, title, ALIASES, OPTION, kind, version, fix, use, START, \
    BY, SESSIONS, MEMORY, helpers, programs, COMMAND)                          \
	BY
#include "languages.def"
#undef LANGUAGE_PROGRAM
#undef LANGUAGE_FUNCTIONS
#undef LANGUAGE

static const struct language languages_table[] = {
#define LANGUAGE_PROGRAM(file, usual_, instead_, prepare)                      \
	.locate = program_locate, .run = program_run, .usual = usual_,         \
	.instead = instead_
#define LANGUAGE_FUNCTIONS(name) .locate = name##_locate, .run = name##_run
#define LANGUAGE(name_, title, ALIASES, OPTION, kind, version, fix, use,       \
    START, BY, SESSIONS, MEMORY, helpers_, programs, COMMAND)                  \
	{ .name = #name_,                                                      \
		.start = LANGUAGE_##START,                                     \
		.memory = LANGUAGE_##MEMORY,                                   \
		.helpers = helpers_,                                           \
		BY },
#include "languages.def"
};

const struct language *
languages_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(languages_table) / sizeof(languages_table[0]);
	    i++)
		if (strcmp(languages_table[i].name, name) == 0)
			return &languages_table[i];
	return NULL;
}

int
languages_locate(struct box *box, struct err *err)
{
	return box->language->locate(box, err);
}

int
languages_run(struct box *box, struct err *err)
{
	return box->language->run(box, err);
}
