/*
 * Colours of the few words that a person looks for: on a terminal only, and not
 * where the environment refuses them. Runs in the supervisor; looks at its
 * descriptors, opens nothing.
 */
#ifndef SUPERVISOR_COLOUR_H
#define SUPERVISOR_COLOUR_H

#include <stdio.h>

#include "../../common/buffer.h"

enum colour {
	COLOUR_PLAIN, /* as all else */
	COLOUR_GOOD, /* it works */
	COLOUR_BAD,  /* it failed */
	COLOUR_NOTE, /* it works, with less than there could be */
	COLOUR_HEAD, /* a heading */
};

/*
 * Decides for standard output and standard error: each shows colours where it
 * is a terminal, TERM names one that can, and NO_COLOR is unset or empty.
 * Before this is called there are no colours.
 */
void colour_begin(char **envp);

/* Appends a word for standard output, padded with spaces to width. */
void colour_add(struct buffer *text, enum colour colour, const char *word,
    int width);

/* Prints a word, padded with spaces to width. */
void colour_print(
    FILE *out, enum colour colour, const char *word, int width);

#endif
