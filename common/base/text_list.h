/*
 * A list of texts in one array of bytes; each text ends with a NUL. Used by
 * every process; pure functions over bytes.
 */
#ifndef COMMON_TEXT_LIST_H
#define COMMON_TEXT_LIST_H

#include <stddef.h>

#include "buffer.h"

/* Returns 1 if the bytes are a list: empty, or ended by a NUL. */
int text_list_complete(const char *data, size_t len);

/* Returns how many texts there are in a list. */
size_t text_list_count(const char *data, size_t len);

/*
 * Returns the text after this one in a list, or the first for NULL; NULL if
 * there is none. The list must be complete; data may be NULL if len is 0.
 */
const char *text_list_next(const char *data, size_t len, const char *text);

/* Iterates over a list: text is set to each element in turn. */
#define TEXT_LIST_EACH(text, data, len)                                        \
	for ((text) = text_list_next(data, len, NULL); (text) != NULL;         \
	     (text) = text_list_next(data, len, text))

/* The same for a list of pairs; a name without a value ends the iteration. */
#define TEXT_LIST_PAIRS(name, value, data, len)                                \
	for ((name) = text_list_next(data, len, NULL); (name) != NULL &&       \
	     ((value) = text_list_next(data, len, name)) != NULL;              \
	     (name) = text_list_next(data, len, value))

/* Returns whether a list has this text. */
int text_list_has(const struct buffer *list, const char *text);

/* Returns the value of a name in a list of pairs, or NULL; borrowed. */
const char *text_list_value(const char *data, size_t len, const char *name);

/* Appends a text and its NUL. */
void text_list_add(struct buffer *list, const char *text);

/*
 * Returns the texts of a list as an argument vector: pointers into data, and
 * NULL behind the last one. The caller frees the vector.
 */
char **text_list_vector(char *data, size_t len);

#endif
