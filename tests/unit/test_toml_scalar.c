/*
 * Tests of worker/reader/toml_scalar: what is a number, what a date, and what
 * is neither.
 */
#include <string.h>

#include "unit.h"
#include "worker/reader/toml_scalar.h"

static const char *const numbers[] = { "0", "+0", "-0", "1", "-17", "1_000",
	"0xDEAD_beef", "0o755", "0b1101_0", "1.0", "3.14_15", "-0.01", "5e+22",
	"1e06", "-2E-2", "6.626e-34", "inf", "+inf", "-inf", "nan", "-nan",
	"9223372036854775808", "1e1_0" };

static const char *const dates[] = { "1979-05-27", "1979-05-27T07:32:00",
	"1979-05-27 07:32:00Z", "1979-05-27t00:32:00.999999-07:00",
	"2000-02-29", "2024-02-29", "07:32:00", "23:59:60", "00:00:00.5",
	"1987-07-05T17:45:00z", "1987-07-05T17:45:00+23:59" };

static const char *const neither[] = { "", "-", "+", "_", "01", "-01", "1_",
	"_1", "1__0", "1.", ".5", "1.e5", "1._5", "1.5_", "1e", "1e_5", "e5",
	"0x", "0xG", "-0x1", "+0b1", "0X1", "0o8", "0b2", "0x_1", "0x1_",
	"infinity", "Inf", "nan0", "1 2", "--1", "true", "1979-5-27",
	"1979-13-01", "1979-00-01", "1979-05-00", "1979-04-31", "1979-02-29",
	"1900-02-29", "1979-05-27T", "1979-05-27 ", "1979-05-27T24:00:00",
	"1979-05-27T07:60:00", "1979-05-27T07:32", "1979-05-27T07:32:61",
	"1979-05-27T07:32:00.", "1979-05-27T07:32:00+", "24:00:00",
	"1979-05-27T07:32:00+01:00Z", "07:32:00Z", "07:32", "7:32:00",
	"1979-05-27X07:32:00", "19790-05-27", "1979-05-27T07:32:00+24:00" };

/* Exact, so that ASan sees a byte too far. */
static int
is(int (*what)(const char *text, size_t len), const char *text)
{
	size_t len = strlen(text);
	char *exact = malloc(len + 1);
	int found;

	memcpy(exact + 1, text, len);
	found = what(exact + 1, len);
	free(exact);
	return found;
}

UNIT_TESTS(recognises_numbers, UNIT_COUNT(numbers))
{
	ck_assert(is(toml_scalar_is_number, numbers[_i]));
	ck_assert(!is(toml_scalar_is_date, numbers[_i]));
}

UNIT_TESTS(recognises_dates, UNIT_COUNT(dates))
{
	ck_assert(is(toml_scalar_is_date, dates[_i]));
	ck_assert(!is(toml_scalar_is_number, dates[_i]));
}

UNIT_TESTS(recognises_other_types, UNIT_COUNT(neither))
{
	ck_assert(!is(toml_scalar_is_date, neither[_i]));
	ck_assert(!is(toml_scalar_is_number, neither[_i]));
}
