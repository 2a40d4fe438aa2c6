/*
 * Addresses of clients: see address.h. Linked into every process.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "address.h"

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
