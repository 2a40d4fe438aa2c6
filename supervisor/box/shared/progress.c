/*
 * The progress that the code of one box reports. It is checked again here,
 * because the relay parses bytes of the box.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "runtime.h"

void
progress_reset(struct box_progress *progress)
{
	free(mem_take(&progress->output));
	progress->output_len = 0;
}

void
progress_begin(struct box_progress *progress, int wanted)
{
	progress_reset(progress);
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
	progress_reset(progress);
	progress->count++;
	progress->fresh = true;
	progress->done = message->done;
	progress->total = message->total;
	snprintf(progress->text, sizeof(progress->text), "%s", message->text);
	return 0;
}

int
progress_add_preview(struct box_progress *progress,
    const struct ipc_preview *message, struct err *err)
{
	const char *text = (const char *)message->text.data;
	uint64_t most = 1 + (clock_ms() - progress->since_ms) / PREVIEW_MS;

	if (!progress->wanted)
		return err_set(err, "output that was not asked for");
	if (progress->outputs == most || progress->count > 0)
		return err_set(err, "output too often");
	if (!utf8_valid(text, message->text.len))
		return err_set(err, "output that is not UTF-8");
	progress_reset(progress);
	progress->output = mem_dup(text, message->text.len);
	progress->output_len = message->text.len;
	progress->outputs++;
	progress->fresh = true;
	return 0;
}
