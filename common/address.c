/* Addresses: see address.h. Linked into every process. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "base/mem.h"

void
address_group(const char *address, char group[HTTP_ADDRESS_MAX + 1])
{
	/* An address of IPv4 in the form of IPv6. */
	static const struct in6_addr mapped = { .s6_addr = { [10] = 0xff,
		                                    [11] = 0xff } };
	struct in6_addr binary;

	snprintf(group, HTTP_ADDRESS_MAX + 1, "%s", address);
	if (inet_pton(AF_INET6, address, &binary) != 1 ||
	    memcmp(&binary, &mapped, 12) == 0)
		return;
	memset(binary.s6_addr + 8, 0, 8);
	inet_ntop(AF_INET6, &binary, group, HTTP_ADDRESS_MAX + 1);
}

const char *
address_host(const char *url)
{
	const char *host = strncasecmp(url, "https://", 8) == 0 ? url + 8 :
	    strncasecmp(url, "http://", 7) == 0 ? url + 7 : NULL;

	for (; *url != '\0'; url++)
		if ((unsigned char)*url <= ' ' || strchr("\\\x7f", *url))
			return NULL;
	return host == NULL || strcspn(host, "/?#:") == 0 ? NULL : host;
}

int
address_port(const char *text)
{
	size_t len = strspn(text, "0123456789");
	unsigned long port;

	if (len == 0 || len > 5 || text[len] != '\0')
		return -1;
	port = strtoul(text, NULL, 10);
	return port > UINT16_MAX ? -1 : (int)port;
}

socklen_t
address_read(const char *where, union address_socket *address)
{
	const char *colon = strrchr(where, ':');
	auto_free char *name = NULL;
	int port = colon == NULL ? -1 : address_port(colon + 1);
	size_t len;

	memset(address, 0, sizeof(*address));
	if (port == -1)
		return 0;
	name = mem_printf("%.*s", (int)(colon - where), where);
	len = strlen(name);
	if (len > 2 && *name == '[' && name[len - 1] == ']') {
		name[len - 1] = '\0';
		address->in6.sin6_family = AF_INET6;
		address->in6.sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, name + 1,
		           &address->in6.sin6_addr) == 1 ?
		    sizeof(address->in6) : 0;
	}
	address->in.sin_family = AF_INET;
	address->in.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET,
	           strcmp(name, "localhost") == 0 ? "127.0.0.1" : name,
	           &address->in.sin_addr) == 1 ? sizeof(address->in) : 0;
}
