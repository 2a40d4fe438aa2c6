/*
 * "Did you mean …?": finds the word most similar to the user's. Runs in the
 * supervisor; pure.
 */
#ifndef SUPERVISOR_SUGGEST_H
#define SUPERVISOR_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* borrowed */
	const char *best; /* borrowed; NULL: none is similar */
	size_t distance;
};

/* Starts a search for words similar to this one. */
struct suggest suggest_start(const char *word);

/*
 * Keeps candidate as the best word if it is more similar than the former ones:
 * fewer letters must be inserted, deleted, changed or swapped, and at most one
 * more than a third of the word's letters.
 */
void suggest_try(struct suggest *suggest, const char *candidate);

#endif
