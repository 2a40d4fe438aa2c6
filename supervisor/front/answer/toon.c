/*
 * Writes TOON: see answer.h. The main rule of the format is which strings need
 * no quotes: a string gets them if it could be read as anything else. Runs in
 * the supervisor; reads nothing, and allocates only through its buffer.
 */
#include <string.h>

#include "../../../common/limits.h"
#include "answer.h"

/* Strings */

static int
toon_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips digits, at least one; returns whether there was one. */
static int
toon_skip_digits(const char **p, const char *end)
{
	const char *start = *p;

	while (*p < end && toon_is_digit(**p))
		(*p)++;
	return *p > start;
}

static void
toon_skip_sign(const char **p, const char *end)
{
	if (*p < end && (**p == '+' || **p == '-'))
		(*p)++;
}

/*
 * Returns whether a reader could take it for a number, including invalid ones
 * with a leading zero or plus.
 */
static int
toon_is_numeric(const char *data, size_t len)
{
	const char *p = data, *end = data + len;

	toon_skip_sign(&p, end);
	if (!toon_skip_digits(&p, end))
		return 0;
	if (p < end && *p == '.') {
		p++;
		if (!toon_skip_digits(&p, end))
			return 0;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		toon_skip_sign(&p, end);
		if (!toon_skip_digits(&p, end))
			return 0;
	}
	return p == end;
}

static int
toon_is_word(const char *data, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(data, word, len) == 0;
}

/* Returns whether a character always requires quotes. */
static int
toon_is_special(char c)
{
	return (unsigned char)c < 0x20 || strchr(":\"\\[]{},", c) != NULL;
}

/* Returns whether a value needs no quotes. */
static int
toon_is_plain(const char *data, size_t len)
{
	size_t i;

	if (len == 0 || data[0] == ' ' || data[len - 1] == ' ')
		return 0;
	/* An item of a list, or a comment. */
	if (data[0] == '-' || data[0] == '#')
		return 0;
	for (i = 0; i < len; i++)
		if (toon_is_special(data[i]))
			return 0;
	return !toon_is_word(data, len, "true") &&
	    !toon_is_word(data, len, "false") &&
	    !toon_is_word(data, len, "null") && !toon_is_numeric(data, len);
}

/* Returns the letter of a short escape, or 0. */
static char
toon_short_escape(char c)
{
	switch (c) {
	case '"':
	case '\\':
		return c;
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 0;
	}
}

/* Appends a string in quotes; escapes only what the format requires. */
static void
toon_add_quoted(struct buffer *buffer, const char *data, size_t len)
{
	size_t i, copied = 0;

	buffer_add_text(buffer, "\"");
	for (i = 0; i < len; i++) {
		char letter = toon_short_escape(data[i]);

		if (letter == 0 && (unsigned char)data[i] >= 0x20)
			continue;
		buffer_add(buffer, data + copied, i - copied);
		if (letter != 0)
			buffer_printf(buffer, "\\%c", letter);
		else
			buffer_printf(
			    buffer, "\\u%04x", (unsigned char)data[i]);
		copied = i + 1;
	}
	buffer_add(buffer, data + copied, len - copied);
	buffer_add_text(buffer, "\"");
}

static void
toon_add_value(struct buffer *buffer, const char *data, size_t len)
{
	if (toon_is_plain(data, len))
		buffer_add(buffer, data, len);
	else
		toon_add_quoted(buffer, data, len);
}

/* Keys */

static int
toon_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * Returns whether a key needs no quotes; the rule is stricter than for values.
 */
static int
toon_is_name(const char *key)
{
	if (!toon_is_letter(*key))
		return 0;
	while (toon_is_letter(*key) || toon_is_digit(*key) || *key == '.')
		key++;
	return *key == '\0';
}

/* Begins the line of a member. */
static void
toon_add_key(struct buffer *buffer, unsigned int depth, const char *key)
{
	if (buffer->len > 0)
		buffer_add_text(buffer, "\n");
	buffer_printf(buffer, "%*s", (int)depth * ANSWER_INDENT, "");
	if (toon_is_name(key))
		buffer_add_text(buffer, key);
	else
		toon_add_quoted(buffer, key, strlen(key));
}

/* Members */

void
toon_add_text(struct buffer *buffer, unsigned int depth, const char *key,
    const char *data, size_t len)
{
	toon_add_key(buffer, depth, key);
	buffer_add_text(buffer, ": ");
	toon_add_value(buffer, data, len);
}

void
toon_add_number(
    struct buffer *buffer, unsigned int depth, const char *key, long long value)
{
	toon_add_key(buffer, depth, key);
	buffer_printf(buffer, ": %lld", value);
}

void
toon_add_object(struct buffer *buffer, unsigned int depth, const char *key)
{
	toon_add_key(buffer, depth, key);
	buffer_add_text(buffer, ":");
}

void
toon_add_array(
    struct buffer *buffer, unsigned int depth, const char *key, size_t count)
{
	toon_add_key(buffer, depth, key);
	if (count == 0)
		buffer_add_text(buffer, ": []");
	else
		buffer_printf(buffer, "[%zu]:", count);
}

void
toon_add_item(struct buffer *buffer, const char *data, size_t len)
{
	/* No value ends with a colon; this one is the array's. */
	int first = buffer->data[buffer->len - 1] == ':';

	buffer_add_text(buffer, first ? " " : ",");
	toon_add_value(buffer, data, len);
}
