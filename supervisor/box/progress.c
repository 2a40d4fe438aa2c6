/*
 * The progress that the code of one box reports. It is checked again here,
 * because the relay parses bytes of the box. Runs in the supervisor.
 */
#include <stdio.h>
#include <string.h>

#include "../../common/clock.h"
#include "progress.h"

void
progress_begin(struct box_progress *progress, int wanted)
{
	memset(progress, 0, sizeof(*progress));
	progress->wanted = wanted;
	progress->since_ms = clock_ms();
}

int
progress_add(struct box_progress *progress,
    const struct ipc_progress *message, struct err *err)
{
	/* The first and the last report may come at once. */
	uint64_t most = 2 + PROGRESS_SPARE +
	    (clock_ms() - progress->since_ms) / PROGRESS_MS;

	if (!progress->wanted)
		return err_set(err, "progress that was not asked for");
	if (progress->count == most)
		return err_set(err, "progress too often");
	if (progress->count > 0 && message->done <= progress->done)
		return err_set(err, "malformed progress");
	progress->count++;
	progress->fresh = 1;
	progress->done = message->done;
	progress->total = message->total;
	snprintf(progress->text, sizeof(progress->text), "%s", message->text);
	return 0;
}
