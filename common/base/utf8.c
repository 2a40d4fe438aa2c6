/*
 * UTF-8 as in RFC 3629: see utf8.h. Linked into every process; pure functions
 * over bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define UTF8_HIGH_BITS 0x8080808080808080ULL

static const char utf8_replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/*
 * The well-formed sequences of Unicode 15, table 3-7: the number of bytes after
 * a first byte, and the range of the second. The range is narrower than 80..BF
 * where this excludes overlong forms, surrogates and values above U+10FFFF.
 */
static size_t
utf8_lead(unsigned char c, unsigned char *least, unsigned char *most)
{
	*least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	*most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	if (c >= 0xc2 && c <= 0xdf)
		return 1;
	if (c >= 0xe0 && c <= 0xef)
		return 2;
	return c >= 0xf0 && c <= 0xf4 ? 3 : 0;
}

/* The classification of the bytes at a position. */
enum utf8_part {
	UTF8_PART_WHOLE,  /* a character */
	UTF8_PART_BROKEN, /* a part that cannot become a character */
	UTF8_PART_CUT,    /* an incomplete character at the end of the data */
};

/*
 * Classifies the bytes at p (len is at least 1) and returns their number. An
 * invalid part is a maximal one: it ends where no character could continue.
 */
static enum utf8_part
utf8_look(const char *p, size_t len, size_t *part_len)
{
	unsigned char least, most, c = (unsigned char)p[0];
	size_t n, follow = utf8_lead(c, &least, &most);

	*part_len = 1;
	if (c < 0x80)
		return UTF8_PART_WHOLE;
	if (follow == 0)
		return UTF8_PART_BROKEN;
	for (n = 1; n <= follow; n++) {
		*part_len = n;
		if (n == len)
			return UTF8_PART_CUT;
		c = (unsigned char)p[n];
		if (c < least || c > most)
			return UTF8_PART_BROKEN;
		least = 0x80;
		most = 0xbf;
	}
	*part_len = n;
	return UTF8_PART_WHOLE;
}

/* Returns how many bytes at p are ASCII, counted in eights. */
static size_t
utf8_ascii_run(const char *p, size_t len)
{
	uint64_t eight;
	size_t n;

	for (n = 0; len - n >= sizeof(eight); n += sizeof(eight)) {
		memcpy(&eight, p + n, sizeof(eight));
		if (eight & UTF8_HIGH_BITS)
			break;
	}
	return n;
}

size_t
utf8_valid_prefix(const char *data, size_t len)
{
	size_t part_len, n = 0;

	while (n < len) {
		if ((unsigned char)data[n] < 0x80)
			n += utf8_ascii_run(data + n, len - n);
		if (n == len)
			break;
		if (utf8_look(data + n, len - n, &part_len) != UTF8_PART_WHOLE)
			break;
		n += part_len;
	}
	return n;
}

int
utf8_valid(const char *data, size_t len)
{
	return utf8_valid_prefix(data, len) == len;
}

size_t
utf8_repair(const char *data, size_t len, char *out)
{
	size_t valid, part_len, n = 0, used = 0;

	while (n < len) {
		valid = utf8_valid_prefix(data + n, len - n);
		memcpy(out + used, data + n, valid);
		n += valid;
		used += valid;
		if (n == len)
			break;
		utf8_look(data + n, len - n, &part_len);
		memcpy(out + used, utf8_replacement, UTF8_REPAIR_FACTOR);
		n += part_len;
		used += UTF8_REPAIR_FACTOR;
	}
	return used;
}

size_t
utf8_incomplete_tail(const char *data, size_t len)
{
	size_t part_len, back;

	for (back = 1; back <= 3 && back <= len; back++) {
		/* A continuation byte: the first byte is before it. */
		if (((unsigned char)data[len - back] & 0xc0) == 0x80)
			continue;
		if (utf8_look(data + len - back, back, &part_len) ==
		    UTF8_PART_CUT)
			return back;
		return 0;
	}
	return 0;
}

size_t
utf8_cut(const char *data, size_t len, size_t most)
{
	if (len > most)
		len = most;
	return len - utf8_incomplete_tail(data, len);
}

/*
 * Invisible characters: Default_Ignorable_Code_Point of Unicode 15, except the
 * two selectors used with emojis, and the other characters of the categories
 * Cc, Cf (except visible ones), Zl and Zp.
 */
static const struct {
	unsigned int first, last;
} utf8_unseen_ranges[] = {
	{ 0x0, 0x1f },        /* C0 */
	{ 0x7f, 0x9f },       /* DEL, C1 */
	{ 0xad, 0xad },       /* soft hyphen */
	{ 0x34f, 0x34f },     /* combining grapheme joiner */
	{ 0x61c, 0x61c },     /* Arabic letter mark */
	{ 0x115f, 0x1160 },   /* Hangul fillers */
	{ 0x17b4, 0x17b5 },   /* Khmer inherent vowels */
	{ 0x180b, 0x180f },   /* Mongolian selectors */
	{ 0x200b, 0x200f },   /* zero width, joiners, marks of direction */
	{ 0x2028, 0x202e },   /* line separators, embeddings, overrides */
	{ 0x2060, 0x206f },   /* invisible operators, isolates */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xfe00, 0xfe0d },   /* variation selectors */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xffa0, 0xffa0 },   /* Hangul filler */
	{ 0xfff0, 0xfffb },   /* annotations */
	{ 0x1bca0, 0x1bca3 }, /* shorthand */
	{ 0x1d173, 0x1d17a }, /* music */
	{ 0xe0000, 0xe0fff }, /* tags, more selectors */
};

/* Returns the code point of a character with this number of bytes. */
static unsigned int
utf8_code(const char *p, size_t len)
{
	unsigned int code = (unsigned char)p[0];
	size_t n;

	if (len > 1)
		code &= 0xffU >> (len + 1);
	for (n = 1; n < len; n++)
		code = code << 6 | ((unsigned char)p[n] & 0x3f);
	return code;
}

size_t
utf8_unseen(const char *p, size_t len, unsigned int *code)
{
	size_t part_len, n;

	if (utf8_look(p, len, &part_len) != UTF8_PART_WHOLE)
		return 0;
	*code = utf8_code(p, part_len);
	for (n = 0; n < sizeof(utf8_unseen_ranges) /
	         sizeof(utf8_unseen_ranges[0]); n++)
		if (*code >= utf8_unseen_ranges[n].first &&
		    *code <= utf8_unseen_ranges[n].last)
			return part_len;
	return 0;
}

void
utf8_escape(unsigned int code, char *out)
{
	if (code < 0x80)
		snprintf(out, UTF8_ESCAPE_SIZE, "\\x%02x", code);
	else if (code < 0x10000)
		snprintf(out, UTF8_ESCAPE_SIZE, "\\u%04x", code);
	else
		snprintf(out, UTF8_ESCAPE_SIZE, "\\U%08x", code);
}

/* Returns the bytes of the character at p; 0 if the bytes are no character. */
static size_t
utf8_size(const char *p, size_t len)
{
	size_t size;

	for (size = 1; size <= 4 && size <= len; size++)
		if (utf8_valid(p, size))
			return size;
	return 0;
}

size_t
utf8_shown(const char *data, size_t len, char *out)
{
	unsigned int code;
	size_t size = utf8_unseen(data, len, &code);

	if (size > 0) {
		utf8_escape(code, out);
		return size;
	}
	size = utf8_size(data, len);
	if (size == 0) {
		snprintf(out, UTF8_ESCAPE_SIZE, "\\x%02x",
		    (unsigned char)*data);
		return 1;
	}
	memcpy(out, data, size);
	out[size] = '\0';
	return size;
}
