/*
 * The answer of letters, which is printed. Runs in the supervisor.
 */
#include <stdio.h>

#include "supervisor/handlers.h"

void
supervisor_on_counted(struct event_base *base, struct ipc_counted *counted)
{
	printf("%d letters\n", (int)counted->letters);
	event_base_loopbreak(base);
}
