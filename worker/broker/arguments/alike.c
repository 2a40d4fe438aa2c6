/*
 * Names that come close to an unknown one, by the meaning of its words, the
 * words themselves and the spelling: see arguments.h. They are told, and none
 * is taken for another. Runs in the broker.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/mem.h"
#include "arguments.h"

#define NEAR_WORDS_MAX 8    /* of one name that are compared */
#define NEAR_BEGINNING_MIN 2 /* characters of a name that another begins with */

/* Short forms in names of parameters, each with the word. */
static const char *const alike_short[][2] = { { "pr", "pull" },
	{ "num", "number" }, { "repo", "repository" },
	{ "org", "organization" }, { "msg", "message" },
	{ "desc", "description" }, { "dir", "directory" }, { "img", "image" },
	{ "doc", "document" }, { "lang", "language" }, { "lat", "latitude" },
	{ "lon", "longitude" }, { "lng", "longitude" }, { "qty", "quantity" },
	{ "addr", "address" }, { "ref", "reference" }, { "src", "source" },
	{ "dst", "destination" }, { "dest", "destination" },
	{ "tz", "timezone" }, { "expr", "expression" },
	{ "temp", "temperature" }, { "param", "parameter" },
	{ "config", "configuration" } };

/*
 * Names that authors of tools use for the same thing; "from" and "to" may be of
 * time, of place or of people.
 */
static const char *const alike_meanings[] = {
	" q query search searchquery searchterm term text keyword keywords ",
	" path file filename filepath source ",
	" dir directory folder path root ",
	" limit max maxresults maxitems maxcount count n num size top first "
	"take perpage pagesize ",
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

#define NEAR_COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The words of a name, in lower case: perPage has per and page. */
struct alike_words {
	char list[NEAR_WORDS_MAX][ARGUMENTS_NAME_MAX + 1];
	size_t count;
};

void
alike_begin(struct alike *alike, const char *name, int parameters)
{
	memset(alike, 0, sizeof(*alike));
	alike->parameters = parameters;
	if (strlen(name) <= ARGUMENTS_NAME_MAX)
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
	char word[ARGUMENTS_NAME_MAX + 3];

	snprintf(word, sizeof(word), " %s ", plain);
	return strstr(meaning, word) != NULL;
}

/* Whether both names, without marks, mean the same to authors of tools. */
static int
alike_is_meant(const char *one, const char *other)
{
	size_t n;

	for (n = 0; n < NEAR_COUNT(alike_meanings); n++)
		if (alike_means(alike_meanings[n], one) &&
		    alike_means(alike_meanings[n], other))
			return 1;
	return 0;
}

/* Returns how many bytes at the front are one word; 0: none begins here. */
static size_t
alike_word_len(const char *name)
{
	static const char *const kinds[] = { "abcdefghijklmnopqrstuvwxyz",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789" };
	size_t upper = strspn(name, kinds[1]), lower;

	if (upper > 1)
		return upper;
	lower = strspn(name + upper, kinds[0]);
	return upper + lower > 0 ? upper + lower : strspn(name, kinds[2]);
}

static void
alike_add_word(struct alike_words *words, const char *word, size_t len)
{
	char *copy = words->list[words->count++];
	size_t n;

	for (n = 0; n < len; n++)
		copy[n] = (char)tolower((unsigned char)word[n]);
	copy[len] = '\0';
	for (n = 0; n < NEAR_COUNT(alike_short); n++)
		if (strcmp(copy, alike_short[n][0]) == 0)
			snprintf(copy, sizeof(words->list[0]), "%s",
			    alike_short[n][1]);
}

static void
alike_split(const char *name, struct alike_words *words)
{
	size_t len;

	words->count = 0;
	while (*name != '\0' && words->count < NEAR_WORDS_MAX) {
		len = alike_word_len(name);
		if (len > 0)
			alike_add_word(words, name, len);
		name += len > 0 ? len : 1;
	}
}

/* Whether all of these words are among the others. */
static int
alike_within(const struct alike_words *words, const struct alike_words *others)
{
	size_t n, m;

	for (n = 0; n < words->count; n++) {
		for (m = 0; m < others->count; m++)
			if (strcmp(words->list[n], others->list[m]) == 0)
				break;
		if (m == others->count)
			return 0;
	}
	return words->count > 0;
}

/* Whether one begins the other, or all words of one are in the other. */
static int
alike_is_part(const char *name, const char *known)
{
	char one[ARGUMENTS_NAME_MAX + 1], other[ARGUMENTS_NAME_MAX + 1];
	struct alike_words words, others;
	size_t len;

	alike_plain(name, one);
	alike_plain(known, other);
	len = strlen(one) < strlen(other) ? strlen(one) : strlen(other);
	if (len >= NEAR_BEGINNING_MIN && strncmp(one, other, len) == 0)
		return 1;
	alike_split(name, &words);
	alike_split(known, &others);
	return alike_within(&words, &others) || alike_within(&others, &words);
}

/*
 * Returns how alike two names are but for case, in hundredths: twice the
 * characters that they have in common, in order, of all.
 */
static size_t
alike_score(const char *one, const char *other)
{
	size_t row[ARGUMENTS_NAME_MAX + 1] = { 0 }, before, above, m;
	size_t len = strlen(other), all = strlen(one) + len;

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
	return all == 0 ? 0 : 200 * row[len] / all;
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

	if (alike->nspelled < ARGUMENTS_NEAR_MAX)
		alike->nspelled++;
	else if (alike->spelled[ARGUMENTS_NEAR_MAX - 1].score >= score)
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
	char one[ARGUMENTS_NAME_MAX + 1], other[ARGUMENTS_NAME_MAX + 1];
	size_t score, len = strlen(known);

	if (alike->name[0] == '\0' || len == 0 || len > ARGUMENTS_NAME_MAX ||
	    !schema_spend(schema, (len + 8) * (strlen(alike->name) + 8)))
		return;
	alike_plain(alike->name, one);
	alike_plain(known, other);
	if (alike->parameters && alike_is_meant(one, other) &&
	    alike->nmeant++ == 0)
		alike_keep(&alike->meant, known, 0);
	if (alike_is_part(alike->name, known) && alike->nparts++ == 0)
		alike_keep(&alike->part, known, 0);
	score = alike_score(alike->name, known);
	if (score >= 60)
		alike_keep_spelled(alike, known, score);
}

const char *
alike_name(const struct alike *alike, size_t n)
{
	const char *names[2 + ARGUMENTS_NEAR_MAX];
	size_t count = 0, m;

	if (alike->nmeant == 1)
		names[count++] = alike->meant.text;
	if (alike->nparts == 1)
		names[count++] = alike->part.text;
	for (m = 0; m < alike->nspelled; m++)
		names[count++] = alike->spelled[m].text;
	return n < count && n < ARGUMENTS_NEAR_MAX ? names[n] : NULL;
}
