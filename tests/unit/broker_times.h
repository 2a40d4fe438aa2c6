/*
 * Included before everything else of the broker that the tests link: its
 * longest times and its largest number, made smaller.
 */
#ifndef TESTS_UNIT_BROKER_TIMES_H
#define TESTS_UNIT_BROKER_TIMES_H

#include "common/limits.h"

#undef SERVER_WAIT_MS
#define SERVER_WAIT_MS 3000
#undef SERVER_START_MS
#define SERVER_START_MS 6000
#undef TOOL_LISTS_WAIT_MS
#define TOOL_LISTS_WAIT_MS 500
#undef SERVER_RENEWAL_MS
#define SERVER_RENEWAL_MS 1500

#undef TOOL_PROGRESS_FACTOR
#define TOOL_PROGRESS_FACTOR 3

#undef SERVER_WAITING_MAX
#define SERVER_WAITING_MAX 200

#endif
