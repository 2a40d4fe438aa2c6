/*
 * Foreign text where a terminal may be: what a terminal obeys, what is
 * invisible, and bytes that are not UTF-8 are escaped; other characters of all
 * languages stay. Used by every process; pure functions over bytes.
 */
#ifndef COMMON_SHOWN_H
#define COMMON_SHOWN_H

#include <stddef.h>

#include "buffer.h"
#include "utf8.h"

/* The longest character or escape, with a NUL. */
#define SHOWN_SIZE UTF8_ESCAPE_SIZE

/*
 * Writes the character at the front of data (len is at least 1) as it is shown
 * to out (SHOWN_SIZE bytes of room), with a NUL: itself, or an escape, see
 * utf8_escape(); a byte that is not UTF-8 as "\xff". Returns the bytes of data
 * that this stands for.
 */
size_t shown_one(const char *data, size_t len, char *out);

/* Appends all of a text, which may have quotes of its own. */
void shown_add(struct buffer *buffer, const char *data, size_t len);

/*
 * Appends text that is to stand in quotes: quotes and backslashes get a
 * backslash in front. Of more than most bytes it appends whole characters of
 * the first ones and "...".
 */
void shown_add_quoted(struct buffer *buffer, const char *text, size_t most);

#endif
