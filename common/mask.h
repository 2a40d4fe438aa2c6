/*
 * Replaces values that may be secrets in a text. The set of values has only
 * their lengths and keyed hashes, so that a process can mask values that it is
 * not given. Pure functions.
 */
#ifndef COMMON_MASK_H
#define COMMON_MASK_H

#include <stdint.h>

#include "base/buffer.h"

/* Shown in the place of a value. */
#define MASK "***"

#define MASK_KEY_SIZE 16

/* Starts an empty set with a random key of MASK_KEY_SIZE bytes. */
void mask_begin(struct buffer *set, const uint8_t *key);

/*
 * Adds a value, if it is not empty. With the first that exceeds MASK_SET_MAX
 * the set hides all of a text.
 */
void mask_add(struct buffer *set, const char *value);

/*
 * Appends a text with MASK in the place of each value of a set, the longest
 * first; unchanged if the set is empty. A value of fewer than 8 bytes stays
 * where it is a part of a longer word. Ends when out has more than most bytes,
 * so that only what is masked is cut.
 */
void mask_text(struct buffer *out, const struct buffer *set, const char *text,
    size_t len, size_t most);

/*
 * Like mask_text(), for a text that had more before it: bytes at its beginning
 * that may be the end of a value are left out.
 */
void mask_rest(struct buffer *out, const struct buffer *set, const char *text,
    size_t len);

/* Returns whether a text has a value of a set. */
int mask_has(const struct buffer *set, const char *text, size_t len);

#endif
