/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Used by every process; pure functions.
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stddef.h>

/* The most bytes that one input byte can become in utf8_repair. */
#define UTF8_REPAIR_FACTOR 3

/* Returns 1 when the bytes are valid UTF-8 (NUL included), else 0. */
int utf8_valid(const char *data, size_t len);

/*
 * Returns how many bytes at the front are valid UTF-8, counted in whole
 * characters: len when all are.
 */
size_t utf8_valid_prefix(const char *data, size_t len);

/*
 * Copies data to out, every maximal invalid part replaced by U+FFFD (Unicode
 * 15, section 3.9, as browsers and Python's errors="replace" do). out has room
 * for UTF8_REPAIR_FACTOR * len bytes. Returns the bytes written.
 */
size_t utf8_repair(const char *data, size_t len, char *out);

/*
 * Returns the length (0 to 3) of an incomplete character at the end of data:
 * bytes that more bytes could still complete.
 */
size_t utf8_incomplete_tail(const char *data, size_t len);

/*
 * Returns how many of the first most bytes of data to keep, so that the text
 * does not end within a character: len when it fits and ends with a whole one.
 */
size_t utf8_cut(const char *data, size_t len, size_t most);

/*
 * For text of another origin that is shown: returns how many bytes the
 * character at p has (len is at least 1), and its number in *code, when a
 * terminal obeys it or it is invisible: a control character, one that turns the
 * direction of what stands around it, an end of a line, or one without a mark
 * of its own, in which another text could be hidden. Variation selectors that
 * choose between two pictures (U+FE0E, U+FE0F) are not such. Returns 0 for all
 * others, and for what is no character.
 */
size_t utf8_unseen(const char *p, size_t len, unsigned int *code);

/*
 * Writes what is shown in the place of such a character: "\x1b", "\u202e" or
 * "\U000e0041", with a NUL; out has room for UTF8_ESCAPE_SIZE bytes.
 */
#define UTF8_ESCAPE_SIZE 11
void utf8_escape(unsigned int code, char *out);

#endif
