/*
 * Included before everything else of the keeper that its test is linked with:
 * its clock stands still, but where an engine hangs, and it waits long.
 */
#ifndef TESTS_UNIT_KEEPER_TIMES_H
#define TESTS_UNIT_KEEPER_TIMES_H

#include <stdint.h>

#include "common/base/clock.h"
#include "common/limits.h"

/* Of test_keeper_container.c, the times in milliseconds. */
extern unsigned int play_client_ms, play_rest_ms;
uint64_t play_clock_ms(void);

#define clock_ms play_clock_ms
#undef KEEPER_CLIENT_MS
#define KEEPER_CLIENT_MS play_client_ms
#undef KEEPER_REST_MS
#define KEEPER_REST_MS play_rest_ms

#endif
