/*
 * "Did you mean …?": how alike names are, and which is the most similar to an
 * unknown one. Such a name is told, and never taken for the unknown one.
 */
#ifndef COMMON_SUGGEST_H
#define COMMON_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* borrowed */
	const char *best; /* borrowed; NULL: none is similar */
	size_t score;     /* a better one has more */
};

/*
 * Starts a search for names similar to this one, by SUGGEST_ALIKE at least, or
 * for options, commands and words, by SUGGEST_ALIKE_WORD.
 */
struct suggest suggest_start(const char *name);
struct suggest suggest_start_word(const char *word);

/* Keeps candidate as the best one if it is more similar than those before. */
void suggest_try(struct suggest *suggest, const char *candidate);

/*
 * Returns how alike two names are but for case, in hundredths: twice the
 * characters that they have in common, in order, of all. A name of more than
 * SUGGEST_WORD_MAX bytes is like no other.
 */
size_t suggest_score(const char *one, const char *other);

#endif
