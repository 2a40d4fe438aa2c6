/*
 * Foreign text where a terminal may be: see shown.h. Linked into every process.
 */
#include <string.h>

#include "shown.h"
#include "utf8.h"

static void
shown_add_text(
    struct buffer *buffer, const char *data, size_t len, const char *quoted)
{
	char shown[UTF8_ESCAPE_SIZE];
	size_t n, size;

	buffer_add_text(buffer, ""); /* never NULL, even for an empty text */
	for (n = 0; n < len; n += size) {
		size = utf8_shown(data + n, len - n, shown);
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
