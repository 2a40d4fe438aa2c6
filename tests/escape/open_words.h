/*
 * Which protections a program of the tests leaves out: see open_words.c.
 */
#ifndef TESTS_ESCAPE_OPEN_WORDS_H
#define TESTS_ESCAPE_OPEN_WORDS_H

/* Whether word stands in the file "open" beside this binary. */
int open_has(const char *word);

#endif
