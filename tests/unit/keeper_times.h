/*
 * Included before everything else of the keeper that its test is linked with:
 * the times for which it waits, which are short only where they are to pass.
 */
#ifndef TESTS_UNIT_KEEPER_TIMES_H
#define TESTS_UNIT_KEEPER_TIMES_H

#include "common/limits.h"

/* In milliseconds; of test_keeper_container.c. */
extern unsigned int play_client_ms, play_rest_ms;

#undef KEEPER_CLIENT_MS
#define KEEPER_CLIENT_MS play_client_ms
#undef KEEPER_REST_MS
#define KEEPER_REST_MS play_rest_ms

#endif
