/*
 * The sentinels at the start and at the end of the output of a box without a
 * bootstrap: see common/process_one.h. They may come in several reads.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static const char process_one_starts[] = PROCESS_ONE_STARTED PROCESS_ONE_FAILED;

#define PROCESS_ONE_FIRST (sizeof(PROCESS_ONE_STARTED) - 1)
#define PROCESS_ONE_BOTH (sizeof(process_one_starts) - 1)

size_t
process_one_take(struct process_one *one, const char *data, size_t len)
{
	size_t n = 0;

	while (!one->over && n < len) {
		if (data[n] != process_one_starts[one->matched]) {
			one->over = true;
		} else {
			n++;
			one->over = ++one->matched == PROCESS_ONE_BOTH;
		}
	}
	return n;
}

enum begun
process_one_state(const struct process_one *one)
{
	return one->matched < PROCESS_ONE_FIRST ? BEGUN_NOT :
	    one->matched < PROCESS_ONE_BOTH ? BEGUN_CODE : BEGUN_FAILED;
}

const char *
process_one_rest(const struct process_one *one, size_t *len)
{
	enum begun state = process_one_state(one);
	size_t whole = state == BEGUN_FAILED ? PROCESS_ONE_BOTH :
	    state == BEGUN_CODE ? PROCESS_ONE_FIRST : 0;

	*len = one->matched - whole;
	return process_one_starts + whole;
}

/* The words of an end. */
static const char *const process_one_words[] = { PROCESS_ONE_EXIT,
	PROCESS_ONE_SIGNAL, PROCESS_ONE_MEMORY };

#define PROCESS_ONE_WORDS                                                      \
	(sizeof(process_one_words) / sizeof(process_one_words[0]))

_Static_assert(sizeof(PROCESS_ONE_SIGNAL) == sizeof(PROCESS_ONE_EXIT) &&
        sizeof(PROCESS_ONE_MEMORY) == sizeof(PROCESS_ONE_EXIT),
    "all words of an end have the same length");

/* Returns whether a byte continues what is held as the word of an end. */
static int
process_one_continues_word(const struct process_one *one, char byte)
{
	size_t n = one->nheld, i;

	for (i = 0; i < PROCESS_ONE_WORDS; i++)
		if (memcmp(one->held, process_one_words[i], n) == 0 &&
		    byte == process_one_words[i][n])
			return 1;
	return 0;
}

/* Returns whether a byte continues what is held as an end. */
static int
process_one_continues(const struct process_one *one, char byte)
{
	size_t n = one->nheld;

	if (n < PROCESS_ONE_END_WORD)
		return process_one_continues_word(one, byte);
	return n < PROCESS_ONE_END_LEN - 1 ? isdigit((unsigned char)byte) != 0 :
	                               n < PROCESS_ONE_END_LEN && byte == '\n';
}

int
process_one_hold(struct process_one *one, char byte)
{
	if (!process_one_continues(one, byte))
		return 0;
	one->held[one->nheld++] = byte;
	return 1;
}

static int
process_one_has(const struct process_one *one, const char *word)
{
	return memcmp(one->held, word, PROCESS_ONE_END_WORD) == 0;
}

int
process_one_end(const struct process_one *one, struct relay_report *report)
{
	int killed = !process_one_has(one, PROCESS_ONE_EXIT);
	char digits[PROCESS_ONE_DIGITS + 1] = { 0 };
	unsigned long status;

	if (one->nheld < PROCESS_ONE_END_LEN)
		return 0;
	memcpy(digits, one->held + PROCESS_ONE_END_WORD, PROCESS_ONE_DIGITS);
	status = strtoul(digits, NULL, 10);
	if (status > (killed ? RELAY_SIGNAL_MAX : END_STATUS_MAX) ||
	    (killed && status == 0))
		return 0;
	report->end = killed ? RELAY_END_SIGNAL : RELAY_END_EXIT;
	report->status = status;
	report->memory = process_one_has(one, PROCESS_ONE_MEMORY);
	return 1;
}
