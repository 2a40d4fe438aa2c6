/*
 * "Did you mean …?": of some words, the one nearest to what was written.
 * Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_SUGGEST_H
#define SUPERVISOR_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* borrowed */
	const char *best; /* borrowed; NULL while nothing is near */
	size_t distance;
};

/* Begins a search for words near this one. */
struct suggest suggest_start(const char *word);

/*
 * Takes candidate as the best one when it is nearer than those before: when
 * fewer letters have to be put in, left out, changed or swapped, and at most
 * one more than a third of the word's.
 */
void suggest_try(struct suggest *suggest, const char *candidate);

#endif
