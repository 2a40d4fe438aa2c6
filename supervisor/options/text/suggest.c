/*
 * The most similar word: see suggest.h. Runs in the supervisor; compares names,
 * opens and changes nothing.
 */
#include <string.h>

#include "../../../common/limits.h"
#include "suggest.h"

struct suggest
suggest_start(const char *word)
{
	struct suggest suggest = { .word = word };

	/* The limit for the first candidate. */
	suggest.distance = strlen(word) / 3 + 2;
	return suggest;
}

static size_t
suggest_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One cell of the table of distances; rows[0] is the line of a[i - 1]. */
static size_t
suggest_cell(size_t rows[3][SUGGEST_WORD_MAX + 1], const char *a, size_t i,
    const char *b, size_t j)
{
	size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
	size_t d;

	d = suggest_least(rows[1][j] + 1, rows[0][j - 1] + 1);
	d = suggest_least(d, rows[1][j - 1] + cost);
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
		d = suggest_least(d, rows[2][j - 2] + 1);
	return d;
}

/*
 * Counts letters inserted, deleted, changed, or swapped with their neighbour.
 */
static size_t
suggest_distance(const char *a, size_t alen, const char *b, size_t blen)
{
	/*
	 * rows[0] is the current row, rows[1] and rows[2] are the previous
	 * ones.
	 */
	size_t rows[3][SUGGEST_WORD_MAX + 1] = { 0 };
	size_t i, j;

	for (j = 0; j <= blen; j++)
		rows[0][j] = j;
	for (i = 1; i <= alen; i++) {
		memcpy(rows[2], rows[1], sizeof(rows[1]));
		memcpy(rows[1], rows[0], sizeof(rows[0]));
		rows[0][0] = i;
		for (j = 1; j <= blen; j++)
			rows[0][j] = suggest_cell(rows, a, i, b, j);
	}
	return rows[0][blen];
}

void
suggest_try(struct suggest *suggest, const char *candidate)
{
	size_t wlen = strlen(suggest->word);
	size_t clen = strlen(candidate);
	size_t distance;

	if (wlen > SUGGEST_WORD_MAX || clen > SUGGEST_WORD_MAX)
		return;
	distance = suggest_distance(suggest->word, wlen, candidate, clen);
	if (distance >= suggest->distance)
		return;
	suggest->distance = distance;
	suggest->best = candidate;
}
