/*
 * Numbers, dates and times: see toml_scalar.h. Runs in the reader, on hostile
 * bytes.
 */
#include <ctype.h>
#include <string.h>

#include "toml_scalar.h"

/* The rest of a text. */
struct scalar {
	const char *p;
	const char *end;
};

static int
scalar_has(const struct scalar *s, const char *any)
{
	return s->p < s->end && *s->p != '\0' && strchr(any, *s->p) != NULL;
}

/* Consumes one of these bytes; returns whether there was one. */
static int
scalar_take(struct scalar *s, const char *any)
{
	if (!scalar_has(s, any))
		return 0;
	s->p++;
	return 1;
}

/* Consumes a word; returns whether it was there. */
static int
scalar_take_word(struct scalar *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
		return 0;
	s->p += len;
	return 1;
}

/* Numbers */

/* Consumes digits, with single underscores between them. */
static int
scalar_take_digits(struct scalar *s, const char *digits)
{
	if (!scalar_take(s, digits))
		return 0;
	for (;;) {
		if (scalar_take(s, "_") && !scalar_has(s, digits))
			return 0;
		if (!scalar_take(s, digits))
			return 1;
	}
}

/* In another base: after 0x, 0o or 0b. */
static int
scalar_is_based(struct scalar *s)
{
	if (scalar_take_word(s, "0x"))
		return scalar_take_digits(s, "0123456789abcdefABCDEF");
	if (scalar_take_word(s, "0o"))
		return scalar_take_digits(s, "01234567");
	return scalar_take_word(s, "0b") && scalar_take_digits(s, "01");
}

int
toml_scalar_is_number(const char *text, size_t len)
{
	struct scalar s = { text, text + len };
	struct scalar based = s;

	if (scalar_is_based(&based))
		return based.p == based.end;
	scalar_take(&s, "+-");
	if (scalar_take_word(&s, "inf") || scalar_take_word(&s, "nan"))
		return s.p == s.end;
	if (!scalar_take(&s, "0") && !scalar_take_digits(&s, "0123456789"))
		return 0;
	if (scalar_take(&s, ".") && !scalar_take_digits(&s, "0123456789"))
		return 0;
	if (scalar_take(&s, "eE")) {
		scalar_take(&s, "+-");
		if (!scalar_take_digits(&s, "0123456789"))
			return 0;
	}
	return s.p == s.end;
}

/* Dates and times */

/* Consumes exactly this many digits; returns their value, or -1. */
static int
scalar_take_number(struct scalar *s, int digits)
{
	int number = 0;

	for (; digits > 0; digits--) {
		if (!scalar_has(s, "0123456789"))
			return -1;
		number = number * 10 + *s->p++ - '0';
	}
	return number;
}

static int
scalar_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && leap ? 29 : days[month - 1];
}

static int
scalar_take_day(struct scalar *s)
{
	int month, day, year = scalar_take_number(s, 4);

	if (year < 0 || !scalar_take(s, "-"))
		return 0;
	month = scalar_take_number(s, 2);
	if (month < 1 || month > 12 || !scalar_take(s, "-"))
		return 0;
	day = scalar_take_number(s, 2);
	return day >= 1 && day <= scalar_days(year, month);
}

/* Hours and minutes. */
static int
scalar_take_clock(struct scalar *s)
{
	int minute, hour = scalar_take_number(s, 2);

	if (hour < 0 || hour > 23 || !scalar_take(s, ":"))
		return 0;
	minute = scalar_take_number(s, 2);
	return minute >= 0 && minute <= 59;
}

static int
scalar_take_time(struct scalar *s)
{
	int second;

	if (!scalar_take_clock(s) || !scalar_take(s, ":"))
		return 0;
	second = scalar_take_number(s, 2);
	if (second < 0 || second > 60) /* 60 in a leap second */
		return 0;
	if (!scalar_take(s, "."))
		return 1;
	if (!scalar_take(s, "0123456789"))
		return 0;
	while (scalar_take(s, "0123456789"))
		;
	return 1;
}

int
toml_scalar_is_date(const char *text, size_t len)
{
	struct scalar s = { text, text + len };
	struct scalar time = s;

	if (scalar_take_time(&time))
		return time.p == time.end;
	if (!scalar_take_day(&s))
		return 0;
	if (s.p == s.end)
		return 1;
	if (!scalar_take(&s, "Tt ") || !scalar_take_time(&s))
		return 0;
	if (scalar_take(&s, "+-"))
		return scalar_take_clock(&s) && s.p == s.end;
	scalar_take(&s, "Zz");
	return s.p == s.end;
}

static size_t
toml_scalar_plain_word(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && strchr(" \t\r\n#,]}", text[n]) == NULL)
		n++;
	return n;
}

size_t
toml_scalar_word(const char *text, size_t len)
{
	size_t n = toml_scalar_plain_word(text, len);

	if (n == 10 && toml_scalar_is_date(text, n) && n + 1 < len &&
	    text[n] == ' ' && isdigit((unsigned char)text[n + 1]))
		n += 1 + toml_scalar_plain_word(text + n + 1, len - n - 1);
	return n;
}
