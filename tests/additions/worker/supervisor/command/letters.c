/*
 * caisson letters TEXT: has letters count them. Runs in the supervisor.
 */
#include "supervisor/command/shared/command.h"
#include "supervisor/options/options.h"
#include "supervisor/process/process.h"

int
letters_run(struct command_setup *setup, struct err *err)
{
	struct channel_ends ends = worker_ends(ROLE_LETTERS, NULL, setup->base);
	struct ipc_count count = { .text = setup->options->command.operand };
	struct channel *channel =
	    worker_start(setup->base, &ends, 1, 0, -1, &(int){ -1 }, err);

	if (channel == NULL || channel_send_count(channel, &count, err) == -1)
		return -1;
	event_base_dispatch(setup->base);
	return !event_base_got_break(setup->base);
}
