/*
 * The strings of TOML: see toml_text.h. Runs in the reader, on hostile bytes.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "toml_text.h"

#define TEXT_CODE_MAX 0x10ffffUL

/* The string being read. */
struct text {
	const char *data;
	size_t len;
	size_t pos;
	char quote;
	bool many; /* it has triple quotes */
	struct buffer *out;
	struct err *err;
};

/* The next byte, or NUL after the end. */
static char
text_peek(const struct text *t, size_t ahead)
{
	return ahead < t->len - t->pos ? t->data[t->pos + ahead] : '\0';
}

/* Whether this many quotes are next. */
static int
text_has_quotes(const struct text *t, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (text_peek(t, i) != t->quote)
			return 0;
	return 1;
}

/* The length of the line end that is next, 0 for none. */
static size_t
text_newline(const struct text *t)
{
	if (text_peek(t, 0) == '\n')
		return 1;
	return text_peek(t, 0) == '\r' && text_peek(t, 1) == '\n' ? 2 : 0;
}

/* Escapes */

static void
text_add_code(struct buffer *out, unsigned long code)
{
	char utf8[4];
	size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 :
	    code < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t i;

	for (i = len - 1; i > 0; i--) {
		utf8[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	utf8[0] = (char)(first[len] | code);
	buffer_add(out, utf8, len);
}

/* \uXXXX and \UXXXXXXXX, at the letter. */
static int
text_read_code(struct text *t, size_t digits)
{
	unsigned long code = 0;
	size_t i;
	char c;

	for (i = 1; i <= digits; i++) {
		c = text_peek(t, i);
		if (!isxdigit((unsigned char)c))
			return err_set(t->err, "\\%c needs %zu hexadecimal "
			    "digits", text_peek(t, 0), digits);
		code = code * 16 + (unsigned long)(isdigit((unsigned char)c) ?
		        c - '0' : tolower((unsigned char)c) - 'a' + 10);
	}
	if (code > TEXT_CODE_MAX || (code >= 0xd800 && code <= 0xdfff))
		return err_set(t->err, "\\%c is not a valid character",
		    text_peek(t, 0));
	text_add_code(t->out, code);
	t->pos += 1 + digits;
	return 0;
}

/* A backslash at the end of a line: removes the blanks after it. */
static int
text_skip_blank(struct text *t)
{
	size_t start = t->pos, newline;
	int lines = 0;

	for (;;) {
		newline = text_newline(t);
		if (newline == 0 && text_peek(t, 0) != ' ' &&
		    text_peek(t, 0) != '\t')
			break;
		lines += newline > 0;
		t->pos += newline > 0 ? newline : 1;
	}
	if (lines > 0)
		return 0;
	t->pos = start;
	return err_set(t->err, "this is not a TOML escape: a backslash is "
	    "written \\\\");
}

static int
text_read_escape(struct text *t)
{
	static const char letters[] = "btnfr\"\\";
	static const char stand_for[] = "\b\t\n\f\r\"\\";
	const char *found;
	char c;

	t->pos++;
	c = text_peek(t, 0);
	if (c == 'u' || c == 'U')
		return text_read_code(t, c == 'u' ? 4 : 8);
	found = c == '\0' ? NULL : strchr(letters, c);
	if (found != NULL) {
		buffer_add(t->out, &stand_for[found - letters], 1);
		t->pos++;
		return 0;
	}
	if (t->many)
		return text_skip_blank(t);
	return err_set(t->err, "this is not a TOML escape: a backslash is "
	    "written \\\\");
}

/* The whole */

/* One character, or a line end. */
static int
text_read_one(struct text *t)
{
	unsigned char c = (unsigned char)text_peek(t, 0);
	size_t newline = text_newline(t);

	if (t->pos >= t->len || (newline > 0 && !t->many))
		return err_set(t->err, "a string that is not closed%s",
		    t->many ? "" : " on its line");
	if (newline > 0) {
		buffer_add_text(t->out, "\n");
		t->pos += newline;
		return 0;
	}
	if ((c < 0x20 && c != '\t') || c == 0x7f)
		return err_set(t->err, "a control character in a string");
	if (c == '\\' && t->quote == '"')
		return text_read_escape(t);
	buffer_add(t->out, &c, 1);
	t->pos++;
	return 0;
}

/* The closing quotes; one or two more belong to a long string. */
static void
text_close(struct text *t)
{
	size_t n;

	if (!t->many) {
		t->pos++;
		return;
	}
	for (n = 0; n < 2 && text_has_quotes(t, 4); n++) {
		buffer_add(t->out, &t->quote, 1);
		t->pos++;
	}
	t->pos += 3;
}

int
toml_text_read(const char *text, size_t len, size_t *pos, int many,
    struct buffer *out, struct err *err)
{
	struct text t = { text, len, *pos, text[*pos], 0, out, err };
	int read = 0;

	t.many = many && text_has_quotes(&t, 3);
	t.pos += t.many ? 3 : 1;
	if (t.many)
		t.pos += text_newline(&t);
	buffer_add_text(out, "");
	while (read == 0 && !text_has_quotes(&t, t.many ? 3 : 1))
		read = text_read_one(&t);
	if (read == 0)
		text_close(&t);
	*pos = t.pos < len ? t.pos : len;
	return read;
}
