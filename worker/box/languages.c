/*
 * The table of the languages, made from the manifests of the folders beside
 * this file. Run by the launcher and by the code.
 */
#include <string.h>

#include "box.h"
#include "python/python.h"
#include "shell/shell.h"

static const struct language languages_table[] = {
#define LANGUAGE(name_, title, ALIASES, OPTION, kind, version, fix, use,       \
    START, KEPT, MEMORY, helpers_, programs, COMMAND)                          \
	{ .name = #name_,                                                      \
		.start = LANGUAGE_##START,                                     \
		.memory = LANGUAGE_##MEMORY,                                   \
		.helpers = helpers_,                                           \
		.locate = name_##_locate,                                      \
		.run = name_##_run },
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
