/*
 * Tests of common/clock: milliseconds that only grow, and as libevent takes
 * them.
 */
#include <time.h>

#include "common/clock.h"
#include "unit.h"

/* The milliseconds of the clock, to compare. */
static uint64_t
now(void)
{
	struct timespec time;

	ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &time), 0);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

START_TEST(is_monotonic)
{
	uint64_t before = now(), ms = clock_ms(), after = now();

	ck_assert_uint_ge(ms, before);
	ck_assert_uint_le(ms, after);
}
END_TEST

START_TEST(counts_milliseconds)
{
	const struct timespec pause = { 0, 20 * 1000 * 1000 };
	uint64_t began = clock_ms();

	ck_assert_int_eq(nanosleep(&pause, NULL), 0);
	/* One less: both readings are rounded down. */
	ck_assert_uint_ge(clock_ms() - began, 19);
}
END_TEST

START_TEST(splits_seconds)
{
	static const struct {
		uint64_t ms;
		time_t seconds;
		suseconds_t microseconds;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1, 0, 1000 },
		{ 999, 0, 999000 },
		{ 1000, 1, 0 },
		{ 86400001, 86400, 1000 },
		{ 5000000000999, 5000000000, 999000 },
	};
	struct timeval tv = clock_timeval(cases[_i].ms);

	ck_assert_int_eq(tv.tv_sec, cases[_i].seconds);
	ck_assert_int_eq(tv.tv_usec, cases[_i].microseconds);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, is_monotonic);
	tcase_add_test(tc, counts_milliseconds);
	tcase_add_loop_test(tc, splits_seconds, 0, 6);
}

int
main(void)
{
	return unit_run("clock", add);
}
