/* Time in milliseconds: see clock.h. Linked into every process. */
#include <time.h>

#include "clock.h"

uint64_t
clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct timeval
clock_timeval(uint64_t ms)
{
	return (struct timeval){ (time_t)(ms / 1000),
		(suseconds_t)(ms % 1000 * 1000) };
}
