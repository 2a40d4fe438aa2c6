/*
 * Base64 as in RFC 4648 section 4, with padding. Used by the supervisor and in
 * the box of a shell; pure functions.
 */
#ifndef COMMON_BASE64_H
#define COMMON_BASE64_H

#include <stddef.h>

#include "buffer.h"

/* Appends these bytes as base64. */
void base64_add(struct buffer *buffer, const void *data, size_t len);

/*
 * Appends the bytes that this base64 encodes. White space between the
 * characters is skipped. Returns 0, or -1 if it is not valid base64; the
 * appended bytes are then useless.
 */
int base64_read(struct buffer *buffer, const char *text, size_t len);

#endif
