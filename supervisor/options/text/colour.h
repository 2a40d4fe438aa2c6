/*
 * Colours of the few words that a person looks for: only on a terminal, and not
 * if the environment disables them. Runs in the supervisor; checks its
 * descriptors, opens nothing.
 */
#ifndef SUPERVISOR_COLOUR_H
#define SUPERVISOR_COLOUR_H

#include <stdio.h>

#include "../../../common/base/buffer.h"

enum colour {
	COLOUR_PLAIN, /* the default */
	COLOUR_GOOD, /* success */
	COLOUR_BAD,  /* failure */
	COLOUR_NOTE, /* success with restrictions */
	COLOUR_HEAD, /* a heading */
};

/*
 * Decides for standard output and standard error: each has colours if it is a
 * terminal, TERM names a type with colours, and NO_COLOR is unset or empty.
 * Before this is called there are no colours.
 */
void colour_begin(void);

/* Appends a word for standard output, padded with spaces to width. */
void colour_add(struct buffer *text, enum colour colour, const char *word,
    int width);

/* Prints a word, padded with spaces to width. */
void colour_print(FILE *out, enum colour colour, const char *word, int width);

#endif
