/*
 * The environment: see option_environment.h. Runs in the supervisor; opens and
 * changes nothing.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/shown.h"
#include "home.h"
#include "option_environment.h"
#include "text/suggest.h"

/* A variable that may be ours. */
struct option_variable {
	const char *whole; /* "NAME=value" */
	size_t len;        /* of the name */
	const char *value;
	char key[OPTION_NAME_SIZE]; /* the part after the prefix */
	bool former;                 /* it has the former prefix */
};

/* Returns whether it has a prefix of ours, and a value. */
static int
option_environment_split(const char *whole, struct option_variable *variable)
{
	static const char *const prefixes[] = { OPTION_PREFIX,
		OPTION_FORMER_PREFIX, OPTION_FORMER_SERVERS };
	size_t i, prefix, len = strcspn(whole, "=");

	for (i = 0; i < 3; i++) {
		prefix = strlen(prefixes[i]);
		if (len < prefix || memcmp(whole, prefixes[i], prefix) != 0 ||
		    (i == 2 && len > prefix))
			continue;
		variable->whole = whole;
		variable->len = len;
		variable->value = whole + len + (whole[len] == '=');
		variable->former = i > 0;
		if (i == 2) /* it has no prefix */
			prefix = strlen("MCP_");
		option_key(whole + prefix, len - prefix, variable->key);
		return *variable->value != '\0';
	}
	return 0;
}

/* Returns the option with exactly this name, or OPTION_IDS. */
static enum option_id
option_environment_find(const struct option_variable *variable)
{
	char name[OPTION_NAME_SIZE];

	(variable->former ? option_former : option_variable)(
	    variable->key, name);
	if (strlen(name) != variable->len ||
	    memcmp(name, variable->whole, variable->len) != 0)
		return OPTION_IDS;
	return option_find(variable->key);
}

/* A name without an option: an error if it is meant for this version. */
static int
option_environment_unknown(
    const struct option_variable *variable, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer shown = { 0 };
	const char *near = option_nearest(variable->key, 0);
	char right[OPTION_NAME_SIZE];

	if (variable->former)
		return 0;
	buffer_add(&name, variable->whole, variable->len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	if (near == NULL)
		return err_set(err, "%s is not an option: 'caisson --help' "
		    "lists them", shown.data);
	option_variable(near, right);
	return err_set(err, "%s is not an option: did you mean %s?",
	    shown.data, right);
}

int
option_environment_read(
    char **envp, option_environment_value *each, void *ctx, struct err *err)
{
	struct option_variable variable;
	enum option_id id;
	int former;
	char **p;

	for (former = 1; former >= 0; former--) {
		for (p = envp; *p != NULL; p++) {
			if (!option_environment_split(*p, &variable) ||
			    variable.former != former)
				continue;
			id = option_environment_find(&variable);
			if ((id == OPTION_IDS ?
			            option_environment_unknown(&variable, err) :
			            each(ctx, id, former, variable.value,
			                err)) == -1)
				return -1;
		}
	}
	return 0;
}

/* Returns the value under the current name of an option, or NULL. */
static const char *
option_environment_current(char **envp, enum option_id id)
{
	struct option_variable variable;

	for (; *envp != NULL; envp++)
		if (option_environment_split(*envp, &variable) &&
		    !variable.former &&
		    option_environment_find(&variable) == id)
			return variable.value;
	return NULL;
}

/*
 * Returns the option that a former name means, or NULL: it may be longer by a
 * word, as MEMORY_LIMIT, or have two letters wrong.
 */
static const char *
option_environment_meant(const char *key)
{
	struct suggest suggest = { .word = key,
		.distance = OPTION_FORMER_DISTANCE + 1 };
	char whole[OPTION_NAME_SIZE];
	char *word;

	if (strcmp(key, "config") == 0)
		return option_row(OPTION_ID_SERVERS_CONFIG)->key;
	option_suggest(&suggest, 0);
	if (suggest.best != NULL)
		return suggest.best;
	snprintf(whole, sizeof(whole), "%s", key);
	while ((word = strrchr(whole, '_')) != NULL) {
		*word = '\0';
		if (option_find(whole) != OPTION_IDS)
			return option_row(option_find(whole))->key;
	}
	return NULL;
}

/* Warns of a former name without an option, unless it has servers itself. */
static void
option_environment_warn_unknown(
    char **envp, const struct option_variable *variable, const char *shown)
{
	const char *meant = option_environment_meant(variable->key);
	char right[OPTION_NAME_SIZE];

	if (variable->value == home_servers(envp))
		return;
	if (meant == NULL) {
		log_warn("%s is not used by this version", shown);
		return;
	}
	option_variable(meant, right);
	log_warn("%s is not used by this version: did you mean %s?", shown,
	    right);
}

static void
option_environment_warn_former(
    char **envp, const struct option_variable *variable)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer shown = { 0 };
	enum option_id id = option_environment_find(variable);
	char right[OPTION_NAME_SIZE];
	const char *current;

	buffer_add(&name, variable->whole, variable->len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	if (id == OPTION_IDS) {
		option_environment_warn_unknown(envp, variable, shown.data);
		return;
	}
	current = option_environment_current(envp, id);
	if (current == NULL || strcmp(current, variable->value) == 0)
		return;
	option_variable(variable->key, right);
	log_warn("%s is ignored, as %s is set to something else: remove one "
	    "of them", shown.data, right);
}

void
option_environment_warn(char **envp)
{
	struct option_variable variable;
	char **p;

	for (p = envp; *p != NULL; p++)
		if (option_environment_split(*p, &variable) && variable.former)
			option_environment_warn_former(envp, &variable);
}
