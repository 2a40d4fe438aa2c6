/*
 * Time in milliseconds: what it is, and as libevent takes it for its timers.
 * Used by every process that has a loop; pure but for reading the clock.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <sys/time.h>

/*
 * Returns the milliseconds of the monotonic clock, which begins at some time
 * in the past and is not changed when the time of day is.
 */
uint64_t clock_ms(void);

/* Returns so many milliseconds as event_add() takes them. */
struct timeval clock_timeval(uint64_t ms);

#endif
