/*
 * Progress notifications of a call, whose numbers increase. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_TOOL_PROGRESS_H
#define SUPERVISOR_TOOL_PROGRESS_H

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../box/shared/progress.h"

/* All zeroes: the client did not ask for progress. */
struct tool_progress {
	char *token; /* as received; NULL: no progress */
	uint64_t told; /* the last progress sent, and 1 */
	unsigned int shown; /* how often the output so far was sent */
};

/* Reads the token of a request, if it has one. */
void tool_progress_read(
    struct tool_progress *progress, struct json_span params);

/* Frees its fields. */
void tool_progress_reset(struct tool_progress *progress);

/*
 * Appends the params of the notification for a report. Returns whether there is
 * one.
 */
int tool_progress_add(struct tool_progress *progress,
    const struct box_progress *report, struct buffer *params);

#endif
