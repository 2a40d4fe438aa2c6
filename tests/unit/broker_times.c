/*
 * The times of the broker that the tests link, where a test does not make them
 * short: so long that nothing is late where there is little time for us.
 */
#include "broker_times.h"

int play_wait_ms = 100000;
int play_start_ms = 100000;
int play_lists_wait_ms = 100000;
int play_failed_ms = 500;
