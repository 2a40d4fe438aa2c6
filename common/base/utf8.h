/*
 * UTF-8 as in RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Used by every process; pure functions.
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stddef.h>

/* The maximum growth of an input byte in utf8_repair. */
#define UTF8_REPAIR_FACTOR 3

/* Returns 1 when the bytes are valid UTF-8 (NUL included), else 0. */
int utf8_valid(const char *data, size_t len);

/*
 * Returns how many bytes at the front are valid UTF-8, counted in whole
 * characters: len if all are.
 */
size_t utf8_valid_prefix(const char *data, size_t len);

/*
 * Copies data to out and replaces each maximal invalid part by U+FFFD (Unicode
 * 15, section 3.9, as browsers and Python's errors="replace" do). out has room
 * for UTF8_REPAIR_FACTOR * len bytes. Returns the number of bytes written.
 */
size_t utf8_repair(const char *data, size_t len, char *out);

/*
 * Returns the length (0 to 3) of an incomplete character at the end of data,
 * which more bytes could complete.
 */
size_t utf8_incomplete_tail(const char *data, size_t len);

/*
 * Returns how many of the first most bytes of data to keep so that the text
 * does not end within a character: len if it fits and ends with a whole one.
 */
size_t utf8_cut(const char *data, size_t len, size_t most);

/*
 * For foreign text that is shown: returns the length in bytes of the character
 * at p (len is at least 1) and stores its number in *code, if it must be
 * escaped: a control character, a character that changes the text direction, a
 * line separator, or an invisible character, which could hide another text.
 * Variation selectors that choose between two pictures (U+FE0E, U+FE0F) are
 * exempt. Returns 0 for all other characters, and for bytes that are no
 * character.
 */
size_t utf8_unseen(const char *p, size_t len, unsigned int *code);

/*
 * Writes the escape of such a character: "\x1b", "\u202e" or "\U000e0041", with
 * a NUL; out has room for UTF8_ESCAPE_SIZE bytes.
 */
#define UTF8_ESCAPE_SIZE 11
void utf8_escape(unsigned int code, char *out);

/*
 * Writes the character at the front of data (len is at least 1) to out
 * (UTF8_ESCAPE_SIZE bytes of room), with a NUL: unchanged, or escaped, see
 * utf8_escape(); a byte that is not UTF-8 becomes "\xff". Returns the number of
 * bytes of data that were read.
 */
size_t utf8_shown(const char *data, size_t len, char *out);

#endif
