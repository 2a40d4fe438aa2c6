/*
 * Time in milliseconds: the current time, and the conversion for libevent
 * timers. Used by every process with a loop; its only effect is to read the
 * clock.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <sys/time.h>

/*
 * Returns the monotonic clock in milliseconds. Its zero is unspecified, and
 * setting the time of day does not change it.
 */
uint64_t clock_ms(void);

/* Converts milliseconds to the form that event_add() takes. */
struct timeval clock_timeval(uint64_t ms);

#endif
