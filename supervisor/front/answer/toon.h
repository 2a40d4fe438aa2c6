/*
 * Writes TOON (Token-Oriented Object Notation, version 4.4 of
 * https://github.com/toon-format/spec): the members of an object, one line
 * each, as far as results need them. Canonical: comma as delimiter, two spaces
 * a level, quotes only if necessary, no newline at the end.
 */
#ifndef SUPERVISOR_TOON_H
#define SUPERVISOR_TOON_H

#include "../../../common/base/buffer.h"

/*
 * Each of these appends a member, on a line of its own, to an object at this
 * depth (0: the document itself); the buffer contains only the document. A key
 * is a string, a value is len bytes of UTF-8, which may include NUL.
 */
void toon_add_text(struct buffer *buffer, unsigned int depth, const char *key,
    const char *data, size_t len);
void toon_add_number(struct buffer *buffer, unsigned int depth, const char *key,
    long long value);

/* Begins an object: its members follow, one level deeper. */
void toon_add_object(
    struct buffer *buffer, unsigned int depth, const char *key);

/*
 * Begins an array of strings: count calls of toon_add_item must follow at once.
 */
void toon_add_array(
    struct buffer *buffer, unsigned int depth, const char *key, size_t count);
void toon_add_item(struct buffer *buffer, const char *data, size_t len);

#endif
