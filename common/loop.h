/*
 * The event loop of a process: one libevent base, made in one place. Used by
 * every process that has one.
 */
#ifndef COMMON_LOOP_H
#define COMMON_LOOP_H

#include <event2/event.h>

/*
 * Returns a new loop that the caller frees with event_base_free. With
 * any_file set it can also wait for regular files and the like, which epoll
 * refuses ("caisson < file").
 */
struct event_base *loop_new(int any_file);

/* Frees an event that may be NULL and forgets it. */
void loop_event_free(struct event **event);

#endif
