/*
 * The event loop of a process: one libevent base, created in one place. Used by
 * every process that has a loop.
 */
#ifndef COMMON_LOOP_H
#define COMMON_LOOP_H

#include <event2/event.h>
#include <stdint.h>

/*
 * Returns a new loop, which the caller frees with event_base_free. If any_file
 * is set, it can also wait for regular files, which epoll refuses ("caisson <
 * file").
 */
struct event_base *loop_new(int any_file);

/* Has a timer run out after ms milliseconds, in place of an earlier time. */
void loop_set_timer(struct event *timer, uint64_t ms);

/* Frees an event, which may be NULL, and sets the pointer to NULL. */
void loop_event_free(struct event **event);

#endif
