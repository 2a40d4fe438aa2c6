/*
 * caisson heading LINE: has heading read it. Runs in the supervisor.
 */
#include "supervisor/command/shared/command.h"
#include "supervisor/options/options.h"
#include "supervisor/process/process.h"

int
heading_run(struct command_setup *setup, struct err *err)
{
	struct channel_ends ends = worker_ends(ROLE_HEADING, NULL, setup->base);
	struct ipc_line line = { .text = setup->options->command.operand };
	struct channel *channel =
	    worker_start(setup->base, &ends, 1, 0, -1, &(int){ -1 }, err);

	if (channel == NULL || channel_send_line(channel, &line, err) == -1)
		return -1;
	event_base_dispatch(setup->base);
	return !event_base_got_break(setup->base);
}
