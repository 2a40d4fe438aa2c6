/*
 * Pictures on their way to the client: which kinds there are, and base64,
 * which is checked and passed on as it is. Of a picture nothing but its first
 * bytes is decoded. Used by the relay and the supervisor; pure functions.
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
 * The name of a kind in the box protocol ("png"), in a text for people
 * ("PNG"), and as a media type ("image/png"): static.
 */
const char *picture_name(enum picture_kind kind);
const char *picture_word(enum picture_kind kind);
const char *picture_mime(enum picture_kind kind);

/*
 * Whether these characters are base64 as RFC 4648 has it, in its one canonical
 * form: a multiple of four, padded, the unused bits 0. Empty is not.
 */
int picture_is_base64(const char *data, size_t len);

/* The bytes that base64 in this form stands for. */
size_t picture_bytes(const char *data, size_t len);

/*
 * Whether base64 in this form begins as a picture of this kind does. Then the
 * pixels of a side go to *width and *height where they stand at a fixed place
 * and are sound (PNG, GIF), else 0.
 */
int picture_begins(enum picture_kind kind, const char *data, size_t len,
    uint64_t *width, uint64_t *height);

#endif
