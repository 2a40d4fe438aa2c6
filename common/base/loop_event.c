/*
 * Timers, and the end of an event: see loop.h. Run by every process that has a
 * loop, of libevent or of event.c.
 */
#include "clock.h"
#include "loop.h"

void
loop_set_timer(struct event *timer, uint64_t ms)
{
	const struct timeval tv = clock_timeval(ms);

	event_add(timer, &tv);
}

void
loop_event_free(struct event **event)
{
	if (*event != NULL)
		event_free(*event);
	*event = NULL;
}
