/*
 * The marks at the start of the output of a box without a bootstrap: see
 * common/begun.h. They may come in several reads. Runs in the relay.
 */
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
