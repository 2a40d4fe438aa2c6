/*
 * The marks at the start and at the end of the output of a box without a
 * bootstrap: see common/process_one.h. They may come in several reads. Runs in
 * the relay.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "relay.h"

static const char begun_marks[] = BEGUN_MARK BEGUN_FAILED_MARK;

#define BEGUN_FIRST (sizeof(BEGUN_MARK) - 1)
#define BEGUN_BOTH (sizeof(begun_marks) - 1)

size_t
begun_take(struct begun_read *read, const char *data, size_t len)
{
	size_t n = 0;

	while (!read->over && n < len) {
		if (data[n] != begun_marks[read->matched]) {
			read->over = 1;
		} else {
			n++;
			read->over = ++read->matched == BEGUN_BOTH;
		}
	}
	return n;
}

enum begun
begun_state(const struct begun_read *read)
{
	return read->matched < BEGUN_FIRST ? BEGUN_NOT :
	    read->matched < BEGUN_BOTH ? BEGUN_CODE : BEGUN_FAILED;
}

const char *
begun_rest(const struct begun_read *read, size_t *len)
{
	enum begun state = begun_state(read);
	size_t whole = state == BEGUN_FAILED ? BEGUN_BOTH :
	    state == BEGUN_CODE ? BEGUN_FIRST : 0;

	*len = read->matched - whole;
	return begun_marks + whole;
}

/* Returns whether a byte continues what is held as an end. */
static int
begun_continues(const struct begun_read *read, char byte)
{
	size_t n = read->nheld;

	if (n < BEGUN_END_WORD)
		return (memcmp(read->held, BEGUN_EXIT, n) == 0 &&
		           byte == BEGUN_EXIT[n]) ||
		    (memcmp(read->held, BEGUN_SIGNAL, n) == 0 &&
		        byte == BEGUN_SIGNAL[n]);
	return n < BEGUN_END_LEN - 1 ? isdigit((unsigned char)byte) != 0 :
	                               n < BEGUN_END_LEN && byte == '\n';
}

int
begun_hold(struct begun_read *read, char byte)
{
	if (!begun_continues(read, byte))
		return 0;
	read->held[read->nheld++] = byte;
	return 1;
}

int
begun_end(const struct begun_read *read, struct relay_report *report)
{
	int killed = memcmp(read->held, BEGUN_SIGNAL, BEGUN_END_WORD) == 0;
	char digits[BEGUN_DIGITS + 1] = { 0 };
	unsigned long status;

	if (read->nheld < BEGUN_END_LEN)
		return 0;
	memcpy(digits, read->held + BEGUN_END_WORD, BEGUN_DIGITS);
	status = strtoul(digits, NULL, 10);
	if (status > (killed ? RELAY_SIGNAL_MAX : END_STATUS_MAX) ||
	    (killed && status == 0))
		return 0;
	report->end = killed ? RELAY_END_SIGNAL : RELAY_END_EXIT;
	report->status = status;
	return 1;
}
