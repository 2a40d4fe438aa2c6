/*
 * The end of an event: see loop.h. Run by every process that has a loop, of
 * libevent or of event.c.
 */
#include "loop.h"

void
loop_event_free(struct event **event)
{
	if (*event != NULL)
		event_free(*event);
	*event = NULL;
}
