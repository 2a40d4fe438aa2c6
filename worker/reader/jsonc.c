/*
 * Removes comments and trailing commas: see jsonc.h. Runs in the reader, on
 * hostile bytes; never allocates and writes nothing but blanks.
 */
#include <stdbool.h>
#include <string.h>

#include "jsonc.h"

struct jsonc {
	char *text;
	size_t len;
	size_t pos;
	size_t last; /* the last significant byte, if any */
	bool any;
	char before; /* the one before that, or NUL */
};

/* The next byte, or NUL after the end. */
static char
jsonc_peek(const struct jsonc *j, size_t ahead)
{
	return ahead < j->len - j->pos ? j->text[j->pos + ahead] : '\0';
}

/* A carriage return is blank, too, and has no column: see place.h. */
static void
jsonc_blank_byte(char *p)
{
	if (((unsigned char)*p & 0xc0) == 0x80)
		*p = '\r';
	else if (*p != '\n' && *p != '\r')
		*p = ' ';
}

static void
jsonc_blank_line(struct jsonc *j)
{
	while (j->pos < j->len && j->text[j->pos] != '\n')
		jsonc_blank_byte(&j->text[j->pos++]);
}

/* Returns 0, or -1 if the comment has no end. */
static int
jsonc_blank_block(struct jsonc *j)
{
	char *start = j->text + j->pos;
	char *end = memmem(start + 2, j->len - j->pos - 2, "*/", 2);
	char *p;

	if (end == NULL)
		return -1;
	for (p = start; p < end + 2; p++)
		jsonc_blank_byte(p);
	j->pos = (size_t)(p - j->text);
	return 0;
}

/* Steps over a string; only its quotes and escapes matter. */
static void
jsonc_skip_string(struct jsonc *j)
{
	for (j->pos++; j->pos < j->len && j->text[j->pos] != '"'; j->pos++)
		if (j->text[j->pos] == '\\' && j->pos + 1 < j->len)
			j->pos++;
	if (j->pos < j->len)
		j->pos++;
}

/*
 * A significant byte, c: if it closes a bracket, a comma before it is removed,
 * but only after a value.
 */
static void
jsonc_note(struct jsonc *j, char c)
{
	if ((c == '}' || c == ']') && j->any && j->text[j->last] == ',' &&
	    j->before != '\0' && strchr("{[,:", j->before) == NULL)
		j->text[j->last] = ' ';
	j->before = j->any ? j->text[j->last] : '\0';
	j->last = j->pos;
	j->any = true;
}

/* Consumes a comment, a string or a byte. */
static int
jsonc_step(struct jsonc *j)
{
	char c = j->text[j->pos];

	if (c == '/' && jsonc_peek(j, 1) == '/') {
		jsonc_blank_line(j);
		return 0;
	}
	if (c == '/' && jsonc_peek(j, 1) == '*')
		return jsonc_blank_block(j);
	if (c != '\0' && strchr(" \t\r\n", c) != NULL) {
		j->pos++;
		return 0;
	}
	jsonc_note(j, c);
	if (c == '"')
		jsonc_skip_string(j);
	else
		j->pos++;
	return 0;
}

int
jsonc_blank(char *text, size_t len, size_t *at, struct err *err)
{
	struct jsonc j = { .text = text, .len = len };

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, '\r', 3);
	while (j.pos < len) {
		if (jsonc_step(&j) == 0)
			continue;
		*at = j.pos;
		return err_set(err, "a comment that begins with /* does not "
		    "end: close it with */");
	}
	return 0;
}
