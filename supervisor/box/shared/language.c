/*
 * The table of the languages: see language.h. Runs in the supervisor; starts
 * nothing.
 */
#include <string.h>
#include <strings.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/limits.h"
#include "../../../common/suggest.h"
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

/* Tries all names that a user may have meant. */
static void
language_suggest(struct suggest *suggest)
{
	const struct language *language;
	size_t i, n;

	for (i = 0; (language = language_at(i)) != NULL; i++) {
		suggest_try(suggest, language->name);
		for (n = 0; language->aliases[n] != NULL; n++)
			suggest_try(suggest, language->aliases[n]);
	}
}

/* The same for one name. */
static int
language_check_name(const struct options *options, const char *name,
    int others, struct err *err)
{
	struct suggest suggest = suggest_start(name);
	auto_buffer struct buffer text = { 0 };

	if (language_find(name) != NULL)
		return 0;
	language_suggest(&suggest);
	options_add_name(&text, options, OPTION_ID_LANGUAGE_LIMITS);
	buffer_add_text(&text, " has limits for \"");
	shown_add_quoted(&text, name, OPTION_VALUE_SHOWN);
	buffer_add_text(&text, "\", which is no language");
	if (suggest.best != NULL)
		return err_set(err, "%s: did you mean %s?", text.data,
		    suggest.best);
	buffer_add_text(&text, ": the languages are ");
	language_add_names(&text);
	if (!others)
		return err_set(err, "%s; one that is an image needs --runtime "
		    "podman or docker", text.data);
	log_warn("%s, until 'caisson image add' enables it", text.data);
	return 0;
}

int
language_check_limits(
    const struct options *options, int others, struct err *err)
{
	const char *text = options->language_limits;

	while (*text != '\0') {
		auto_free char *name =
		    mem_printf("%.*s", (int)strcspn(text, ":"), text);

		if (language_check_name(options, name, others, err) == -1)
			return -1;
		text += strcspn(text, ",");
		text += *text == ',';
	}
	return 0;
}

void
language_add_names(struct buffer *text)
{
	const struct language *language;
	size_t i;

	for (i = 0; (language = language_at(i)) != NULL; i++)
		buffer_printf(text, "%s%s", i == 0 ? "" : ", ", language->name);
}
