/*
 * Values of options as users write them: 30, 2m, 512m, on, debug, /a/path.
 * Converts text to numbers and numbers to text, and describes the allowed
 * values. Runs in the supervisor (and in the program that writes the manual
 * pages); pure.
 */
#ifndef SUPERVISOR_OPTION_VALUE_H
#define SUPERVISOR_OPTION_VALUE_H

#include "../../common/base/buffer.h"
#include "option_table.h"

/*
 * Parses text as a value of this option. *number becomes seconds, bytes, a
 * count, the hundredths of a share, the position of a choice's word, 1 or 0 of
 * a switch, or the length of a path. Numbers have no sign or blanks, and are
 * integers except for shares; units and words are in lower or upper case.
 * Returns 0, or -1 if the text is not of this kind or out of bounds.
 */
int option_value_parse(
    const struct option_row *row, const char *text, uint64_t *number);

/* The prefix of a Unix socket among SOCKETS. */
#define OPTION_UNIX "unix:"

/* Returns what stands for its value in the help, such as TIME; static. */
const char *option_value_what(const struct option_row *row);

/*
 * Append the allowed values, "a time from 1s to 24h", and examples if the form
 * is not obvious: ", such as 30, 30s, 2m or 1h".
 */
void option_value_add_allowed(
    struct buffer *buffer, const struct option_row *row);
void option_value_add_examples(
    struct buffer *buffer, const struct option_row *row);

/*
 * Appends a number in the form of option_value_parse, in the largest unit that
 * divides it: 90s, 2m, 64k. Not for paths.
 */
void option_value_add(
    struct buffer *buffer, const struct option_row *row, uint64_t number);

#endif
