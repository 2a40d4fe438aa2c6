/*
 * Tests of supervisor/door/http/guesses: the first wrong tokens of an address
 * have no consequence, later ones make it wait longer and longer, and only it.
 */
#include <stdio.h>

#include "common/limits.h"
#include "supervisor/door/http/guesses.h"
#include "tests/unit/unit.h"

#define NOW 1000000ULL

static struct guesses *guesses;

static void
enter(void)
{
	guesses = guesses_new();
}

static void
leave(void)
{
	guesses_free(&guesses);
}

/* Notes so many; returns the seconds to wait then. */
static unsigned int
guess(const char *address, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		guesses_note(guesses, address, NOW);
	return guesses_wait(guesses, address, NOW);
}

UNIT_TEST(the_first_ones_are_free)
{
	ck_assert_uint_eq(guesses_wait(guesses, "192.0.2.1", NOW), 0);
	ck_assert_uint_eq(guess("192.0.2.1", GUESSES_FREE - 1), 0);
	ck_assert_uint_eq(guess("192.0.2.1", 1), 1);
}

UNIT_TEST(the_pause_doubles_up_to_a_limit)
{
	unsigned int i, last = guess("192.0.2.1", GUESSES_FREE);

	for (i = 1; i < GUESSES_DOUBLINGS; i++) {
		ck_assert_uint_eq(guess("192.0.2.1", 1), 2 * last);
		last *= 2;
	}
	ck_assert_uint_eq(guess("192.0.2.1", 100), GUESSES_PAUSE_MAX_MS / 1000);
}

UNIT_TEST(a_pause_ends)
{
	ck_assert_uint_eq(guess("192.0.2.1", GUESSES_FREE), 1);
	ck_assert_uint_eq(
	    guesses_wait(guesses, "192.0.2.1", NOW + GUESSES_PAUSE_MS), 0);
}

UNIT_TEST(they_are_forgotten)
{
	guess("192.0.2.1", GUESSES_FREE + 3);
	ck_assert_uint_eq(guesses_note(guesses, "192.0.2.1",
	                      NOW + GUESSES_FORGET_MS + 1), 1);
}

UNIT_TEST(other_addresses_do_not_wait)
{
	guess("192.0.2.1", 100);
	ck_assert_uint_eq(guesses_wait(guesses, "192.0.2.2", NOW), 0);
	ck_assert_uint_eq(guesses_wait(guesses, "user 1", NOW), 0);
}

UNIT_TEST(a_network_of_ipv6_is_one)
{
	guess("2001:db8::1", GUESSES_FREE);
	ck_assert_uint_eq(guesses_wait(guesses, "2001:db8::ffff:1", NOW), 1);
	ck_assert_uint_eq(guesses_wait(guesses, "2001:db8:0:1::1", NOW), 0);
	guess("::ffff:192.0.2.1", GUESSES_FREE);
	ck_assert_uint_eq(guesses_wait(guesses, "::ffff:192.0.2.2", NOW), 0);
}

UNIT_TEST(the_table_does_not_grow)
{
	char address[HTTP_ADDRESS_MAX + 1];
	unsigned int i;

	for (i = 0; i < 3 * GUESSES_MAX; i++) {
		snprintf(address, sizeof(address), "10.0.%u.%u", i / 256,
		    i % 256);
		guesses_note(guesses, address, NOW + i);
	}
	/* The last ones are known. */
	ck_assert_uint_eq(guesses_note(guesses, address, NOW + i), 2);
}

UNIT_FIXTURE(enter, leave)
