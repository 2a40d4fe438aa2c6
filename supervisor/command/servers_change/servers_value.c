/*
 * The variables of "caisson servers add": see servers_change.h. A secret can be
 * passed in the environment or on standard input instead of the command line,
 * which shells record and other processes can read. Runs in the supervisor; no
 * value is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../servers/servers.h"
#include "servers_change.h"

/* Reads a line of standard input; a terminal does not display it. */
static char *
servers_value_line(const char *key)
{
	struct termios before, silent;
	int terminal = tcgetattr(STDIN_FILENO, &before) == 0;
	auto_free char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (terminal) {
		silent = before;
		silent.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
		fprintf(stderr, "%s: ", key);
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
	}
	len = getline(&line, &size, stdin);
	if (terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
		fputc('\n', stderr);
	}
	/* Ctrl-C is a character while signals are disabled. */
	if (len <= 0 || strchr(line, 3) != NULL)
		return NULL;
	line[strcspn(line, "\r\n")] = '\0';
	return mem_take(&line);
}

static int
servers_value_put(const char *flag, const char *key, const char *value,
    struct buffer *pairs, struct err *err)
{
	if (strlen(value) > CONFIG_ENV_MAX)
		return err_set(err, "%s %s: the value has more than %lu "
		    "bytes", flag, key, CONFIG_ENV_MAX);
	text_list_add(pairs, key);
	text_list_add(pairs, value);
	return 0;
}

/* A copied value must not be expanded later. */
static int
servers_value_copy(const char *flag, const char *key, const char *value,
    const char *where, struct buffer *pairs, struct err *err)
{
	if (strstr(value, "${") != NULL)
		return err_set(err, "%s %s: the value from %s contains "
		    "\"${\", which files of servers fill in: write %s "
		    "'%s=${%s}' to have it filled in at each start", flag,
		    key, where, flag, key, key);
	printf("%s: its value is taken from %s\n", key, where);
	return servers_value_put(flag, key, value, pairs, err);
}

int
servers_value_add(const char *flag, const char *given, char **envp,
    struct buffer *pairs, struct err *err)
{
	size_t len = strcspn(given, "=");
	auto_free char *key = mem_dup(given, len);
	auto_buffer struct buffer shown = { 0 };
	auto_free char *line = NULL;
	const char *name, *value;

	shown_add_quoted(&shown, key, CONFIG_NAME_MAX);
	if (len == 0 || strpbrk(key, "\r\n") != NULL)
		return err_set(err, "%s lacks a name: write %s KEY=VALUE, or "
		    "%s KEY", flag, flag, flag);
	TEXT_LIST_PAIRS (name, value, pairs->data, pairs->len)
		if (strcmp(name, key) == 0)
			return err_set(err, "%s %s is given twice: give it "
			    "once", flag, shown.data);
	if (given[len] == '=')
		return servers_value_put(
		    flag, key, given + len + 1, pairs, err);
	value = expand_variable(envp, key, len);
	if (value != NULL)
		return servers_value_copy(flag, shown.data, value,
		    "the environment", pairs, err);
	line = servers_value_line(shown.data);
	if (line == NULL)
		return err_set(err, "%s %s: there is no such variable in "
		    "the environment, and no line on standard input: set one "
		    "of them", flag, shown.data);
	return servers_value_copy(
	    flag, shown.data, line, "standard input", pairs, err);
}
