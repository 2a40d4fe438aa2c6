/*
 * The answer of heading, which is printed. Runs in the supervisor.
 */
#include <stdio.h>

#include "supervisor/handlers.h"

void
supervisor_on_line_is(struct event_base *base, struct ipc_line_is *is)
{
	puts(is->heading ? "a heading" : "a line of text");
	event_base_loopbreak(base);
}
