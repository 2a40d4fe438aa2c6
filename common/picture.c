/*
 * Kinds of pictures, and base64 that is checked without decoding all of it.
 * Used by the relay, the supervisor and the box of a shell.
 */
#include <string.h>

#include "picture.h"

/* The bytes that tell the kind of a picture. */
#define PICTURE_HEAD 12

static const struct {
	const char *name, *word, *mime;
} picture_kinds[PICTURE_KINDS] = {
	[PICTURE_PNG] = { "png", "PNG", "image/png" },
	[PICTURE_JPEG] = { "jpeg", "JPEG", "image/jpeg" },
	[PICTURE_WEBP] = { "webp", "WebP", "image/webp" },
	[PICTURE_GIF] = { "gif", "GIF", "image/gif" },
};

const char *
picture_name(enum picture_kind kind)
{
	return picture_kinds[kind].name;
}

const char *
picture_word(enum picture_kind kind)
{
	return picture_kinds[kind].word;
}

const char *
picture_mime(enum picture_kind kind)
{
	return picture_kinds[kind].mime;
}

/* Returns the six bits of a base64 character, or -1. */
static int
picture_bits(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* Returns how many characters of the last four are padding: 0 to 2. */
static size_t
picture_padding(const char *data, size_t len)
{
	if (data[len - 1] != '=')
		return 0;
	return data[len - 2] == '=' ? 2 : 1;
}

int
picture_is_base64(const char *data, size_t len)
{
	size_t n, padding;
	int unused;

	if (len == 0 || len % 4 != 0)
		return 0;
	padding = picture_padding(data, len);
	for (n = 0; n < len - padding; n++)
		if (picture_bits(data[n]) == -1)
			return 0;
	/*
	 * Two or four bits of the last character before the padding are unused.
	 */
	unused = padding == 0 ? 0 : padding == 1 ? 0x3 : 0xf;
	return (picture_bits(data[len - padding - 1]) & unused) == 0;
}

size_t
picture_bytes(const char *data, size_t len)
{
	return len / 4 * 3 - picture_padding(data, len);
}

/* Returns byte n, 0 to 2, of those that four characters encode. */
static uint8_t
picture_byte(const char *four, size_t n)
{
	unsigned int high = (unsigned int)picture_bits(four[n]);
	unsigned int low = (unsigned int)picture_bits(four[n + 1]);

	return (uint8_t)(high << (2 + 2 * n) | low >> (4 - 2 * n));
}

int
picture_read(
    const char *data, size_t len, size_t at, uint8_t *bytes, size_t count)
{
	size_t n, whole = len == 0 ? 0 : picture_bytes(data, len);

	if (at > whole || count > whole - at)
		return -1;
	for (n = 0; n < count; n++, at++)
		bytes[n] = picture_byte(data + at / 3 * 4, at % 3);
	return 0;
}

int
picture_begins(enum picture_kind kind, const char *data, size_t len)
{
	uint8_t head[PICTURE_HEAD];

	if (picture_read(data, len, 0, head, sizeof(head)) == -1)
		return 0;
	switch (kind) {
	case PICTURE_PNG:
		return memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
	case PICTURE_JPEG:
		return memcmp(head, "\xff\xd8\xff", 3) == 0;
	case PICTURE_WEBP:
		return memcmp(head, "RIFF", 4) == 0 &&
		    memcmp(head + 8, "WEBP", 4) == 0;
	case PICTURE_GIF:
		return memcmp(head, "GIF87a", 6) == 0 ||
		    memcmp(head, "GIF89a", 6) == 0;
	case PICTURE_KINDS:
		break;
	}
	return 0;
}
