/*
 * The rows of options.def as data: see option_table.h. Runs in the
 * supervisor; holds tables and compares names, nothing else.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../common/suggest.h"
#include "option_table.h"

#define OPTION_BETWEEN(from, to) .least = (from), .most = (to)
#define OPTION_ONE_OF(...)                                                     \
	.words = (const char *const[])                                         \
	{                                                                      \
		__VA_ARGS__, NULL                                              \
	}
#define OPTION_NAMES_IN(table) .words = option_##table
#define OPTION_ON_OR_OFF .most = 1

static const char *const option_runtimes[] = {
#define RUNTIME(name) #name,
#include "runtimes.def"
	NULL
};

static const char *const option_arguments[] = {
#define ARGUMENT(ID, name, word) word,
#include "arguments.def"
	NULL
};

static const char *const option_tools[] = {
#define TOOL(name) #name,
#include "tools.def"
	NULL
};

static const struct option_row option_rows[OPTION_IDS] = {
#define OPTION(KIND, NAME, name, default_, ALLOWED, doc_)                      \
	[OPTION_ID_##NAME] = { .key = #name,                                   \
		.kind = OPTION_KIND_##KIND,                                    \
		.default_text = default_,                                      \
		ALLOWED,                                                       \
		.doc = doc_ },
#include "options.def"
};

static const struct option_action_row option_action_rows[] = {
#define OPTION_ACTION(TASK, name, argument, doc)                               \
	{ COMMAND_##TASK, #name, argument, doc },
#include "options.def"
};

#define OPTION_ACTIONS                                                         \
	(sizeof(option_action_rows) / sizeof(option_action_rows[0]))

const struct option_row *
option_row(enum option_id id)
{
	return &option_rows[id];
}

int
option_is_path(enum option_id id)
{
	enum option_kind kind = option_row(id)->kind;

	return kind == OPTION_KIND_PATH || kind == OPTION_KIND_FILE ||
	    kind == OPTION_KIND_PROGRAM;
}

int
option_is_text(enum option_id id)
{
	enum option_kind kind = option_row(id)->kind;

	return option_is_path(id) || kind == OPTION_KIND_NAME ||
	    kind == OPTION_KIND_LIMITS ||
	    kind == OPTION_KIND_USER || kind == OPTION_KIND_NAMES ||
	    kind == OPTION_KIND_URL || kind == OPTION_KIND_ADDRESS ||
	    option_adds_up(id);
}

int
option_adds_up(enum option_id id)
{
	enum option_kind kind = option_row(id)->kind;

	return kind == OPTION_KIND_SOCKETS || kind == OPTION_KIND_HOSTS ||
	    kind == OPTION_KIND_ORIGINS;
}

const char *
option_limits_word(const char *text)
{
	const char *const *word = option_row(OPTION_ID_LIMITS)->words;

	while (*word != NULL && strcasecmp(*word, text) != 0)
		word++;
	return *word;
}

int
option_is_of_serve(enum option_id id)
{
	return option_adds_up(id) || id == OPTION_ID_TRUST_PROXY ||
	    id == OPTION_ID_COMPAT;
}

const struct option_action_row *
option_action_row(size_t n)
{
	return n < OPTION_ACTIONS ? &option_action_rows[n] : NULL;
}

enum option_id
option_find(const char *key)
{
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		if (strcmp(option_rows[id].key, key) == 0)
			break;
	return id;
}

const struct option_action_row *
option_action_find(const char *key)
{
	size_t i;

	for (i = 0; i < OPTION_ACTIONS; i++)
		if (strcmp(option_action_rows[i].key, key) == 0)
			return &option_action_rows[i];
	return NULL;
}

const struct option_action_row *
option_action_of(enum command_task task)
{
	size_t i;

	for (i = 0; i < OPTION_ACTIONS; i++)
		if (option_action_rows[i].task == task)
			return &option_action_rows[i];
	return NULL;
}

void
option_suggest(struct suggest *suggest, int actions)
{
	size_t i;

	for (i = 0; i < OPTION_IDS; i++)
		suggest_try(suggest, option_rows[i].key);
	for (i = 0; actions && i < OPTION_ACTIONS; i++)
		suggest_try(suggest, option_action_rows[i].key);
}

const char *
option_nearest(const char *key, int actions)
{
	struct suggest suggest = suggest_start_word(key);

	option_suggest(&suggest, actions);
	return suggest.best;
}

static void
option_prefixed(
    const char *prefix, const char *key, char name[OPTION_NAME_SIZE])
{
	char *p;

	snprintf(name, OPTION_NAME_SIZE, "%s%s", prefix, key);
	for (p = name; *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
}

void
option_variable(const char *key, char name[OPTION_NAME_SIZE])
{
	option_prefixed(OPTION_PREFIX, key, name);
}

void
option_former(const char *key, char name[OPTION_NAME_SIZE])
{
	if (strcmp(key, option_row(OPTION_ID_SERVERS_CONFIG)->key) == 0)
		snprintf(name, OPTION_NAME_SIZE, OPTION_FORMER_SERVERS);
	else
		option_prefixed(OPTION_FORMER_PREFIX, key, name);
}

void
option_flag(const char *key, char name[OPTION_NAME_SIZE])
{
	char *p;

	snprintf(name, OPTION_NAME_SIZE, "--%s", key);
	for (p = name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
}

void
option_key(const char *name, size_t len, char key[OPTION_NAME_SIZE])
{
	size_t i;

	for (i = 0; i < len && i < OPTION_NAME_SIZE - 1; i++)
		key[i] = name[i] == '-' ? '_' :
		    (char)tolower((unsigned char)name[i]);
	key[i] = '\0';
}
