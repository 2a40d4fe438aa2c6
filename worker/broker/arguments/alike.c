/*
 * Names that come close to an unknown one, by what authors of tools mean by
 * them and by the spelling: see arguments.h. They are told, and none is taken
 * for another.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/suggest.h"
#include "arguments.h"

#define ALIKE_PART_MIN 3 /* characters of a name that is part of another */

/*
 * Names that authors of tools use for the same thing; "from" and "to" may be of
 * time, of place or of people.
 */
static const char *const alike_meanings[] = {
	" q query search searchquery searchterm term text keyword keywords ",
	" path file filename filepath source ",
	" dir directory folder path root ",
	" limit max maxresults maxitems maxcount count n num size top first ",
	" max maxresults maxitems count size limit take perpage pagesize ",
	" repo repository project ",
	" owner org organization user username account login ",
	" body content text message description comment ",
	" input text string content ",
	" location city place ",
	" title name subject summary ",
	" start begin since after startdate starttime datefrom ",
	" end until before enddate endtime dateto ",
	" to recipient recipients email ",
	" url uri link href ",
	" label labels tag tags ",
	" assignee assignees user username login ",
	" state status ",
	" timezone tz zone ",
	" sheet sheetname worksheet tab ",
	" sort sortby order orderby ",
	" branch ref revision sha commit ",
	" data rows records values items ",
	" id key identifier number ",
};

#define ALIKE_COUNT(list) (sizeof(list) / sizeof((list)[0]))

void
alike_begin(struct alike *alike, const char *name, int parameters)
{
	memset(alike, 0, sizeof(*alike));
	alike->parameters = parameters;
	if (strlen(name) <= SUGGEST_WORD_MAX)
		memcpy(alike->name, name, strlen(name) + 1);
}

/* Copies a name without case and marks. */
static void
alike_plain(const char *name, char *plain)
{
	for (; *name != '\0'; name++)
		if (isalnum((unsigned char)*name) || (*name & 0x80) != 0)
			*plain++ = (char)tolower((unsigned char)*name);
	*plain = '\0';
}

static int
alike_means(const char *meaning, const char *plain)
{
	char word[SUGGEST_WORD_MAX + 3];

	snprintf(word, sizeof(word), " %s ", plain);
	return strstr(meaning, word) != NULL;
}

/* Whether both names, without marks, mean the same to authors of tools. */
static int
alike_is_meant(const char *one, const char *other)
{
	size_t n;

	for (n = 0; n < ALIKE_COUNT(alike_meanings); n++)
		if (alike_means(alike_meanings[n], one) &&
		    alike_means(alike_meanings[n], other))
			return 1;
	return 0;
}

static void
alike_keep(struct alike_name *place, const char *known, size_t score)
{
	snprintf(place->text, sizeof(place->text), "%s", known);
	place->score = score;
}

/* Keeps those that are most alike, in order. */
static void
alike_keep_spelled(struct alike *alike, const char *known, size_t score)
{
	struct alike_name moved;
	size_t n;

	if (alike->nspelled < ARGUMENTS_SIMILAR_MAX)
		alike->nspelled++;
	else if (alike->spelled[ARGUMENTS_SIMILAR_MAX - 1].score >= score)
		return;
	n = alike->nspelled - 1;
	alike_keep(&alike->spelled[n], known, score);
	for (; n > 0 && alike->spelled[n - 1].score < score; n--) {
		moved = alike->spelled[n - 1];
		alike->spelled[n - 1] = alike->spelled[n];
		alike->spelled[n] = moved;
	}
}

void
alike_try(struct alike *alike, struct schema *schema, const char *known)
{
	char one[SUGGEST_WORD_MAX + 1], other[SUGGEST_WORD_MAX + 1];
	size_t score, len = strlen(known);
	const char *longer, *part;

	if (alike->name[0] == '\0' || len == 0 || len > SUGGEST_WORD_MAX ||
	    !schema_spend(schema, (len + 8) * (strlen(alike->name) + 8)))
		return;
	alike_plain(alike->name, one);
	alike_plain(known, other);
	if (alike->parameters && alike_is_meant(one, other) &&
	    alike->nmeant++ == 0)
		alike_keep(&alike->meant, known, 0);
	longer = strlen(one) > strlen(other) ? one : other;
	part = longer == one ? other : one;
	if (strlen(part) >= ALIKE_PART_MIN && strstr(longer, part) != NULL &&
	    alike->nparts++ == 0)
		alike_keep(&alike->part, known, 0);
	score = suggest_score(alike->name, known);
	if (score >= SUGGEST_ALIKE)
		alike_keep_spelled(alike, known, score);
}

const char *
alike_name(const struct alike *alike, size_t n)
{
	const char *names[2 + ARGUMENTS_SIMILAR_MAX];
	size_t count = 0, m;

	if (alike->nmeant == 1)
		names[count++] = alike->meant.text;
	if (alike->nparts == 1)
		names[count++] = alike->part.text;
	for (m = 0; m < alike->nspelled; m++)
		names[count++] = alike->spelled[m].text;
	return n < count && n < ARGUMENTS_SIMILAR_MAX ? names[n] : NULL;
}
