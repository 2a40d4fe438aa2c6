/*
 * JSON that is parsed in place: see json_span.h. Linked into supervisor, relay,
 * broker, reader and store, which parse hostile bytes with it. It never
 * recurses, and allocates only the result of json_span_string.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json_span.h"
#include "../limits.h"
#include "../base/mem.h"
#include "../base/utf8.h"

/* The classes of a byte; a byte not listed here has none. */
enum span_class {
	SPAN_SPACE = 1,  /* white space of RFC 8259: four bytes */
	SPAN_DIGIT = 2,  /* 0 to 9 */
	SPAN_HEX = 4,    /* a digit of \u */
	SPAN_ESCAPE = 8, /* allowed after a backslash, besides u */
	SPAN_MARK = 16,  /* a bracket or a quote: span_skip stops here */
	SPAN_STOP = 32,  /* ends a run of plain bytes in a string */
};

static const unsigned char span_class[256] = {
	[0x00 ... 0x08] = SPAN_STOP,
	['\t'] = SPAN_STOP | SPAN_SPACE,
	['\n'] = SPAN_STOP | SPAN_SPACE,
	[0x0b ... 0x0c] = SPAN_STOP,
	['\r'] = SPAN_STOP | SPAN_SPACE,
	[0x0e ... 0x1f] = SPAN_STOP,
	[' '] = SPAN_SPACE,
	['"'] = SPAN_STOP | SPAN_MARK | SPAN_ESCAPE,
	['\\'] = SPAN_STOP | SPAN_ESCAPE,
	['/'] = SPAN_ESCAPE,
	['0' ... '9'] = SPAN_DIGIT | SPAN_HEX,
	['A' ... 'F'] = SPAN_HEX,
	['a'] = SPAN_HEX,
	['b'] = SPAN_HEX | SPAN_ESCAPE,
	['c' ... 'e'] = SPAN_HEX,
	['f'] = SPAN_HEX | SPAN_ESCAPE,
	['n'] = SPAN_ESCAPE,
	['r'] = SPAN_ESCAPE,
	['t'] = SPAN_ESCAPE,
	['['] = SPAN_MARK,
	[']'] = SPAN_MARK,
	['{'] = SPAN_MARK,
	['}'] = SPAN_MARK,
};

static int
span_is(char c, unsigned int classes)
{
	return (span_class[(unsigned char)c] & classes) != 0;
}

/* Checking */

/* Of eight bytes: those that ASCII does not use. */
#define SPAN_HIGH_BITS 0x8080808080808080

/* The token that is expected next. */
enum span_next {
	SPAN_NEXT_VALUE,
	SPAN_NEXT_FIRST_ELEMENT, /* or ] */
	SPAN_NEXT_FIRST_NAME,    /* or } */
	SPAN_NEXT_NAME,
	SPAN_NEXT_COMMA, /* or the closing bracket */
	SPAN_NEXT_NOTHING,
};

struct span_scan {
	const char *start;
	const char *p;
	const char *end;
	enum span_next next;
	unsigned int depth;
	uint64_t bits; /* of all bytes in strings so far, as eight of them */
	/* One bit per level, set if the level is an object. */
	uint64_t objects[JSON_DEPTH_MAX / 64];
	struct err *err;
};

_Static_assert(JSON_DEPTH_MAX % 64 == 0, "the levels fill whole words");

/* Fails at the byte at p; what describes the fault. */
static int
span_fail(struct span_scan *s, const char *what)
{
	return err_set(
	    s->err, "%s at byte %zu", what, (size_t)(s->p - s->start) + 1);
}

/* Fails because another byte, or the end, was found in place of expected. */
static int
span_unexpected(struct span_scan *s, const char *expected)
{
	size_t at = (size_t)(s->p - s->start) + 1;
	unsigned char c;

	if (s->p == s->end)
		return err_set(s->err, "the text ends where %s should be, at "
		    "byte %zu", expected, at);
	c = (unsigned char)*s->p;
	if (c > 0x20 && c < 0x7f)
		return err_set(s->err, "'%c' where %s should be, at byte %zu",
		    c, expected, at);
	return err_set(
	    s->err, "0x%02x where %s should be, at byte %zu", c, expected, at);
}

static void
span_skip_space(struct span_scan *s)
{
	const char *p = s->p; /* a local copy can stay in a register */

	while (p < s->end && span_is(*p, SPAN_SPACE))
		p++;
	s->p = p;
}

/* If the next byte is c, steps over it and returns 1; otherwise returns 0. */
static int
span_accept(struct span_scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return 0;
	s->p++;
	return 1;
}

/* Reads the part of an escape after its backslash. */
static int
span_scan_escape(struct span_scan *s)
{
	int n;

	if (!span_accept(s, 'u')) {
		if (s->p == s->end || !span_is(*s->p, SPAN_ESCAPE))
			return span_unexpected(
			    s, "one of \"\\/bfnrtu behind a backslash");
		s->p++;
		return 0;
	}
	for (n = 0; n < 4; n++) {
		if (s->p == s->end || !span_is(*s->p, SPAN_HEX))
			return span_unexpected(
			    s, "one of the four hexadecimal digits of \\u");
		s->p++;
	}
	return 0;
}

/* The same byte eight times; and whether any of eight bytes is below n. */
#define SPAN_EACH(c) (0x0101010101010101 * (uint64_t)(c))
#define SPAN_ANY_BELOW(bytes, n)                                               \
	(((bytes) - SPAN_EACH(n)) & ~(bytes) & SPAN_HIGH_BITS)

/*
 * Steps over the bytes of a string that need no check except that they are
 * UTF-8: eight at a time, as most of what servers say is in long strings.
 */
static void
span_skip_plain(struct span_scan *s)
{
	const char *p = s->p;
	uint64_t bytes, bits = 0;

	for (; s->end - p >= (ptrdiff_t)sizeof(bytes); p += sizeof(bytes)) {
		memcpy(&bytes, p, sizeof(bytes));
		if (SPAN_ANY_BELOW(bytes, ' ') |
		    SPAN_ANY_BELOW(bytes ^ SPAN_EACH('"'), 1) |
		    SPAN_ANY_BELOW(bytes ^ SPAN_EACH('\\'), 1))
			break;
		bits |= bytes;
	}
	for (; p < s->end && !span_is(*p, SPAN_STOP); p++)
		bits |= (unsigned char)*p;
	s->bits |= bits;
	s->p = p;
}

/* Reads the rest of a string, after its first quote. */
static int
span_scan_string(struct span_scan *s)
{
	for (;;) {
		span_skip_plain(s);
		if (span_accept(s, '"'))
			return 0;
		if (s->p == s->end)
			return span_unexpected(s, "the end of a string");
		if (!span_accept(s, '\\'))
			return span_fail(
			    s, "a control character that is not escaped");
		if (span_scan_escape(s) == -1)
			return -1;
	}
}

static int
span_scan_digits(struct span_scan *s)
{
	if (s->p == s->end || !span_is(*s->p, SPAN_DIGIT))
		return span_unexpected(s, "a digit");
	while (s->p < s->end && span_is(*s->p, SPAN_DIGIT))
		s->p++;
	return 0;
}

static int
span_scan_number(struct span_scan *s)
{
	span_accept(s, '-');
	if (span_accept(s, '0')) {
		if (s->p < s->end && span_is(*s->p, SPAN_DIGIT))
			return span_fail(s, "a digit behind a leading zero");
	} else if (span_scan_digits(s) == -1) {
		return -1;
	}
	if (span_accept(s, '.') && span_scan_digits(s) == -1)
		return -1;
	if (!span_accept(s, 'e') && !span_accept(s, 'E'))
		return 0;
	if (!span_accept(s, '+'))
		span_accept(s, '-');
	return span_scan_digits(s);
}

static int
span_scan_literal(struct span_scan *s, const char *literal)
{
	size_t len = strlen(literal);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, literal, len) != 0)
		return span_unexpected(s, "a value");
	s->p += len;
	return 0;
}

/* Enters an object or an array, after its opening bracket. */
static int
span_open(struct span_scan *s, int object)
{
	uint64_t bit = 1ULL << s->depth % 64;

	if (s->depth == JSON_DEPTH_MAX) {
		s->p--;
		return err_set(s->err, "nested more than %d deep at byte %zu",
		    JSON_DEPTH_MAX, (size_t)(s->p - s->start) + 1);
	}
	if (object)
		s->objects[s->depth / 64] |= bit;
	else
		s->objects[s->depth / 64] &= ~bit;
	s->depth++;
	s->next = object ? SPAN_NEXT_FIRST_NAME : SPAN_NEXT_FIRST_ELEMENT;
	return 0;
}

/* Sets the token expected after a value. */
static void
span_value_done(struct span_scan *s)
{
	s->next = s->depth > 0 ? SPAN_NEXT_COMMA : SPAN_NEXT_NOTHING;
}

static void
span_close(struct span_scan *s)
{
	s->depth--;
	span_value_done(s);
}

static int
span_in_object(const struct span_scan *s)
{
	unsigned int level = s->depth - 1;

	return s->objects[level / 64] >> level % 64 & 1;
}

/* A value that is neither an object nor an array. */
static int
span_scan_scalar(struct span_scan *s)
{
	span_value_done(s);
	switch (*s->p) {
	case '"':
		s->p++;
		return span_scan_string(s);
	case 't':
		return span_scan_literal(s, "true");
	case 'f':
		return span_scan_literal(s, "false");
	case 'n':
		return span_scan_literal(s, "null");
	default:
		if (*s->p == '-' || span_is(*s->p, SPAN_DIGIT))
			return span_scan_number(s);
		return span_unexpected(s, "a value");
	}
}

static int
span_scan_value(struct span_scan *s)
{
	if (s->p == s->end)
		return span_unexpected(s, "a value");
	if (span_accept(s, '['))
		return span_open(s, 0);
	if (span_accept(s, '{'))
		return span_open(s, 1);
	return span_scan_scalar(s);
}

/* A name and its colon. */
static int
span_scan_name(struct span_scan *s)
{
	if (!span_accept(s, '"'))
		return span_unexpected(s, "a name in quotes");
	if (span_scan_string(s) == -1)
		return -1;
	span_skip_space(s);
	if (!span_accept(s, ':'))
		return span_unexpected(s, "a colon");
	s->next = SPAN_NEXT_VALUE;
	return 0;
}

/* Reads the separator after a member or an element. */
static int
span_scan_comma(struct span_scan *s)
{
	int object = span_in_object(s);

	if (span_accept(s, ','))
		s->next = object ? SPAN_NEXT_NAME : SPAN_NEXT_VALUE;
	else if (span_accept(s, object ? '}' : ']'))
		span_close(s);
	else
		return span_unexpected(
		    s, object ? "a comma or }" : "a comma or ]");
	return 0;
}

/* One step: reads the token expected by s->next, without white space before. */
static int
span_step(struct span_scan *s)
{
	switch (s->next) {
	case SPAN_NEXT_FIRST_ELEMENT:
		if (!span_accept(s, ']'))
			return span_scan_value(s);
		span_close(s);
		return 0;
	case SPAN_NEXT_FIRST_NAME:
		if (!span_accept(s, '}'))
			return span_scan_name(s);
		span_close(s);
		return 0;
	case SPAN_NEXT_NAME:
		return span_scan_name(s);
	case SPAN_NEXT_COMMA:
		return span_scan_comma(s);
	default:
		return span_scan_value(s);
	}
}

/* Scans all of the text; the value is the part without outer white space. */
static int
span_scan_text(struct span_scan *s, struct json_span *value)
{
	span_skip_space(s);
	value->p = s->p;
	while (s->next != SPAN_NEXT_NOTHING) {
		if (span_step(s) == -1)
			return -1;
		value->len = (size_t)(s->p - value->p);
		span_skip_space(s);
	}
	if (s->p != s->end)
		return span_unexpected(s, "the end");
	return 0;
}

int
json_span_parse(
    const char *data, size_t len, struct json_span *value, struct err *err)
{
	struct span_scan s = { .err = err };
	size_t valid, seen;
	int scanned;

	if (len == 0) /* data may be NULL then */
		return err_set(err,
		    "the text is empty where a value should be, at byte 1");
	if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		return err_set(err, "a byte order mark at byte 1");
	s.start = data;
	s.p = data;
	s.end = data + len;
	scanned = span_scan_text(&s, value);
	/*
	 * Bytes above ASCII are accepted in strings only, where they were not
	 * checked while scanning.
	 */
	if (scanned == 0 && (s.bits & SPAN_HIGH_BITS) == 0)
		return 0;
	seen = (size_t)(s.p - data);
	valid = utf8_valid_prefix(data, seen);
	if (valid < seen)
		return err_set(
		    err, "bytes that are not UTF-8 at byte %zu", valid + 1);
	return scanned;
}

enum json_span_kind
json_span_kind(struct json_span value)
{
	switch (value.p[0]) {
	case '{':
		return JSON_SPAN_OBJECT;
	case '[':
		return JSON_SPAN_ARRAY;
	case '"':
		return JSON_SPAN_STRING;
	case 't':
		return JSON_SPAN_TRUE;
	case 'f':
		return JSON_SPAN_FALSE;
	case 'n':
		return JSON_SPAN_NULL;
	default:
		return JSON_SPAN_NUMBER;
	}
}

/*
 * Walking. Walked JSON was checked before, so brackets match and strings end.
 * The end is checked nevertheless, so that a bug of a caller does not read past
 * it.
 */

/* Strings of at most this many bytes are not worth the call of a function. */
#define SPAN_SHORT 32

/*
 * Returns the byte after the string whose first quote is at p, or NULL if it is
 * long or has escapes.
 */
static const char *
span_skip_short(const char *p, const char *end)
{
	const char *most = end - p > SPAN_SHORT ? p + SPAN_SHORT : end;

	for (p++; p < most && *p != '\\'; p++)
		if (*p == '"')
			return p + 1;
	return NULL;
}

/*
 * Returns the byte after the string whose first quote is at p. Strings can have
 * megabytes, which memchr() scans many bytes at once.
 */
static const char *
span_skip_string(const char *p, const char *end)
{
	const char *quote = p, *escape = span_skip_short(p, end);

	if (escape != NULL)
		return escape;
	for (p++; p < end; p = escape + 2) {
		if (quote < p) /* the last one was escaped */
			quote = memchr(p, '"', (size_t)(end - p));
		if (quote == NULL)
			return end;
		escape = memchr(p, '\\', (size_t)(quote - p));
		if (escape == NULL)
			return quote + 1;
	}
	return end;
}

/* Returns the byte after the object or array whose bracket is at p. */
static const char *
span_skip_nested(const char *p, const char *end)
{
	size_t depth = 0;

	while (p < end) {
		if (!span_is(*p, SPAN_MARK)) {
			p++;
			continue;
		}
		if (*p == '"') {
			p = span_skip_string(p, end);
			continue;
		}
		depth += *p == '{' || *p == '[' ? 1 : -1;
		p++;
		if (depth == 0)
			break;
	}
	return p;
}

/* Takes the value at the front of rest. */
static struct json_span
span_take_value(struct json_span *rest)
{
	const char *p = rest->p, *end = rest->p + rest->len;
	struct json_span value = { p, 0 };

	if (*p == '"')
		p = span_skip_string(p, end);
	else if (*p == '{' || *p == '[')
		p = span_skip_nested(p, end);
	else
		while (p < end && *p != ',' && !span_is(*p, SPAN_SPACE))
			p++;
	value.len = (size_t)(p - value.p);
	rest->p = p;
	rest->len -= value.len;
	return value;
}

static void
span_drop(struct json_span *rest, size_t len)
{
	rest->p += len;
	rest->len -= len;
}

static void
span_trim(struct json_span *rest)
{
	while (rest->len > 0 && span_is(rest->p[0], SPAN_SPACE))
		span_drop(rest, 1);
}

/* Steps over white space, one separator and white space. */
static void
span_drop_separator(struct json_span *rest, char separator)
{
	span_trim(rest);
	if (rest->len > 0 && rest->p[0] == separator)
		span_drop(rest, 1);
	span_trim(rest);
}

struct json_span_walk
json_span_walk(struct json_span value)
{
	struct json_span_walk walk = { .rest = { value.p, 0 } };

	if (value.len < 2 || (value.p[0] != '{' && value.p[0] != '['))
		return walk;
	walk.rest = (struct json_span){ value.p + 1, value.len - 2 };
	span_trim(&walk.rest);
	return walk;
}

int
json_span_next_member(struct json_span_walk *walk, struct json_span *name,
    struct json_span *value)
{
	if (walk->rest.len == 0 || walk->rest.p[0] != '"')
		return 0;
	*name = span_take_value(&walk->rest);
	span_drop_separator(&walk->rest, ':');
	if (walk->rest.len == 0)
		return 0;
	*value = span_take_value(&walk->rest);
	span_drop_separator(&walk->rest, ',');
	return 1;
}

int
json_span_next_element(struct json_span_walk *walk, struct json_span *value)
{
	if (walk->rest.len == 0)
		return 0;
	*value = span_take_value(&walk->rest);
	span_drop_separator(&walk->rest, ',');
	return 1;
}

/* Strings */

#define SPAN_SURROGATE_FIRST  0xd800
#define SPAN_SURROGATE_SECOND 0xdc00
#define SPAN_SURROGATE_AFTER  0xe000
#define SPAN_CODE_LEN 6 /* of \uXXXX */

static unsigned int
span_hex4(const char *p)
{
	unsigned int n, digit, code = 0;

	for (n = 0; n < 4; n++) {
		digit = (unsigned char)p[n];
		/* Letters have bit 6, and their low bits begin at 1. */
		code = code << 4 | ((digit & 15) + (digit & 64 ? 9 : 0));
	}
	return code;
}

static size_t
span_put_utf8(char *out, unsigned int code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/*
 * Decodes the \u escapes at the front of rest: one, or two that form a pair. A
 * lone surrogate is returned unchanged.
 */
static unsigned int
span_take_code(struct json_span *rest)
{
	unsigned int second, code = span_hex4(rest->p + 2);

	span_drop(rest, 6);
	if (code < SPAN_SURROGATE_FIRST || code >= SPAN_SURROGATE_SECOND)
		return code;
	if (rest->len < 6 || rest->p[0] != '\\' || rest->p[1] != 'u')
		return code;
	second = span_hex4(rest->p + 2);
	if (second < SPAN_SURROGATE_SECOND || second >= SPAN_SURROGATE_AFTER)
		return code;
	span_drop(rest, 6);
	return 0x10000 + ((code - SPAN_SURROGATE_FIRST) << 10) +
	    (second - SPAN_SURROGATE_SECOND);
}

static char
span_short_escape(char letter)
{
	switch (letter) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return letter;
	}
}

/*
 * Decodes the escape at the front of rest into out (four bytes of room) and
 * steps over it. Returns the number of bytes written; 0, and *code, for a lone
 * surrogate.
 */
static size_t
span_take_escape(struct json_span *rest, char *out, unsigned int *code)
{
	if (rest->p[1] != 'u') {
		out[0] = span_short_escape(rest->p[1]);
		span_drop(rest, 2);
		return 1;
	}
	*code = span_take_code(rest);
	if (*code >= SPAN_SURROGATE_FIRST && *code < SPAN_SURROGATE_AFTER)
		return 0;
	return span_put_utf8(out, *code);
}

/* Takes the unescaped bytes at the front of rest. */
static struct json_span
span_take_plain(struct json_span *rest)
{
	const char *escape = memchr(rest->p, '\\', rest->len);
	struct json_span plain = *rest;

	if (escape != NULL)
		plain.len = (size_t)(escape - rest->p);
	span_drop(rest, plain.len);
	return plain;
}

/* A string without its quotes. */
static struct json_span
span_inside(struct json_span string)
{
	return (struct json_span){ string.p + 1, string.len - 2 };
}

static int
span_is_string(struct json_span value)
{
	return value.len >= 2 && value.p[0] == '"';
}

/* If *text begins with these bytes, steps over them and returns true. */
static int
span_match(const char **text, const char *bytes, size_t len)
{
	/* strncmp ends at a NUL of *text, which no bytes go beyond ... */
	if (strncmp(*text, bytes, len) != 0)
		return 0;
	/* ... but a NUL in bytes would end it as well. */
	if (memchr(bytes, '\0', len) != NULL)
		return 0;
	*text += len;
	return 1;
}

/* Compares the rest of a string, which has escapes, with the rest of a text. */
static int
span_is_escaped(struct json_span rest, const char *text)
{
	struct json_span plain;
	char bytes[4];
	unsigned int code;
	size_t len;

	while (rest.len > 0) {
		plain = span_take_plain(&rest);
		if (!span_match(&text, plain.p, plain.len))
			return 0;
		if (rest.len == 0)
			break;
		len = span_take_escape(&rest, bytes, &code);
		if (len == 0 || !span_match(&text, bytes, len))
			return 0;
	}
	return *text == '\0';
}

int
json_span_is(struct json_span value, const char *text)
{
	struct json_span rest;

	if (!span_is_string(value))
		return 0;
	/* Most strings differ in their first byte, and few have escapes. */
	for (rest = span_inside(value); rest.len > 0; span_drop(&rest, 1)) {
		if (rest.p[0] == '\\')
			return span_is_escaped(rest, text);
		if (*text == '\0' || *text != rest.p[0])
			return 0;
		text++;
	}
	return *text == '\0';
}

int
json_span_get(
    struct json_span object, const char *name, struct json_span *value)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span member, found;
	int count = 0;

	if (object.len == 0 || object.p[0] != '{')
		return 0;
	while (json_span_next_member(&walk, &member, &found)) {
		if (!json_span_is(member, name))
			continue;
		*value = found;
		count++;
	}
	return count;
}

void
json_span_members(struct json_span object, struct json_span_member *members,
    size_t count)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	size_t n;

	for (n = 0; n < count; n++) {
		members[n].value = (struct json_span){ NULL, 0 };
		members[n].count = 0;
	}
	if (object.len == 0 || object.p[0] != '{')
		return;
	while (json_span_next_member(&walk, &name, &value))
		for (n = 0; n < count; n++)
			if (json_span_is(name, members[n].name)) {
				members[n].value = value;
				members[n].count++;
			}
}

/*
 * Decodes to the end of rest, or of its first lone surrogate, which is left out
 * and stored in *code. Returns whether there was one.
 */
static int
span_decode(struct json_span *rest, char *out, size_t *len, unsigned int *code)
{
	struct json_span plain;
	size_t n;

	while (rest->len > 0) {
		plain = span_take_plain(rest);
		memcpy(out + *len, plain.p, plain.len);
		*len += plain.len;
		if (rest->len == 0)
			break;
		n = span_take_escape(rest, out + *len, code);
		if (n == 0)
			return 1;
		*len += n;
	}
	return 0;
}

char *
json_span_string(struct json_span value, size_t *len, struct err *err)
{
	struct json_span rest;
	auto_free char *text = NULL;
	unsigned int code;

	*len = 0;
	if (!span_is_string(value)) {
		err_set(err, "a string is expected");
		return NULL;
	}
	/* No escape is shorter than its decoded bytes. */
	text = mem_alloc(value.len);
	rest = span_inside(value);
	if (span_decode(&rest, text, len, &code)) {
		err_set(err, "the string has U+%04X alone, half of a surrogate "
		    "pair, which UTF-8 cannot hold", code);
		return NULL;
	}
	return mem_take(&text);
}

size_t
json_span_decode(struct json_span value, char *out)
{
	unsigned int code;
	size_t len = 0;

	while (span_decode(&value, out, &len, &code)) {
		memcpy(out + len, value.p - SPAN_CODE_LEN, SPAN_CODE_LEN);
		len += SPAN_CODE_LEN;
	}
	return len;
}

void
json_span_copy_line(struct json_span value, char *out)
{
	size_t n;
	char c;

	/* In strings they are escaped, so raw ones are between tokens. */
	for (n = 0; n < value.len; n++) {
		c = value.p[n];
		out[n] = c == '\n' || c == '\r' ? ' ' : c;
	}
}
