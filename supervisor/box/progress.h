/*
 * How far the code of one box says it is, from the relay to the call. Runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_PROGRESS_H
#define SUPERVISOR_PROGRESS_H

#include "../../common/ipc.h"

struct box_progress {
	int wanted;        /* the relay may tell it */
	int fresh;         /* it was told, and not looked at since */
	uint64_t since_ms; /* when the relay was asked for it */
	uint64_t count;    /* how often it was told */
	uint64_t done;     /* in thousandths */
	uint64_t total;    /* 0: unknown */
	char text[PROGRESS_TEXT_MAX + 1]; /* empty: none */
};

/* From now on it may be told, where it is wanted. */
void progress_begin(struct box_progress *progress, int wanted);

/*
 * Takes what a relay tells. Returns 0, or -1 with err when it must not tell
 * that: it was not asked, tells it too often, or no more than before.
 */
int progress_add(struct box_progress *progress,
    const struct ipc_progress *message, struct err *err);

#endif
