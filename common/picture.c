/*
 * Kinds of pictures, and base64 that is checked without decoding it. Used by
 * the relay and the supervisor.
 */
#include <string.h>

#include "picture.h"

/* The size of the head of a picture in base64 characters and in bytes. */
#define PICTURE_HEAD_CHARACTERS 32
#define PICTURE_HEAD (PICTURE_HEAD_CHARACTERS / 4 * 3)

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

/* Decodes the head of a picture, which has at least that length. */
static void
picture_head(const char *data, uint8_t *head)
{
	uint32_t four;
	size_t n;

	for (n = 0; n < PICTURE_HEAD_CHARACTERS / 4; n++, data += 4) {
		four = (uint32_t)picture_bits(data[0]) << 18 |
		    (uint32_t)picture_bits(data[1]) << 12 |
		    (uint32_t)picture_bits(data[2]) << 6 |
		    (uint32_t)picture_bits(data[3]);
		head[3 * n] = (uint8_t)(four >> 16);
		head[3 * n + 1] = (uint8_t)(four >> 8);
		head[3 * n + 2] = (uint8_t)four;
	}
}

/* Sets both sides, unless one is out of the range of pictures. */
static void
picture_set_size(
    uint64_t *width, uint64_t *height, uint64_t across, uint64_t down)
{
	if (across == 0 || down == 0 || across > PICTURE_SIDE_MAX ||
	    down > PICTURE_SIDE_MAX)
		return;
	*width = across;
	*height = down;
}

static uint64_t
picture_big_endian(const uint8_t *p)
{
	return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 |
	    (uint64_t)p[2] << 8 | p[3];
}

static int
picture_is_png(const uint8_t *head, uint64_t *width, uint64_t *height)
{
	static const uint8_t magic[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a,
		'\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };

	if (memcmp(head, magic, sizeof(magic)) != 0)
		return 0;
	picture_set_size(width, height, picture_big_endian(head + 16),
	    picture_big_endian(head + 20));
	return 1;
}

static int
picture_is_gif(const uint8_t *head, uint64_t *width, uint64_t *height)
{
	if (memcmp(head, "GIF87a", 6) != 0 && memcmp(head, "GIF89a", 6) != 0)
		return 0;
	picture_set_size(width, height, head[6] | (uint64_t)head[7] << 8,
	    head[8] | (uint64_t)head[9] << 8);
	return 1;
}

int
picture_begins(enum picture_kind kind, const char *data, size_t len,
    uint64_t *width, uint64_t *height)
{
	uint8_t head[PICTURE_HEAD];

	*width = *height = 0;
	/*
	 * Shorter data is no picture; only the last four characters may have
	 * padding.
	 */
	if (len < PICTURE_HEAD_CHARACTERS + 4)
		return 0;
	picture_head(data, head);
	switch (kind) {
	case PICTURE_PNG:
		return picture_is_png(head, width, height);
	case PICTURE_JPEG:
		return memcmp(head, "\xff\xd8\xff", 3) == 0;
	case PICTURE_WEBP:
		return memcmp(head, "RIFF", 4) == 0 &&
		    memcmp(head + 8, "WEBPVP8", 7) == 0;
	case PICTURE_GIF:
		return picture_is_gif(head, width, height);
	case PICTURE_KINDS:
		break;
	}
	return 0;
}
