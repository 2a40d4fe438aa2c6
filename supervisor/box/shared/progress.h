/*
 * The progress that the code of one box reports, from the relay to the call.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_PROGRESS_H
#define SUPERVISOR_PROGRESS_H

#include <stdbool.h>

#include "../../../common/ipc/ipc.h"

struct box_progress {
	int wanted;        /* the relay may report it */
	bool fresh;         /* the last report was not read yet */
	uint64_t since_ms; /* when reports were allowed */
	uint64_t count;    /* number of reports */
	uint64_t done;     /* in thousandths */
	uint64_t total;    /* 0: unknown */
	char text[PROGRESS_TEXT_MAX + 1]; /* empty: none */
	/* The output so far, if that was reported last; else NULL. */
	char *output;
	size_t output_len;
	uint64_t outputs; /* number of these reports */
};

/* Frees its fields. */
void progress_reset(struct box_progress *progress);

/* Resets it; reports are allowed from now on if wanted is set. */
void progress_begin(struct box_progress *progress, int wanted);

/*
 * Stores a report of a relay. Returns 0, or -1 with err for a protocol
 * violation: a report that was not wanted, too early, or without progress.
 */
int progress_add(struct box_progress *progress,
    const struct ipc_progress *message, struct err *err);

/* The same for a report of the output so far. */
int progress_add_preview(struct box_progress *progress,
    const struct ipc_preview *message, struct err *err);

#endif
