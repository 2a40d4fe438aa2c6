/*
 * Included before everything else of the broker that the tests link: its times,
 * which a test whose matter they are makes short before it starts the broker,
 * and its largest number, made smaller.
 */
#ifndef TESTS_UNIT_BROKER_TIMES_H
#define TESTS_UNIT_BROKER_TIMES_H

#include "common/limits.h"

/* In milliseconds; of broker_times.c. */
extern int play_wait_ms, play_start_ms, play_lists_wait_ms, play_failed_ms;

#undef SERVER_WAIT_MS
#define SERVER_WAIT_MS play_wait_ms
#undef SERVER_START_MS
#define SERVER_START_MS play_start_ms
#undef TOOL_LISTS_WAIT_MS
#define TOOL_LISTS_WAIT_MS play_lists_wait_ms
#undef SERVER_PAUSE_FIRST_MS
#define SERVER_PAUSE_FIRST_MS play_failed_ms

/* So long that nothing is late where there is little time for us. */
#undef SERVER_END_WAIT_MS
#define SERVER_END_WAIT_MS 100000
#undef SERVER_LOOK_MS
#define SERVER_LOOK_MS 100000
#undef SERVER_PING_MS
#define SERVER_PING_MS 100000
#undef SERVER_RENEWAL_MS
#define SERVER_RENEWAL_MS 100000
#undef LISTING_SILENT_MS
#define LISTING_SILENT_MS 100000

#undef SERVER_WAITING_MAX
#define SERVER_WAITING_MAX 200

#endif
