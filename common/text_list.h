/*
 * A list of texts in one run of bytes: each is ended by a NUL, one behind the
 * other. Used by every process; pure functions over bytes.
 */
#ifndef COMMON_TEXT_LIST_H
#define COMMON_TEXT_LIST_H

#include <stddef.h>

#include "buffer.h"

/* Returns 1 when the bytes are a list: none at all, or the last is a NUL. */
int text_list_complete(const char *data, size_t len);

/* Returns how many texts there are in a list. */
size_t text_list_count(const char *data, size_t len);

/*
 * Returns the text behind this one of a list, or the first for NULL; NULL when
 * there is none. The list must be complete; data may be NULL when len is 0.
 */
const char *text_list_next(const char *data, size_t len, const char *text);

/* Goes through a list: text is each of them in turn. */
#define TEXT_LIST_EACH(text, data, len)                                        \
	for ((text) = text_list_next(data, len, NULL); (text) != NULL;         \
	     (text) = text_list_next(data, len, text))

/* The same for a list of pairs; a name without a value ends it. */
#define TEXT_LIST_PAIRS(name, value, data, len)                                \
	for ((name) = text_list_next(data, len, NULL); (name) != NULL &&       \
	     ((value) = text_list_next(data, len, name)) != NULL;              \
	     (name) = text_list_next(data, len, value))

/* Appends a text and its NUL. */
void text_list_add(struct buffer *list, const char *text);

#endif
