/*
 * Pictures on their way to the client: their kinds, and base64, which is
 * checked and passed on unchanged. Used by relay, supervisor, files and the box
 * of a shell; pure functions.
 */
#ifndef COMMON_PICTURE_H
#define COMMON_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "limits.h"

enum picture_kind {
	PICTURE_PNG,
	PICTURE_JPEG,
	PICTURE_WEBP,
	PICTURE_GIF,
	PICTURE_KINDS
};

/*
 * The name of a kind in the box protocol ("png"), in a sentence ("PNG"), and as
 * a media type ("image/png"); static.
 */
const char *picture_name(enum picture_kind kind);
const char *picture_word(enum picture_kind kind);
const char *picture_mime(enum picture_kind kind);

/*
 * Whether these characters are base64 as in RFC 4648, in its canonical form: a
 * multiple of four, padded, with unused bits 0. Empty base64 is refused.
 */
int picture_is_base64(const char *data, size_t len);

/* The number of bytes that base64 in this form encodes. */
size_t picture_bytes(const char *data, size_t len);

/*
 * Decodes count bytes from byte number at of base64 in this form. Returns 0, or
 * -1 if there are fewer.
 */
int picture_read(
    const char *data, size_t len, size_t at, uint8_t *bytes, size_t count);

/* Whether base64 in this form starts like a picture of this kind. */
int picture_begins(enum picture_kind kind, const char *data, size_t len);

/* picture_sides.c: the size of a picture. */

/* Where its bytes are: copy returns 0, or -1 if there are fewer. */
struct picture_source {
	int (*copy)(void *ctx, size_t at, uint8_t *bytes, size_t count);
	void *ctx;
};

struct picture_sides {
	uint64_t width, height; /* in pixels */
};

/* Whether a picture of this size is passed on. */
int picture_sides_fit(const struct picture_sides *sides);

/*
 * Reads the sides of a picture of this kind: of all its frames, the largest or
 * one that does not fit. Returns 0, or -1 if they cannot be read.
 */
int picture_sides_read(enum picture_kind kind,
    const struct picture_source *source, struct picture_sides *sides);

#endif
