/*
 * Values of options as users write them: 30, 2m, 512m, on, debug, /a/path.
 * Turns text into numbers and numbers into text, and words what is allowed.
 * Runs in the supervisor (and in the program that writes the manual pages);
 * pure.
 */
#ifndef SUPERVISOR_OPTION_VALUE_H
#define SUPERVISOR_OPTION_VALUE_H

#include "../../common/buffer.h"
#include "option_table.h"

/*
 * Reads text as a value of this option. *number becomes seconds, bytes, a
 * count, the hundredths of a share, the position of a choice's word, 1 or 0 of
 * a switch, or the length of a path. Numbers without sign or blanks only, and
 * whole ones but for shares; units and words in small or capital letters.
 * Returns 0, or -1 when the text is not of this kind or not within the bounds.
 */
int option_value_parse(
    const struct option_row *row, const char *text, uint64_t *number);

/*
 * Appends what is allowed, "a time from 1s to 24h", and how it may be written
 * where that is not plain: ", such as 30, 30s, 2m or 1h".
 */
void option_value_add_allowed(
    struct buffer *buffer, const struct option_row *row);
void option_value_add_examples(
    struct buffer *buffer, const struct option_row *row);

/*
 * Appends a number as option_value_parse reads it, in the largest unit that
 * divides it: 90s, 2m, 64k. Not for paths.
 */
void option_value_add(
    struct buffer *buffer, const struct option_row *row, uint64_t number);

#endif
