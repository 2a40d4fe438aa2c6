/*
 * Writing JSON strings: see json.h. Linked into every process that writes
 * JSON; allocates only through its buffer.
 */
#include <string.h>

#include "json.h"
#include "../base/log.h"
#include "../base/utf8.h"

/* The longest escape: \u with four digits. */
#define JSON_ESCAPE_SIZE 6

/* The letter after the backslash of a short escape, or 0. */
static char
json_short_escape(char c)
{
	switch (c) {
	case '"':
	case '\\':
		return c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
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

static void
json_add_code(struct buffer *buffer, unsigned int code)
{
	static const char hex[] = "0123456789abcdef";
	char escape[JSON_ESCAPE_SIZE] = { '\\', 'u', hex[code >> 12 & 15],
		hex[code >> 8 & 15], hex[code >> 4 & 15], hex[code & 15] };

	buffer_add(buffer, escape, sizeof(escape));
}

/*
 * Appends the escape for the character at p (len bytes remain) and returns the
 * number of bytes that it replaces; 0 if they can be copied unchanged.
 */
static size_t
json_add_escape(struct buffer *buffer, const char *p, size_t len)
{
	char escape[2] = { '\\', json_short_escape(*p) };

	if (escape[1] != 0) {
		buffer_add(buffer, escape, sizeof(escape));
		return 1;
	}
	if ((unsigned char)*p < 0x20) {
		json_add_code(buffer, (unsigned char)*p);
		return 1;
	}
	/* U+2028 and U+2029 end lines for JavaScript and Python. */
	if (len >= 3 &&
	    (memcmp(p, "\xe2\x80\xa8", 3) == 0 ||
		memcmp(p, "\xe2\x80\xa9", 3) == 0)) {
		json_add_code(buffer, p[2] == '\xa8' ? 0x2028 : 0x2029);
		return 3;
	}
	return 0;
}

/* Whether a byte may need json_add_escape. */
static int
json_is_special(char c)
{
	return (unsigned char)c < 0x20 || c == '"' || c == '\\' || c == '\xe2';
}

void
json_add_string(struct buffer *buffer, const char *data, size_t len)
{
	size_t escaped, n = 0, copied = 0;

	if (!utf8_valid(data, len))
		fatal("a string for JSON is not UTF-8");
	buffer_reserve(buffer, len + 2);
	buffer_add(buffer, "\"", 1);
	while (n < len) {
		if (!json_is_special(data[n])) {
			n++;
			continue;
		}
		if (n > copied)
			buffer_add(buffer, data + copied, n - copied);
		escaped = json_add_escape(buffer, data + n, len - n);
		copied = n + escaped;
		n = copied + (escaped == 0);
	}
	if (copied < len)
		buffer_add(buffer, data + copied, len - copied);
	buffer_add(buffer, "\"", 1);
}

void
json_add_text(struct buffer *buffer, const char *text)
{
	json_add_string(buffer, text, strlen(text));
}
