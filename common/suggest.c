/* How alike names are, and the most similar one: see suggest.h. */
#include <ctype.h>
#include <string.h>

#include "limits.h"
#include "suggest.h"

struct suggest
suggest_start(const char *name)
{
	return (struct suggest){ .word = name, .score = SUGGEST_ALIKE - 1 };
}

struct suggest
suggest_start_word(const char *word)
{
	return (struct suggest){ .word = word,
		.score = SUGGEST_ALIKE_WORD - 1 };
}

size_t
suggest_score(const char *one, const char *other)
{
	size_t row[SUGGEST_WORD_MAX + 1] = { 0 }, before, above, m;
	size_t len = strlen(other), all = strlen(one) + len;

	if (all == 0 || len > SUGGEST_WORD_MAX || all - len > SUGGEST_WORD_MAX)
		return 0;
	for (; *one != '\0'; one++)
		for (before = 0, m = 0; m < len; m++) {
			above = row[m + 1];
			if (tolower((unsigned char)*one) ==
			    tolower((unsigned char)other[m]))
				row[m + 1] = before + 1;
			else if (row[m] > above)
				row[m + 1] = row[m];
			before = above;
		}
	return 200 * row[len] / all;
}

void
suggest_try(struct suggest *suggest, const char *candidate)
{
	size_t score = suggest_score(suggest->word, candidate);

	if (score <= suggest->score)
		return;
	suggest->score = score;
	suggest->best = candidate;
}
