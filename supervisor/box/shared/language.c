/*
 * The table of the languages: see language.h. Runs in the supervisor; starts
 * nothing.
 */
#include <strings.h>

#include "../../../common/limits.h"
#include "../engine/engine.h"
#include "language.h"

#define LANGUAGE_COMMAND(...) LANGUAGE_ALSO(__VA_ARGS__)
#define LANGUAGE_ALSO(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct language language_table[] = {
#define LANGUAGE_EXECUTED 0
#define LANGUAGE_FORKED 1
#define LANGUAGE_STAYS 1
#define LANGUAGE_ENDS 0
#define LANGUAGE(name_, title_, ALIASES, OPTION, kind_, version_, fix_, use_,  \
    START, BY, SESSIONS, MEMORY, helpers_, programs_, COMMAND)                 \
	{ .name = #name_,                                                      \
		.title = title_,                                               \
		.aliases = ALIASES,                                            \
		.interpreter = OPTION_ID_##OPTION,                             \
		.kind = kind_,                                                 \
		.version = version_,                                           \
		.fix = fix_,                                                   \
		.use = use_,                                                   \
		.forked = LANGUAGE_##START,                                    \
		.stays = LANGUAGE_##SESSIONS,                                  \
		.helpers = helpers_,                                           \
		.programs = programs_,                                         \
		.command = COMMAND },
#include "languages.def"
};

#define LANGUAGES (sizeof(language_table) / sizeof(language_table[0]))

/* Those that were added. */
static const struct language *language_added[IMAGES_MAX];
static size_t language_added_count;
static void (*language_renewer)(void); /* NULL: none */

void
language_add(const struct language *language)
{
	if (language_added_count < IMAGES_MAX)
		language_added[language_added_count++] = language;
}

void
language_remove_added(void)
{
	language_added_count = 0;
}

void
language_set_renewer(void (*renew)(void))
{
	language_renewer = renew;
}

void
language_renew(void)
{
	if (language_renewer != NULL)
		language_renewer();
}

const struct language *
language_at(size_t n)
{
	if (n < LANGUAGES)
		return &language_table[n];
	n -= LANGUAGES;
	return n < language_added_count ? language_added[n] : NULL;
}

const struct language *
language_default(void)
{
	return &language_table[0];
}

int
language_is(const struct language *language, const char *name)
{
	size_t i;

	for (i = 0; language->aliases[i] != NULL; i++)
		if (strcasecmp(language->aliases[i], name) == 0)
			return 1;
	return strcasecmp(language->name, name) == 0;
}

const struct language *
language_find(const char *name)
{
	const struct language *language;
	size_t i;

	for (i = 0; (language = language_at(i)) != NULL; i++)
		if (language_is(language, name))
			return language;
	return NULL;
}

void
language_add_names(struct buffer *text)
{
	const struct language *language;
	size_t i;

	for (i = 0; (language = language_at(i)) != NULL; i++)
		buffer_printf(text, "%s%s", i == 0 ? "" : ", ", language->name);
}
