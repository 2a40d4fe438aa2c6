/*
 * What the supervisor asks, and the answer. Runs in heading.
 */
#include "common/base/log.h"
#include "common/worker/handlers.h"

void
heading_on_line(struct worker *heading, struct ipc_line *line)
{
	struct ipc_line_is is = { .heading = line->text[0] == '#' };
	struct err err;

	if (channel_send_line_is(heading->supervisor, &is, &err) == -1)
		fatal("cannot answer: %s", err.text);
}
