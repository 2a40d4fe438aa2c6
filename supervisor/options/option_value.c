/*
 * Values of options: see option_value.h. Runs in the supervisor; looks at text,
 * opens and changes nothing.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/address.h"
#include "../../common/base/mem.h"
#include "../../common/limits.h"
#include "../../common/base/utf8.h"
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

/* What a user writes for a kind. */
enum option_form {
	OPTION_PLAIN, /* as it says */
	OPTION_RANGE, /* and from which to which number */
	OPTION_BYTES, /* and how long it may be */
	OPTION_LIST,  /* and one of the words of its row */
};

static const struct option_kind_row {
	const char *what; /* in the help */
	enum option_form form;
	const char *allowed;
	const char *example; /* NULL: it is obvious */
} option_kinds[] = {
	[OPTION_KIND_SECONDS] = { "TIME", OPTION_RANGE, "a time",
	    "30, 30s, 2m or 1h" },
	[OPTION_KIND_SIZE] = { "SIZE", OPTION_RANGE, "a size",
	    "65536, 64k, 512m or 1g" },
	[OPTION_KIND_COUNT] = { "NUMBER", OPTION_RANGE, "a whole number",
	    NULL },
	[OPTION_KIND_DAYS] = { "DAYS", OPTION_RANGE, "a number of days",
	    "30 or 30d" },
	[OPTION_KIND_AUTO] = { "auto|NUMBER", OPTION_RANGE,
	    OPTION_VALUE_AUTO " or a whole number", NULL },
	[OPTION_KIND_SHARE] = { "NUMBER", OPTION_RANGE,
	    "a number of at most two decimal places", "2, 1.5 or 0.25" },
	[OPTION_KIND_CHOICE] = { "WORD", OPTION_LIST, "one of ", NULL },
	[OPTION_KIND_WORDS] = { "WORDS", OPTION_LIST, OPTION_VALUE_ALL
	    ", or one or several, with commas between them, of ", NULL },
	[OPTION_KIND_PATH] = { "PATH", OPTION_BYTES,
	    "an absolute path (UTF-8, ", NULL },
	[OPTION_KIND_FILE] = { "PATH", OPTION_BYTES, "a path (UTF-8, ", NULL },
	[OPTION_KIND_PROGRAM] = { "WORD|PATH", OPTION_LIST, "one of ", NULL },
	[OPTION_KIND_NAME] = { "NAME", OPTION_BYTES,
	    "a name without blanks (UTF-8, ", NULL },
	[OPTION_KIND_USER] = { "UID:GID", OPTION_PLAIN, "two numbers from 1 "
	    "to 4294967294 with a colon between them", NULL },
	[OPTION_KIND_NAMES] = { "NAMES", OPTION_BYTES,
	    "names of modules with commas between them (", "json,numpy" },
	[OPTION_KIND_SOCKETS] = { "ADDRESS:PORT|unix:PATH", OPTION_PLAIN,
	    "ADDRESS:PORT or unix:PATH, or several with commas between them",
	    "127.0.0.1:8080 or [::1]:8080" },
	[OPTION_KIND_HOSTS] = { "NAME[:PORT]", OPTION_PLAIN,
	    "NAME or NAME:PORT, or several with commas between them, without "
	    "a scheme, a path or a wildcard", "mcp.example.org" },
	[OPTION_KIND_ORIGINS] = { "ORIGIN", OPTION_PLAIN,
	    "a scheme and a name, or several with commas between them, "
	    "without a path", "https://example.org" },
	[OPTION_KIND_LIMITS] = { "LANGUAGE:WORD", OPTION_PLAIN,
	    "LANGUAGE:WORD with strict, default or permissive, or several with "
	    "commas between them", "shell:strict" },
	[OPTION_KIND_URL] = { "URL", OPTION_PLAIN,
	    "http:// or https://, a host and perhaps a path, without a query",
	    "https://caisson.example.org" },
	[OPTION_KIND_ADDRESS] = { "ADDRESS", OPTION_PLAIN,
	    "an address of IPv4 or IPv6", "127.0.0.1" },
	[OPTION_KIND_SWITCH] = { "on|off", OPTION_PLAIN, "on or off", NULL },
};

static const struct option_unit option_value_days[] = { { 'd', 1 },
	{ '\0', 0 } };
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
	case OPTION_KIND_DAYS:
		return option_value_days;
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
option_value_word(const char *const *words, const char *text, uint64_t *number)
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
		const char *other, *ours;
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
option_value_words(const char *const *words, const char *text, uint64_t *number)
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

/* Names */

/*
 * Names of modules, separated by commas, are valid operands of an import
 * statement: only the interpreter can tell whether they exist.
 */
static int
option_names_parse(const char *text, uint64_t *number)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *p = text;
	size_t len;

	*number = strlen(text);
	while (*p != '\0') {
		len = strspn(p, word);
		if (len == 0 || (*p >= '0' && *p <= '9'))
			return -1;
		p += len;
		if (*p == '\0')
			return 0;
		if (*p != '.' && *p != ',')
			return -1;
		p++;
		if (*p == '\0')
			return -1;
	}
	return 0;
}

/* A name does not look like a flag. */
static int
option_name_parse(const char *text, uint64_t most, uint64_t *number)
{
	const char *p;

	*number = strlen(text);
	for (p = text; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return -1;
	return text[0] != '-' && *number <= most &&
	        utf8_valid(text, *number) ? 0 : -1;
}

/* Parses a number from 1 to CONTAINER_ID_MAX; *end is set behind it. */
static int
option_name_id(const char *text, const char **end)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long id;

	if (digits == 0 || digits > CONTAINER_ID_DIGITS)
		return -1;
	id = strtoull(text, NULL, 10);
	*end = text + digits;
	return id > 0 && id <= CONTAINER_ID_MAX ? 0 : -1;
}

/* The numbers of a user and a group, none of them root. */
static int
option_user_parse(const char *text, uint64_t *number)
{
	const char *end;

	*number = strlen(text);
	if (option_name_id(text, &end) == -1 || *end != ':' ||
	    option_name_id(end + 1, &end) == -1)
		return -1;
	return *end == '\0' ? 0 : -1;
}

/* Hosts and sockets */

#define OPTION_NAME_CHARS                                                      \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
#define OPTION_SCHEME_CHARS OPTION_NAME_CHARS "+"

/* Returns whether it is NAME or NAME:PORT, as the field Host has it. */
static int
option_is_host(const char *text)
{
	size_t len = *text == '[' ? strcspn(text, "]") + 1 :
	                            strspn(text, OPTION_NAME_CHARS);
	const char *port = text + len;

	if (len == 0 ||
	    (*text == '[' && strspn(text + 1, "0123456789abcdefABCDEF:.") +
	                2 != len))
		return 0;
	if (*port == '\0')
		return 1;
	return *port == ':' && address_port(port + 1) > 0;
}

/*
 * Returns whether it is SCHEME://HOST, as a browser sends it; pages without an
 * origin send null.
 */
static int
option_is_origin(const char *text)
{
	size_t len = strspn(text, OPTION_SCHEME_CHARS);

	return strcmp(text, "null") == 0 ||
	    (len > 0 && strncmp(text + len, "://", 3) == 0 &&
	        option_is_host(text + len + 3));
}

/* Returns whether it is http(s)://HOST, perhaps with a path. */
static int
option_is_url(const char *text)
{
	const char *host = strstr(text, "://");
	auto_free char *origin = host == NULL ? mem_strdup("") :
	    mem_dup(text, (size_t)(host - text) + 3 + strcspn(host + 3, "/"));

	return (strncmp(text, "http:", 5) == 0 ||
	           strncmp(text, "https:", 6) == 0) &&
	    option_is_origin(origin) && strpbrk(text, "?# \t\r\n") == NULL;
}

/* Returns whether it is ADDRESS:PORT, or unix: and a path. */
static int
option_is_socket(const char *text)
{
	union address_socket address;
	size_t prefix = strlen(OPTION_UNIX);

	return strncmp(text, OPTION_UNIX, prefix) == 0 ?
	    text[prefix] != '\0' && utf8_valid(text, strlen(text)) :
	    address_read(text, &address) > 0;
}

static int
option_is_address(const char *text)
{
	unsigned char binary[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, binary) == 1 ||
	    inet_pton(AF_INET6, text, binary) == 1;
}

static int
option_is_limits(const char *text)
{
	size_t len = strcspn(text, ": \t");

	return len > 0 && text[len] == ':' &&
	    option_limits_word(text + len + 1) != NULL;
}

/* An address, or items separated by commas, as the kind says. */
static int
option_network_parse(enum option_kind kind, const char *text, uint64_t *number)
{
	int (*is)(const char *) = kind == OPTION_KIND_SOCKETS ?
	    option_is_socket : kind == OPTION_KIND_HOSTS ? option_is_host :
	    kind == OPTION_KIND_LIMITS ? option_is_limits :
	    kind == OPTION_KIND_ORIGINS ? option_is_origin :
	    kind == OPTION_KIND_URL     ? option_is_url : option_is_address;
	size_t len;

	*number = strlen(text);
	for (; *number > 0; text += len + 1) {
		auto_free char *item = NULL;

		len = kind == OPTION_KIND_ADDRESS || kind == OPTION_KIND_URL ?
		    strlen(text) : strcspn(text, ",");
		item = mem_printf("%.*s", (int)len, text);
		if (!is(item))
			return -1;
		if (text[len] == '\0')
			break;
	}
	return 0;
}

/* All */

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
	case OPTION_KIND_LIMITS:
	case OPTION_KIND_URL:
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

/* Appends words, behind a lead if there are several. */
static void
option_value_add_words(
    struct buffer *buffer, const char *lead, const char *const *words)
{
	size_t i;

	if (words[1] != NULL)
		buffer_add_text(buffer, lead);
	for (i = 0; words[i] != NULL; i++)
		buffer_printf(buffer, "%s%s", i > 0 ? ", " : "", words[i]);
}

void
option_value_add_allowed(struct buffer *buffer, const struct option_row *row)
{
	const struct option_kind_row *kind = &option_kinds[row->kind];

	if (kind->form == OPTION_LIST)
		option_value_add_words(buffer, kind->allowed, row->words);
	else
		buffer_add_text(buffer, kind->allowed);
	if (kind->form == OPTION_RANGE) {
		buffer_add_text(buffer, " from ");
		option_value_add(buffer, row, row->least);
		buffer_add_text(buffer, " to ");
		option_value_add(buffer, row, row->most);
	}
	if (kind->form == OPTION_BYTES)
		buffer_printf(buffer, "at most %llu bytes)%s",
		    (unsigned long long)row->most,
		    row->least == 0 ? " or nothing" : "");
	if (row->kind == OPTION_KIND_PROGRAM)
		buffer_add_text(buffer, ", or an absolute path");
}

void
option_value_add_examples(struct buffer *buffer, const struct option_row *row)
{
	if (option_kinds[row->kind].example != NULL)
		buffer_printf(buffer, ", such as %s",
		    option_kinds[row->kind].example);
}

const char *
option_value_what(const struct option_row *row)
{
	return option_kinds[row->kind].what;
}
