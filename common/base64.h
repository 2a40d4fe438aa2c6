/*
 * Base64 as RFC 4648 section 4 has it, with its padding. Used by the supervisor
 * and in the box of a shell; pure functions.
 */
#ifndef COMMON_BASE64_H
#define COMMON_BASE64_H

#include <stddef.h>

#include "buffer.h"

/* Appends what these bytes are in base64. */
void base64_add(struct buffer *buffer, const void *data, size_t len);

/*
 * Appends the bytes that this base64 stands for. White space between the
 * characters is skipped. Returns 0, or -1 when it is not base64; then what was
 * appended is of no use.
 */
int base64_read(struct buffer *buffer, const char *text, size_t len);

#endif
