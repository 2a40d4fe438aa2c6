/*
 * Lines of files in /proc: see trial.h. Runs in the box; calls nothing of the
 * system.
 */
#include <stdlib.h>
#include <string.h>

#include "trial.h"

/* The digits of a byte that is escaped in /proc/self/mounts, in base 8. */
#define PROC_LINE_ESCAPED 3

int
proc_line_field(
    const char *line, const char *name, int base, unsigned long long *value)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len) != 0 || line[len] != ':')
		return 0;
	*value = strtoull(line + len + 1, NULL, base);
	return 1;
}

int
proc_line_is_lonely(const char *line)
{
	const char *last = strrchr(line, ' ');

	return last != NULL && strcmp(last + 1, "lo\n") == 0;
}

/* Returns whether a text is one of a list that ends with NULL. */
static int
proc_line_is_in(const char *text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(text, *list) == 0)
			return 1;
	return 0;
}

/* Returns whether options, with commas between them, have this one. */
static int
proc_line_has(const char *options, const char *option)
{
	size_t len = strlen(option);

	for (; options != NULL; options = strchr(options, ',')) {
		options += *options == ',';
		if (strncmp(options, option, len) == 0 &&
		    strchr(",", options[len]) != NULL)
			return 1;
	}
	return 0;
}

/* The kernel writes \ooo for spaces and the like. */
static void
proc_line_unescape(char *text)
{
	char digits[PROC_LINE_ESCAPED + 1] = { 0 };
	char *to = text;

	for (; *text != '\0'; to++) {
		*to = *text++;
		if (*to != '\\' || strspn(text, "01234567") < PROC_LINE_ESCAPED)
			continue;
		memcpy(digits, text, PROC_LINE_ESCAPED);
		*to = (char)strtoul(digits, NULL, 8);
		text += PROC_LINE_ESCAPED;
	}
	*to = '\0';
}

/* Returns whether the first part of a path is one of these. */
static int
proc_line_is_below(const char *path, const char *const *names)
{
	size_t len = strcspn(path + 1, "/");

	for (; *names != NULL; names++)
		if (strlen(*names) == len &&
		    strncmp(path + 1, *names, len) == 0)
			return 1;
	return 0;
}

const char *
proc_line_volume(char *line)
{
	static const char *const ours[] = { "/tmp", "/workspace",
		"/workspace/out", "/data", NULL };
	static const char *const kernel[] = { "dev", "proc", "sys", NULL };
	char *place, *options;

	strsep(&line, " "); /* what is mounted */
	place = strsep(&line, " ");
	strsep(&line, " "); /* the type */
	options = strsep(&line, " ");
	if (options == NULL || !proc_line_has(options, "rw"))
		return NULL;
	proc_line_unescape(place);
	if (place[0] == '/' && proc_line_is_below(place, kernel))
		return NULL;
	return proc_line_is_in(place, ours) &&
	        proc_line_has(options, "noexec") ? NULL : place;
}
