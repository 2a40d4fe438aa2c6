/*
 * Looks for a name or a path in the shown output of the code, for code that
 * asks whether it has printed it. Runs in the relay; never interprets the bytes
 * otherwise.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "output.h"

/* Whether a byte continues a word of adjacent letters. */
static int
printed_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether an escape sequence that sets colours ends there. */
static int
printed_ends_colour(const char *data, size_t len)
{
	if (len < 3 || data[--len] != 'm')
		return 0;
	while (len > 0 && ((data[len - 1] >= '0' && data[len - 1] <= '9') ||
	    data[len - 1] == ';'))
		len--;
	return len > 1 && data[len - 1] == '[' && data[len - 2] == '\033';
}

/* Whether a name found there starts no later than a longer name around it. */
static int
printed_begins(const struct buffer *shown, size_t at)
{
	char before;

	if (at == 0 || shown->data[at] == '/')
		return 1;
	before = shown->data[at - 1];
	if (before == '.' || before == '-' || before == '/')
		return 0;
	return !printed_is_word(before) || printed_ends_colour(shown->data, at);
}

/* The same for its end. These bytes continue a name or a path. */
static int
printed_ends(const struct buffer *shown, size_t at)
{
	if (at < shown->len && memchr(".-/", shown->data[at], 3) != NULL)
		at++;
	return at >= shown->len || !printed_is_word(shown->data[at]);
}

int
printed_has(struct output *output, const char *text, size_t len)
{
	auto_buffer struct buffer shown = { 0 };
	const char *found;
	size_t at = 0;

	/*
	 * The text before a cut and the text after it are never matched as one.
	 */
	output_copy(output, 1, &shown);
	while (at < shown.len) {
		found = memmem(shown.data + at, shown.len - at, text, len);
		if (found == NULL)
			return 0;
		at = (size_t)(found - shown.data);
		if (printed_begins(&shown, at) &&
		    printed_ends(&shown, at + len))
			return 1;
		at++;
	}
	return 0;
}
