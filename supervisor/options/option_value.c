/*
 * Values of options: see option_value.h. Runs in the supervisor; looks at
 * text, opens and changes nothing.
 */
#include <string.h>
#include <strings.h>

#include "../../common/limits.h"
#include "../../common/base/utf8.h"
#include "option_name.h"
#include "option_value.h"

struct option_unit {
	char letter; /* lower case; '\0' ends the list */
	uint64_t factor;
};

static const struct option_unit option_value_times[] = {
	{ 's', 1 },
	{ 'm', 60 },
	{ 'h', 3600 },
	{ '\0', 0 },
};

static const struct option_unit option_value_sizes[] = {
	{ 'k', 1UL << 10 },
	{ 'm', 1UL << 20 },
	{ 'g', 1UL << 30 },
	{ 't', 1UL << 40 },
	{ '\0', 0 },
};

#define OPTION_VALUE_AUTO "auto"
#define OPTION_VALUE_ALL "all"

static const struct option_unit option_value_plain[] = { { '\0', 0 } };

/* Returns the units of numbers of this kind. */
static const struct option_unit *
option_value_units(enum option_kind kind)
{
	switch (kind) {
	case OPTION_KIND_SECONDS:
		return option_value_times;
	case OPTION_KIND_SIZE:
		return option_value_sizes;
	default:
		return option_value_plain;
	}
}

/* Returns whether a unit of sizes ends here, as in 512m, 512MB and 512MiB. */
static int
option_value_ends_size(const char *end)
{
	return *end == '\0' || strcasecmp(end, "b") == 0 ||
	    strcasecmp(end, "ib") == 0;
}

/* Returns the factor of a unit, 1 for none, 0 for an unknown one. */
static uint64_t
option_value_factor(const struct option_unit *units, const char *unit)
{
	char letter = unit[0];

	if (letter == '\0' || (units == option_value_sizes &&
	        strcasecmp(unit, "b") == 0))
		return 1;
	if (units == option_value_sizes ? !option_value_ends_size(unit + 1) :
	                                  unit[1] != '\0')
		return 0;
	for (; units->letter != '\0'; units++)
		if (letter == units->letter ||
		    letter == units->letter - 'a' + 'A')
			return units->factor;
	return 0;
}

/* Parses digits and at most one unit. */
static int
option_value_number(
    const struct option_unit *units, const char *text, uint64_t *number)
{
	const char *p = text;
	uint64_t factor;

	*number = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, *p - '0', number))
			return -1;
	if (p == text)
		return -1;
	factor = option_value_factor(units, p);
	if (factor == 0 || __builtin_mul_overflow(*number, factor, number))
		return -1;
	return 0;
}

/* Parses an integer, or a number with one or two decimals. */
static int
option_value_share(const char *text, uint64_t *number)
{
	size_t whole = strspn(text, "0123456789");
	const char *part = text + whole;
	size_t digits = *part == '.' ? strspn(part + 1, "0123456789") : 0;
	size_t i;

	if (whole == 0 || whole > OPTION_SHARE_DIGITS || digits > 2 ||
	    (*part == '.' && digits == 0) ||
	    part[*part == '.' ? digits + 1 : 0] != '\0')
		return -1;
	*number = 0;
	for (i = 0; i < whole; i++)
		*number = *number * 10 + (uint64_t)(text[i] - '0');
	for (i = 1; i <= 2; i++)
		*number = *number * 10 +
		    (i <= digits ? (uint64_t)(part[i] - '0') : 0);
	return 0;
}

/* Finds the word in a list whose last one is NULL. */
static int
option_value_word(
    const char *const *words, const char *text, uint64_t *number)
{
	for (*number = 0; words[*number] != NULL; (*number)++)
		if (strcasecmp(words[*number], text) == 0)
			return 0;
	return -1;
}

/* Returns our name for a value with another name in other programs. */
static const char *
option_value_known(const char *text)
{
	static const struct {
		const char *other;
		const char *ours;
	} words[] = { { "warning", "warn" }, { "critical", "error" },
		{ "fatal", "error" } };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i].other) == 0)
			return words[i].ours;
	return text;
}

/* Parses comma-separated words of the list as a set of bits. */
static int
option_value_words(
    const char *const *words, const char *text, uint64_t *number)
{
	size_t i, len;

	if (strcasecmp(text, OPTION_VALUE_ALL) == 0) {
		for (*number = i = 0; words[i] != NULL; i++)
			*number |= UINT64_C(1) << i;
		return 0;
	}
	for (*number = 0;; text += len + 1) {
		len = strcspn(text, ",");
		for (i = 0; words[i] != NULL; i++)
			if (strlen(words[i]) == len &&
			    strncasecmp(words[i], text, len) == 0)
				break;
		if (words[i] == NULL)
			return -1;
		*number |= UINT64_C(1) << i;
		if (text[len] == '\0')
			return 0;
	}
}

static int
option_value_switch(const char *text, uint64_t *number)
{
	static const char *const words[] = { "off", "on", "false", "true",
		"0", "1", "no", "yes", NULL };

	if (option_value_word(words, text, number) == -1)
		return -1;
	*number %= 2;
	return 0;
}

static int
option_value_path(enum option_kind kind, const char *text, uint64_t *number)
{
	*number = strlen(text);
	if (*number > 0 && text[0] != '/' && kind == OPTION_KIND_PATH)
		return -1;
	/* It is sent to workers as text of the catalogue. */
	return utf8_valid(text, *number) ? 0 : -1;
}

static int
option_value_auto(const char *text, uint64_t *number)
{
	*number = OPTION_AUTO;
	return strcasecmp(text, OPTION_VALUE_AUTO);
}

/* Parses a word of the list, or an absolute path. */
static int
option_value_program(
    const char *const *words, const char *text, uint64_t *number)
{
	return option_value_word(words, text, number) == 0 ||
	        (text[0] == '/' && strlen(text) <= OPTION_PATH_MAX &&
	            utf8_valid(text, strlen(text))) ? 0 : -1;
}

int
option_value_parse(
    const struct option_row *row, const char *text, uint64_t *number)
{
	if (row->kind == OPTION_KIND_AUTO &&
	    option_value_auto(text, number) == 0)
		return 0;
	switch (row->kind) {
	case OPTION_KIND_CHOICE:
		return option_value_word(
		    row->words, option_value_known(text), number);
	case OPTION_KIND_WORDS:
		return option_value_words(row->words, text, number);
	case OPTION_KIND_SWITCH:
		return option_value_switch(text, number);
	case OPTION_KIND_PATH:
	case OPTION_KIND_FILE:
		if (option_value_path(row->kind, text, number) == -1)
			return -1;
		break;
	case OPTION_KIND_PROGRAM:
		return option_value_program(row->words, text, number);
	case OPTION_KIND_NAME:
		return option_name_parse(text, row->most, number);
	case OPTION_KIND_USER:
		return option_user_parse(text, number);
	case OPTION_KIND_NAMES:
		if (option_names_parse(text, number) == -1)
			return -1;
		break;
	case OPTION_KIND_SOCKETS:
	case OPTION_KIND_HOSTS:
	case OPTION_KIND_ORIGINS:
	case OPTION_KIND_ADDRESS:
		if (option_network_parse(row->kind, text, number) == -1)
			return -1;
		break;
	case OPTION_KIND_SHARE:
		if (option_value_share(text, number) == -1)
			return -1;
		break;
	default:
		if (option_value_number(option_value_units(row->kind), text,
		        number) == -1)
			return -1;
		break;
	}
	return *number >= row->least && *number <= row->most ? 0 : -1;
}

/* In the form that is parsed, without trailing zeroes. */
static void
option_value_add_share(struct buffer *buffer, uint64_t number)
{
	unsigned int part = (unsigned int)(number % 100);

	buffer_printf(buffer, "%llu", (unsigned long long)(number / 100));
	if (part % 10 != 0)
		buffer_printf(buffer, ".%02u", part);
	else if (part != 0)
		buffer_printf(buffer, ".%u", part / 10);
}

static void
option_value_add_set(
    struct buffer *buffer, const char *const *words, uint64_t number)
{
	const char *comma = "";
	size_t i;

	for (i = 0; words[i] != NULL; i++) {
		if ((number & UINT64_C(1) << i) == 0)
			continue;
		buffer_printf(buffer, "%s%s", comma, words[i]);
		comma = ",";
	}
}

void
option_value_add(
    struct buffer *buffer, const struct option_row *row, uint64_t number)
{
	const struct option_unit *unit, *best = NULL;

	if (row->kind == OPTION_KIND_CHOICE) {
		buffer_add_text(buffer, row->words[number]);
		return;
	}
	if (row->kind == OPTION_KIND_WORDS) {
		option_value_add_set(buffer, row->words, number);
		return;
	}
	if (row->kind == OPTION_KIND_SWITCH) {
		buffer_add_text(buffer, number ? "on" : "off");
		return;
	}
	if (row->kind == OPTION_KIND_SHARE) {
		option_value_add_share(buffer, number);
		return;
	}
	if (row->kind == OPTION_KIND_AUTO && number == OPTION_AUTO) {
		buffer_add_text(buffer, OPTION_VALUE_AUTO);
		return;
	}
	for (unit = option_value_units(row->kind); unit->letter != '\0'; unit++)
		if (number > 0 && number % unit->factor == 0)
			best = unit;
	if (best == NULL)
		buffer_printf(buffer, "%llu", (unsigned long long)number);
	else
		buffer_printf(buffer, "%llu%c",
		    (unsigned long long)(number / best->factor), best->letter);
}

static void
option_value_add_words(
    struct buffer *buffer, const char *lead, const char *const *words)
{
	size_t i;

	if (words[1] != NULL)
		buffer_add_text(buffer, lead);
	for (i = 0; words[i] != NULL; i++) {
		if (i > 0)
			buffer_add_text(buffer, ", ");
		buffer_add_text(buffer, words[i]);
	}
}

static void
option_value_add_range(struct buffer *buffer, const struct option_row *row)
{
	buffer_add_text(buffer, " from ");
	option_value_add(buffer, row, row->least);
	buffer_add_text(buffer, " to ");
	option_value_add(buffer, row, row->most);
}

void
option_value_add_allowed(struct buffer *buffer, const struct option_row *row)
{
	switch (row->kind) {
	case OPTION_KIND_SECONDS:
		buffer_add_text(buffer, "a time");
		option_value_add_range(buffer, row);
		break;
	case OPTION_KIND_SIZE:
		buffer_add_text(buffer, "a size");
		option_value_add_range(buffer, row);
		break;
	case OPTION_KIND_COUNT:
		buffer_add_text(buffer, "a whole number");
		option_value_add_range(buffer, row);
		break;
	case OPTION_KIND_AUTO:
		buffer_add_text(
		    buffer, OPTION_VALUE_AUTO " or a whole number");
		option_value_add_range(buffer, row);
		break;
	case OPTION_KIND_SHARE:
		buffer_add_text(
		    buffer, "a number of at most two decimal places");
		option_value_add_range(buffer, row);
		break;
	case OPTION_KIND_CHOICE:
		option_value_add_words(buffer, "one of ", row->words);
		break;
	case OPTION_KIND_WORDS:
		option_value_add_words(buffer,
		    OPTION_VALUE_ALL ", or one or several, with "
		    "commas between them, of ",
		    row->words);
		break;
	case OPTION_KIND_PATH:
	case OPTION_KIND_FILE:
		buffer_printf(buffer, "%s path (UTF-8, at most %llu bytes)%s",
		    row->kind == OPTION_KIND_PATH ? "an absolute" : "a",
		    (unsigned long long)row->most,
		    row->least == 0 ? " or nothing" : "");
		break;
	case OPTION_KIND_NAMES:
		buffer_printf(buffer, "names of modules with commas between "
		    "them (at most %llu bytes)%s",
		    (unsigned long long)row->most,
		    row->least == 0 ? " or nothing" : "");
		break;
	case OPTION_KIND_PROGRAM:
		option_value_add_words(buffer, "one of ", row->words);
		buffer_add_text(buffer, ", or an absolute path");
		break;
	case OPTION_KIND_SWITCH:
		buffer_add_text(buffer, "on or off");
		break;
	default:
		option_name_add_allowed(buffer, row);
		break;
	}
}

void
option_value_add_examples(struct buffer *buffer, const struct option_row *row)
{
	static const char *const examples[] = {
		[OPTION_KIND_SECONDS] = "30, 30s, 2m or 1h",
		[OPTION_KIND_SIZE] = "65536, 64k, 512m or 1g",
		[OPTION_KIND_SHARE] = "2, 1.5 or 0.25",
		[OPTION_KIND_NAMES] = "json,numpy",
		[OPTION_KIND_SOCKETS] = "127.0.0.1:8080 or [::1]:8080",
		[OPTION_KIND_HOSTS] = "mcp.example.org",
		[OPTION_KIND_ORIGINS] = "https://example.org",
		[OPTION_KIND_ADDRESS] = "127.0.0.1",
		[OPTION_KIND_SWITCH] = NULL,
	};

	if (examples[row->kind] != NULL)
		buffer_printf(buffer, ", such as %s", examples[row->kind]);
}
