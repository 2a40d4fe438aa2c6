/*
 * Figures of executions for operators, in the text format of Prometheus
 * (version 0.0.4): counted since the start, in memory only.
 */
#ifndef SUPERVISOR_FIGURES_H
#define SUPERVISOR_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"

struct call;
struct runs;

/* Why requests were refused before there was a call. */
enum figure_refusal {
	FIGURE_QUEUE, /* every place is taken, and as many calls wait as may */
	FIGURE_RATE,  /* a token sent too many, or used its time */
	FIGURE_TOKEN, /* a token that is none */
	FIGURE_REFUSALS
};

/* The times of a call that had a place. */
enum figure_time {
	FIGURE_WAIT,  /* for its place */
	FIGURE_START, /* then until its code runs */
	FIGURE_RUN,   /* then until it is concluded */
	FIGURE_TIMES
};

/* The calls of one owner in one language. */
struct figures_calls {
	char *owner; /* its name; empty: our user */
	const char *language; /* static */
	uint64_t ended[4]; /* by enum call_status */
};

/* All zeroes: nothing has happened yet. */
struct figures {
	struct figures_calls *calls; /* FIGURES_CALLS_MAX, then a few */
	size_t ncalls;
	struct {
		uint64_t within[FIGURES_BOUNDS]; /* of each bound, not below */
		uint64_t count;
		uint64_t sum_us;
	} times[FIGURE_TIMES];
	uint64_t refused[FIGURE_REFUSALS];
	uint64_t out_bytes; /* printed, as shown */
	uint64_t tool_calls;
	uint64_t files; /* that code has left */
	uint64_t file_bytes;
};

/* Counts a call that is being concluded. */
void figures_add_call(struct figures *figures, const struct call *call);

/* Frees its fields. */
void figures_reset(struct figures *figures);

/* Appends all figures, those of boxes and servers included. */
void figures_add_text(struct buffer *text, const struct runs *runs);

/*
 * Returns why no new call would get a box now, one sentence in a buffer of its
 * own, valid until the next call; NULL: it would.
 */
const char *figures_unready(const struct runs *runs);

#endif
