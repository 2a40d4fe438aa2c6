/*
 * Values of options that are names: see option_name.h. Runs in the supervisor;
 * pure.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/address.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
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
	len = strspn(port + 1, "0123456789");
	return *port == ':' && len > 0 && len <= 5 && port[1 + len] == '\0';
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

int
option_network_parse(
    enum option_kind kind, const char *text, uint64_t *number)
{
	int (*is)(const char *) = kind == OPTION_KIND_SOCKETS ?
	    option_is_socket : kind == OPTION_KIND_HOSTS ? option_is_host :
	    kind == OPTION_KIND_ORIGINS ? option_is_origin : option_is_address;
	size_t len;

	*number = strlen(text);
	for (; *number > 0; text += len + 1) {
		auto_free char *item = NULL;

		len = kind == OPTION_KIND_ADDRESS ? strlen(text) :
		                                    strcspn(text, ",");
		item = mem_printf("%.*s", (int)len, text);
		if (!is(item))
			return -1;
		if (text[len] == '\0')
			break;
	}
	return 0;
}

/* Returns the allowed values of a kind of the network. */
static const char *
option_network_allowed(enum option_kind kind)
{
	switch (kind) {
	case OPTION_KIND_SOCKETS:
		return "ADDRESS:PORT or unix:PATH, or several with commas "
		       "between them";
	case OPTION_KIND_HOSTS:
		return "NAME or NAME:PORT, or several with commas between "
		       "them, without a scheme, a path or a wildcard";
	case OPTION_KIND_ORIGINS:
		return "a scheme and a name, or several with commas between "
		       "them, without a path";
	case OPTION_KIND_ADDRESS:
		return "an address of IPv4 or IPv6";
	default:
		return NULL;
	}
}

void
option_name_add_allowed(struct buffer *buffer, const struct option_row *row)
{
	const char *network = option_network_allowed(row->kind);

	if (network != NULL)
		buffer_add_text(buffer, network);
	else if (row->kind == OPTION_KIND_USER)
		buffer_printf(buffer, "two numbers from 1 to %u with a colon "
		    "between them", CONTAINER_ID_MAX);
	else
		buffer_printf(buffer, "a name without blanks (UTF-8, at most "
		    "%llu bytes)%s", (unsigned long long)row->most,
		    row->least == 0 ? " or nothing" : "");
}
