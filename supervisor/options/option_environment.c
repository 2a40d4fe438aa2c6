/*
 * The environment: see option_environment.h. Runs in the supervisor; opens only
 * the files that variables of an earlier service name.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/suggest.h"
#include "home.h"
#include "option_environment.h"

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
	auto_buffer struct buffer name = { 0 }, shown = { 0 };
	const char *suggested = option_nearest(variable->key, 0);
	char right[OPTION_NAME_SIZE];

	if (variable->former)
		return 0;
	buffer_add(&name, variable->whole, variable->len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	if (suggested == NULL)
		return err_set(err, "%s is not an option: 'caisson --help' "
		    "lists them", shown.data);
	option_variable(suggested, right);
	return err_set(err, "%s is not an option: did you mean %s?",
	    shown.data, right);
}

int
option_environment_read(
    char **envp, option_environment_value *each, void *ctx, struct err *err)
{
	const char *values[2][OPTION_IDS] = { { NULL } };
	struct option_variable variable;
	enum option_id id;
	int former;

	for (; *envp != NULL; envp++) {
		if (!option_environment_split(*envp, &variable))
			continue;
		id = option_environment_find(&variable);
		if (id != OPTION_IDS)
			values[variable.former][id] = variable.value;
		else if (option_environment_unknown(&variable, err) == -1)
			return -1;
	}
	for (former = 1; former >= 0; former--)
		for (id = 0; id < OPTION_IDS; id++)
			if (values[former][id] != NULL && each(ctx, id, former,
				values[former][id], err) == -1)
				return -1;
	return 0;
}

/*
 * Returns the option that a former name means, or NULL: it may be longer by a
 * word, as MEMORY_LIMIT, or have a letter or two wrong.
 */
static const char *
option_environment_meant(const char *key)
{
	struct suggest suggest = suggest_start_word(key);
	char whole[OPTION_NAME_SIZE], *word;

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
	if (strcmp(variable->key, "config") == 0) {
		log_warn("%s is ignored, as it is no JSON: name a file in "
		    "CAISSON_SERVERS_CONFIG", shown);
		return;
	}
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
	auto_buffer struct buffer name = { 0 }, shown = { 0 };
	enum option_id id = option_environment_find(variable);
	char right[OPTION_NAME_SIZE];
	const char *current;

	buffer_add(&name, variable->whole, variable->len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	if (id == OPTION_IDS) {
		option_environment_warn_unknown(envp, variable, shown.data);
		return;
	}
	option_variable(variable->key, right);
	current = home_variable(envp, right);
	if (current == NULL || *current == '\0' ||
	    strcmp(current, variable->value) == 0)
		return;
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

/* An earlier service */

#define OPTION_COMPAT_FILE "_FILE"

/* By option; OPTION_IDS: a secret. */
static const struct {
	enum option_id id;
	const char *name;
} option_compat_rows[] = {
	{ OPTION_ID_STATE_DIR, "SANDBOX_ROOT" },
	{ OPTION_ID_LISTEN, "MCP_HTTP_ADDR" },
	{ OPTION_ID_PUBLIC_URL, "PUBLIC_BASE_URL" },
	{ OPTION_IDS, "MCP_API_TOKEN" },
	{ OPTION_IDS, "FILE_SECRET" },
};

const char *
option_compat_name(enum option_id id)
{
	size_t i = 0;

	while (option_compat_rows[i].id != id)
		i++;
	return option_compat_rows[i].name;
}

/*
 * Returns the value of a variable, which the caller frees; NULL if it is not
 * set. It is not passed on to any process, nor shown by the kernel.
 */
static char *
option_compat_take(char **envp, const char *name, const char *suffix)
{
	size_t len = strlen(name), more = strlen(suffix);
	char *value;

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 &&
		    strncmp(*envp + len, suffix, more) == 0 &&
		    (*envp)[len + more] == '=')
			break;
	if (*envp == NULL || (*envp)[len + more + 1] == '\0')
		return NULL;
	value = mem_strdup(*envp + len + more + 1);
	explicit_bzero(*envp, strlen(*envp));
	for (; *envp != NULL; envp++)
		envp[0] = envp[1];
	return value;
}

/*
 * Returns the first line of a file, which the caller frees; NULL with err.
 * Opening a pipe, or reading from it, would wait for its writer.
 */
static char *
option_compat_file(const char *name, const char *path, struct err *err)
{
	char text[OPTION_PATH_MAX + 2] = "";
	auto_fd int fd = open(
	    path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	char *line = NULL;

	if (fd == -1 || fstat(fd, &st) == -1 ||
	    (S_ISREG(st.st_mode) && read(fd, text, sizeof(text) - 1) == -1))
		err_sys(err, "read the file of %s" OPTION_COMPAT_FILE, name);
	else if (!S_ISREG(st.st_mode) ||
	    strcspn(text, "\r\n") > OPTION_PATH_MAX)
		err_set(err, "%s" OPTION_COMPAT_FILE " must name a regular "
		    "file whose first line, of at most %d bytes, is the value",
		    name, OPTION_PATH_MAX);
	else
		line = mem_printf("%.*s", (int)strcspn(text, "\r\n"), text);
	explicit_bzero(text, sizeof(text));
	return line;
}

/* Returns 0 with the value, which may be NULL, or -1 with err. */
static int
option_compat_value(
    char **envp, const char *name, char **value, struct err *err)
{
	auto_free char *path =
	    option_compat_take(envp, name, OPTION_COMPAT_FILE);

	*value = option_compat_take(envp, name, "");
	if (path == NULL)
		return 0;
	if (*value != NULL)
		return err_set(err, "%s and %s" OPTION_COMPAT_FILE
		    " are both set: remove one of them", name, name);
	*value = option_compat_file(name, path, err);
	return *value == NULL ? -1 : 0;
}

/* Checks a secret, without repeating it. */
static int
option_compat_check(const char *name, const char *secret, struct err *err)
{
	size_t len = strlen(secret);
	const char *p = secret;

	if (len < TOKEN_API_MIN || len > HTTP_TOKEN_MAX)
		return err_set(err, "%s has %zu characters, but must have from "
		    "%d to %d", name, len, TOKEN_API_MIN, HTTP_TOKEN_MAX);
	while (*p > ' ' && *p < 0x7f)
		p++;
	return *p == '\0' ? 0 : err_set(err, "%s must be visible ASCII without "
	    "blanks", name);
}

int
option_compat_read(char **envp, option_compat_set *set, void *ctx,
    char **token, char **file_secret, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(option_compat_rows) /
	    sizeof(option_compat_rows[0]); i++) {
		auto_free char *value = NULL, *whole = NULL;
		enum option_id id = option_compat_rows[i].id;
		const char *name = option_compat_rows[i].name;

		if (option_compat_value(envp, name, &value, err) == -1)
			return -1;
		if (value == NULL)
			continue;
		/* As in Go, a port alone is that of all addresses. */
		if (id == OPTION_ID_LISTEN && *value == ':')
			whole = mem_printf("0.0.0.0%s", value);
		if ((id == OPTION_IDS ? option_compat_check(name, value, err) :
		            set(ctx, id, whole != NULL ? whole : value, err)) ==
		    -1)
			return -1;
		if (id == OPTION_IDS)
			*(*name == 'F' ? file_secret : token) =
			    mem_take(&value);
	}
	return 0;
}
