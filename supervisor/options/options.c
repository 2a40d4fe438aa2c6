/*
 * Reading the options: see options.h. Runs in the supervisor, before anything
 * else; opens the configuration file, starts nothing.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "home.h"
#include "option_environment.h"
#include "option_file.h"
#include "option_value.h"
#include "options.h"

static const size_t options_offsets[OPTION_IDS] = {
#define OPTION(KIND, NAME, name, default_text, ALLOWED, doc)                   \
	[OPTION_ID_##NAME] = offsetof(struct options, name),
#include "options.def"
};

/* Storing values */

static void
options_store(struct options *options, enum option_id id, uint64_t number,
    const char *text)
{
	void *member = (char *)options + options_offsets[id];

	if (option_is_text(id)) {
		free(*(char **)member);
		*(char **)member = mem_strdup(text);
	} else if (option_row(id)->kind == OPTION_KIND_SIZE) {
		*(uint64_t *)member = number;
	} else {
		*(unsigned int *)member = (unsigned int)number;
	}
}

uint64_t
options_number(const struct options *options, enum option_id id)
{
	const void *member = (const char *)options + options_offsets[id];

	if (option_row(id)->kind == OPTION_KIND_SIZE)
		return *(const uint64_t *)member;
	return *(const unsigned int *)member;
}

const char *
options_text(const struct options *options, enum option_id id)
{
	return *(char *const *)(const void *)(
	    (const char *)options + options_offsets[id]);
}

const char *
options_word(const struct options *options, enum option_id id)
{
	return option_row(id)->words[options_number(options, id)];
}

/* Appends the name of an option in a place where it can be set. */
static void
options_add_name_in(struct buffer *buffer, const struct options *options,
    enum option_id id, enum options_source source)
{
	const char *key = option_row(id)->key;
	char name[OPTION_NAME_SIZE];

	if (source == OPTIONS_FILE) {
		shown_add_quoted(buffer, options->file, OPTION_NAME_SHOWN);
		buffer_printf(buffer, ":%s", key);
		return;
	}
	if (source == OPTIONS_COMPAT)
		snprintf(name, sizeof(name), "%s", option_compat_name(id));
	else if (source == OPTIONS_FLAG)
		option_flag(key, name);
	else if (source == OPTIONS_FORMER)
		option_former(key, name);
	else
		option_variable(key, name);
	buffer_add_text(buffer, name);
}

void
options_add_name(
    struct buffer *text, const struct options *options, enum option_id id)
{
	options_add_name_in(text, options, id, options->sources[id]);
}

/*
 * Returns a path whose ~ stands for the home folder, which the caller frees;
 * NULL: the text stays as it is.
 */
static char *
options_expand(
    const struct options *options, enum option_id id, const char *text)
{
	if (!option_is_path(id) || text[0] != '~' || options->home == NULL ||
	    (text[1] != '/' && text[1] != '\0'))
		return NULL;
	return mem_printf("%s%s", options->home, text + 1);
}

int
options_set(struct options *options, enum option_id id,
    enum options_source source, const char *text, struct err *err)
{
	auto_buffer struct buffer why = { 0 };
	auto_free char *whole = options_expand(options, id, text);
	auto_free char *sum = NULL;
	uint64_t number;

	text = whole == NULL ? text : whole;
	if (option_adds_up(id) && source == OPTIONS_FLAG &&
	    options->sources[id] == OPTIONS_FLAG)
		text = sum = mem_printf(
		    "%s,%s", options_text(options, id), text);
	if (option_value_parse(option_row(id), text, &number) == 0) {
		options_store(options, id, number, text);
		options->sources[id] = source;
		return 0;
	}
	options_add_name_in(&why, options, id, source);
	buffer_add_text(&why, " is \"");
	shown_add_quoted(&why, text, OPTION_VALUE_SHOWN);
	buffer_add_text(&why, "\", but must be ");
	option_value_add_allowed(&why, option_row(id));
	option_value_add_examples(&why, option_row(id));
	if (text[0] == '~')
		buffer_add_text(&why, "; ~ stands for the folder that HOME "
		    "names, and for no other: write the whole path");
	return err_set(err, "%s", why.data);
}

/* Defaults */

static unsigned int
options_concurrent(void)
{
	unsigned int wanted = CONCURRENT_LEAST;
	cpu_set_t processors;

	/* The processors that we may use: in a container perhaps few. */
	if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
		wanted = 2 * (unsigned int)CPU_COUNT(&processors);
	if (wanted < CONCURRENT_LEAST)
		wanted = CONCURRENT_LEAST;
	return wanted < CONCURRENT_MAX ? wanted : CONCURRENT_MAX;
}

static void
options_set_defaults(struct options *options)
{
	struct err err;
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		if (option_row(id)->default_text != NULL &&
		    options_set(options, id, OPTIONS_DEFAULT,
		        option_row(id)->default_text, &err) == -1)
			fatal("options.def: %s", err.text);
	options->max_concurrent = options_concurrent();
}

/* The configuration file */

/*
 * Returns the option most similar to a member, which may have the name of a
 * variable.
 */
static const char *
options_nearest_member(const char *key)
{
	static const char *const prefixes[] = { OPTION_PREFIX,
		OPTION_FORMER_PREFIX };
	char small[OPTION_NAME_SIZE];
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			key += strlen(prefixes[i]);
	option_key(key, strlen(key), small);
	return option_nearest(small, 0);
}

/* Returns whether a member is about to be replaced by 'config set'. */
static int
options_replaces(const struct options *options, const char *key)
{
	const char *name = options->command.operand;
	char replaced[OPTION_NAME_SIZE];

	if (options->command.needs != COMMAND_NEEDS_OTHERS || name == NULL)
		return 0;
	option_key(name, strlen(name), replaced);
	return option_find(key) != OPTION_IDS && strcmp(key, replaced) == 0;
}

/* Takes a member of the file; one to be replaced is not judged. */
static int
options_set_member(
    void *ctx, const char *key, const char *value, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	struct options *options = ctx;
	const char *suggested;

	if (options_replaces(options, key))
		return 1;
	if (option_find(key) != OPTION_IDS)
		return value == NULL ? 0 : options_set(options,
		    option_find(key), OPTIONS_FILE, value, err);
	shown_add_quoted(&shown, options->file, OPTION_NAME_SHOWN);
	buffer_add_text(&shown, ": \"");
	shown_add_quoted(&shown, key, OPTION_VALUE_SHOWN);
	if (strcmp(key, "mcpServers") == 0 || strcmp(key, "servers") == 0)
		return err_set(err, "%s\" is not an option: servers belong in "
		    "%.*s/servers/NAME.json", shown.data,
		    (int)(strrchr(options->file, '/') - options->file),
		    options->file);
	suggested = options_nearest_member(key);
	if (suggested == NULL)
		return err_set(err, "%s\" is not an option: 'caisson --help' "
		    "lists them", shown.data);
	return err_set(err, "%s\" is not an option: did you mean \"%s\"?",
	    shown.data, suggested);
}

static int
options_read_file(struct options *options, char **envp, struct err *err)
{
	auto_free char *refusal = NULL;
	int found;

	options->file = option_file_path(envp);
	if (options->file == NULL)
		return 0;
	refusal = home_refusal(envp, home_settings_variable(envp));
	if (refusal != NULL) {
		if (access(options->file, F_OK) == 0)
			options->file_refusal = mem_take(&refusal);
		return 0;
	}
	found = option_file_read(
	    options->file, options_set_member, options, err);
	options->file_found = found == 1;
	return found == -1 ? -1 : 0;
}

/* The environment */

static int
options_set_variable(void *ctx, enum option_id id, int former,
    const char *value, struct err *err)
{
	return options_set(ctx, id,
	    former ? OPTIONS_FORMER : OPTIONS_ENVIRONMENT, value, err);
}

static int
options_set_compat(
    void *ctx, enum option_id id, const char *value, struct err *err)
{
	struct options *options = ctx;

	return options->sources[id] > OPTIONS_FILE ? 0 :
	    options_set(options, id, OPTIONS_COMPAT, value, err);
}

static void
options_warn_file(const struct options *options)
{
	auto_buffer struct buffer shown = { 0 };

	if (options->file_refusal == NULL)
		return;
	shown_add_quoted(&shown, options->file, OPTION_NAME_SHOWN);
	log_warn("%s is ignored: %s", shown.data, options->file_refusal);
}

/* Presets */

static const struct {
	enum option_id by;
	const char *word;
	enum option_id id;
	const char *value;
} options_presets[] = {
#define PRESET(CHOICE, word, NAME, value)                                      \
	{ OPTION_ID_##CHOICE, word, OPTION_ID_##NAME, value },
#include "presets.def"
};

/* Applies the rows of what is chosen. */
static int
options_apply_presets(struct options *options, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(options_presets) / sizeof(options_presets[0]);
	     i++)
		if (options->sources[options_presets[i].id] <=
		        OPTIONS_PRESET &&
		    strcmp(options_word(options, options_presets[i].by),
		        options_presets[i].word) == 0 &&
		    options_set(options, options_presets[i].id, OPTIONS_PRESET,
		        options_presets[i].value, err) == -1)
			return -1;
	return 0;
}

enum option_id
options_preset_by(const struct options *options, enum option_id id)
{
	size_t i = 0;

	while (options_presets[i].id != id ||
	    strcmp(options_word(options, options_presets[i].by),
	        options_presets[i].word) != 0)
		i++;
	return options_presets[i].by;
}

/* Limits of some owners and languages */

/*
 * Sets the values of a word: those of the default first. A computed default
 * stays.
 */
static void
options_preset_limits(struct options *options, const char *word)
{
	size_t i, n = sizeof(options_presets) / sizeof(options_presets[0]);
	const char *value;
	enum option_id id;
	struct err err;

	for (i = 0; i < 2 * n; i++) {
		id = options_presets[i % n].id;
		value = i < n ? option_row(id)->default_text :
		                options_presets[i % n].value;
		if (options_presets[i % n].by == OPTION_ID_LIMITS &&
		    value != NULL && (i < n ||
		        strcmp(options_presets[i % n].word, word) == 0))
			options_set(options, id, i < n ?
			    OPTIONS_DEFAULT : OPTIONS_PRESET, value, &err);
	}
}

static void
options_make_limited(struct options *options)
{
	const char *const *words = option_row(OPTION_ID_LIMITS)->words;
	size_t i;

	options->limited = mem_alloc(
	    OPTIONS_LIMITS * sizeof(options->limited[0]));
	for (i = 0; i < OPTIONS_LIMITS; i++) {
		options->limited[i] = *options;
		options_preset_limits(&options->limited[i], words[i]);
	}
}

static const struct options *
options_limited(const struct options *options, const char *word)
{
	const char *const *words = option_row(OPTION_ID_LIMITS)->words;
	size_t i = 0;

	while (strcmp(words[i], word) != 0)
		i++;
	return &options->limited[i];
}

void
options_set_limits(struct options *options, const char *word)
{
	options_preset_limits(options, word);
	options->owner_limits = options_limited(options, word);
}

/*
 * Returns the word for a language by any of its names in the option, static;
 * NULL: none.
 */
static const char *
options_language_limits(const struct options *options,
    const struct language *language, language_has_name *has_name)
{
	const char *text = options->language_limits;
	size_t len;

	for (; text[0] != '\0'; text += len + (text[len] == ',')) {
		auto_free char *item = NULL;
		char *colon;

		len = strcspn(text, ",");
		item = mem_printf("%.*s", (int)len, text);
		colon = strchr(item, ':');
		*colon = '\0';
		if (has_name(language, item))
			return option_limits_word(colon + 1);
	}
	return NULL;
}

const struct options *
options_limits(const struct options *options, const struct language *language,
    language_has_name *has_name)
{
	const struct options *own = options->owner_limits, *others = NULL;
	const char *word = options->limited == NULL ? NULL :
	    options_language_limits(options, language, has_name);

	if (word != NULL)
		others = options_limited(options, word);
	/* Those of a stricter word are lower in all. */
	return others == NULL || (own != NULL && own->memory < others->memory) ?
	    own : others;
}

/* Reading all options */

/* A flag of "caisson serve" without it is a command that was forgotten. */
static int
options_check_serve(const struct options *options, struct err *err)
{
	char flag[OPTION_NAME_SIZE];
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		if (option_is_of_serve(id) && options_serves(options) &&
		    options->command.needs != COMMAND_NEEDS_CLIENTS &&
		    options->sources[id] == OPTIONS_FLAG) {
			option_flag(option_row(id)->key, flag);
			return err_set(err, "%s is for 'caisson serve': write "
			    "the command, too", flag);
		}
	return 0;
}

/* There is only one pair of options that can contradict each other. */
int
options_check(struct options *options, struct err *err)
{
	auto_buffer struct buffer timeout = { 0 }, longest = { 0 };

	if (options->timeout <= options->max_timeout)
		return 0;
	/* If only the maximum is lowered, the default is lowered too. */
	if (options->sources[OPTION_ID_TIMEOUT] <= OPTIONS_PRESET) {
		options->timeout = options->max_timeout;
		return 0;
	}
	options_add_name(&timeout, options, OPTION_ID_TIMEOUT);
	options_add_name(&longest, options, OPTION_ID_MAX_TIMEOUT);
	return err_set(err, "%s is %u seconds, but must be at most %s, which "
	    "is %u seconds", timeout.data, options->timeout, longest.data,
	    options->max_timeout);
}

/* Sets the options of the command line. */
static int
options_set_flags(struct options *options,
    const struct command_option *given, size_t count, struct err *err)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (options_set(options, (enum option_id)given[i].id,
			OPTIONS_FLAG, given[i].value, err) == -1)
			return -1;
	return 0;
}

/* Packages are in a directory of that name: engines look for no other. */
static void
options_find_packages(struct options *options)
{
	static const char name[] = "/node_modules";
	char *path = options->javascript_packages;
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (len == 0 || (len >= sizeof(name) - 1 &&
	        strcmp(path + len - (sizeof(name) - 1), name) == 0))
		return;
	options->javascript_packages = mem_printf("%s%s", path, name);
	free(path);
}

int
options_read(struct options *options, int argc, char **argv, char **envp,
    struct err *err)
{
	auto_free struct command_option *given =
	    mem_alloc(((size_t)argc + 1) * sizeof(*given));
	size_t count;

	memset(options, 0, sizeof(*options));
	options->home = home_folder(envp, "HOME");
	options_set_defaults(options);
	if (command_line_read(
		argc, argv, &options->command, given, &count, err) == -1)
		return -1;
	/* Help is printed despite other errors. */
	if (options->command.task == COMMAND_HELP ||
	    options->command.task == COMMAND_VERSION)
		return 0;
	if (options_read_file(options, envp, err) == -1 ||
	    option_environment_read(
		envp, options_set_variable, options, err) == -1 ||
	    options_set_flags(options, given, count, err) == -1 ||
	    (options->compat != 0 &&
	        option_compat_read(envp, options_set_compat, options,
	            &options->api_token, &options->file_secret, err) == -1) ||
	    /* There --limits is of the token. */
	    (options->command.task != COMMAND_TOKEN_ADD &&
	        options_apply_presets(options, err) == -1) ||
	    (options->command.needs != COMMAND_NEEDS_OTHERS &&
		options_check(options, err) == -1) ||
	    options_check_serve(options, err) == -1)
		return -1;
	options_find_packages(options);
	if (options->public_url[0] != '\0')
		options->link_seconds = FILE_LINK_SECONDS;
	options_make_limited(options);
	/* The level of the log is not set yet. */
	if (options->log_level >= LOG_LEVEL_WARN) {
		option_environment_warn(envp);
		options_warn_file(options);
		if (options->compat == 0 &&
		    home_variable(envp, "MCP_API_TOKEN") != NULL)
			log_warn("MCP_API_TOKEN is ignored: with "
			    "CAISSON_COMPAT=b it is the token of clients");
	}
	return 0;
}

/* Settings that are looked at for each call, so that they can change. */
static const bool options_live[OPTION_IDS] = {
	[OPTION_ID_TIMEOUT] = true,
	[OPTION_ID_QUEUE_TIMEOUT] = true,
	[OPTION_ID_OUTPUT_MODE] = true,
	[OPTION_ID_ECHO] = true,
	[OPTION_ID_STRUCTURED] = true,
	[OPTION_ID_LINKS] = true,
	[OPTION_ID_TOOLS] = true,
	[OPTION_ID_SESSION_IDLE] = true,
	[OPTION_ID_SESSION_AGE] = true,
	[OPTION_ID_SESSION_CALLS] = true,
	[OPTION_ID_SESSION_MEMORY] = true,
	[OPTION_ID_LOG_LEVEL] = true,
};

static bool
options_differ(const struct options *options, const struct options *others,
    enum option_id id)
{
	return option_is_text(id) ?
	    strcmp(options_text(options, id), options_text(others, id)) != 0 :
	    options_number(options, id) != options_number(others, id);
}

int
options_reload(struct options *options, int argc, char **argv, char **envp,
    struct buffer *later, struct err *err)
{
	struct options fresh;
	int done = options_read(&fresh, argc, argv, envp, err);
	enum option_id id;

	for (id = 0; done == 0 && id < OPTION_IDS; id++) {
		/* A variable of an earlier service was taken at the start. */
		if (options->sources[id] == OPTIONS_COMPAT ||
		    !options_differ(options, &fresh, id))
			continue;
		if (options_live[id])
			options_store(options, id,
			    options_number(&fresh, id), NULL);
		else
			buffer_printf(later, "%s%s",
			    later->len == 0 ? "" : ", ", option_row(id)->key);
	}
	/* The maximum may be one of those. */
	if (options->timeout > options->max_timeout)
		options->timeout = options->max_timeout;
	options_free(&fresh);
	return done;
}

int
options_json(const struct options *options)
{
	return command_has(&options->command.flags, COMMAND_FLAG_JSON);
}

int
options_serves(const struct options *options)
{
	enum command_task task = options->command.task;

	return task == COMMAND_NONE || task == COMMAND_RUN ||
	    task == COMMAND_SERVE;
}

void
options_free(struct options *options)
{
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		if (option_is_text(id))
			free((char *)options_text(options, id));
	if (options->api_token != NULL)
		explicit_bzero(options->api_token, strlen(options->api_token));
	if (options->file_secret != NULL)
		explicit_bzero(
		    options->file_secret, strlen(options->file_secret));
	free(options->api_token);
	free(options->file_secret);
	free(options->limited);
	free(options->file);
	free(options->file_refusal);
	memset(options, 0, sizeof(*options));
}
