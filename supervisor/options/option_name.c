/*
 * Values of options that are names: see option_name.h. Runs in the supervisor;
 * pure.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/utf8.h"
#include "option_name.h"

int
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

int
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

int
option_user_parse(const char *text, uint64_t *number)
{
	const char *end;

	*number = strlen(text);
	if (option_name_id(text, &end) == -1 || *end != ':' ||
	    option_name_id(end + 1, &end) == -1)
		return -1;
	return *end == '\0' ? 0 : -1;
}

void
option_name_add_allowed(struct buffer *buffer, const struct option_row *row)
{
	if (row->kind == OPTION_KIND_USER)
		buffer_printf(buffer, "two numbers from 1 to %u with a colon "
		    "between them", CONTAINER_ID_MAX);
	else
		buffer_printf(buffer, "a name without blanks (UTF-8, at most "
		    "%llu bytes)%s", (unsigned long long)row->most,
		    row->least == 0 ? " or nothing" : "");
}
