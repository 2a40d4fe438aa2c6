/* Addresses of clients and of the web, as text; pure. */
#ifndef COMMON_ADDRESS_H
#define COMMON_ADDRESS_H

#include <netinet/in.h>
#include <sys/un.h>

#include "limits.h"

/* The address of a socket of any kind that is served. */
union address_socket {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

/*
 * Writes the group of an address, whose limits it shares: of IPv6 its network
 * of 64 bits, of which one user has all addresses; else the address itself, or
 * any other text.
 */
void address_group(const char *address, char group[HTTP_ADDRESS_MAX + 1]);

/*
 * Reads ADDRESS:PORT, where an address of IPv6 is in brackets and localhost is
 * 127.0.0.1. Returns the length of the address, or 0 if it is none.
 */
socklen_t address_read(const char *where, union address_socket *address);

/*
 * Returns the host of an address of the web and what follows it; NULL if it has
 * none, no http or https, or a character that such an address never has.
 */
const char *address_host(const char *url);

/* Returns the number, at most that of the last port, or -1. */
int address_port(const char *text);

#endif
