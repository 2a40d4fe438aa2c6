/*
 * Foreign text for terminals: terminal control characters, invisible characters
 * and bytes that are not UTF-8 are escaped; other characters of all languages
 * are kept. Used by every process; pure functions over bytes.
 */
#ifndef COMMON_SHOWN_H
#define COMMON_SHOWN_H

#include <stddef.h>

#include "buffer.h"

/* Appends a whole text, which may contain quotes. */
void shown_add(struct buffer *buffer, const char *data, size_t len);

/*
 * Appends text for use in quotes: quotes and backslashes are preceded by a
 * backslash. Of more than most bytes it appends the first whole characters and
 * "...".
 */
void shown_add_quoted(struct buffer *buffer, const char *text, size_t most);

#endif
