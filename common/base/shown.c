/*
 * Foreign text where a terminal may be: see shown.h. Linked into every process.
 */
#include <stdio.h>
#include <string.h>

#include "shown.h"

/* Returns the bytes of the character at p; 0 if the bytes are no character. */
static size_t
shown_character(const char *p, size_t len)
{
	size_t size;

	for (size = 1; size <= 4 && size <= len; size++)
		if (utf8_valid(p, size))
			return size;
	return 0;
}

size_t
shown_one(const char *data, size_t len, char *out)
{
	unsigned int code;
	size_t size = utf8_unseen(data, len, &code);

	if (size > 0) {
		utf8_escape(code, out);
		return size;
	}
	size = shown_character(data, len);
	if (size == 0) {
		snprintf(out, SHOWN_SIZE, "\\x%02x", (unsigned char)*data);
		return 1;
	}
	memcpy(out, data, size);
	out[size] = '\0';
	return size;
}

static void
shown_add_text(
    struct buffer *buffer, const char *data, size_t len, const char *quoted)
{
	char shown[SHOWN_SIZE];
	size_t n, size;

	buffer_add_text(buffer, ""); /* never NULL, even for an empty text */
	for (n = 0; n < len; n += size) {
		size = shown_one(data + n, len - n, shown);
		if (data[n] != '\0' && strchr(quoted, data[n]) != NULL)
			buffer_add_text(buffer, "\\");
		buffer_add_text(buffer, shown);
	}
}

void
shown_add(struct buffer *buffer, const char *data, size_t len)
{
	shown_add_text(buffer, data, len, "");
}

void
shown_add_quoted(struct buffer *buffer, const char *text, size_t most)
{
	size_t len = strlen(text), shown = len;

	if (len > most)
		shown = utf8_cut(text, len, most);
	shown_add_text(buffer, text, shown, "\\\"");
	if (shown < len)
		buffer_add_text(buffer, "...");
}
