/*
 * Addresses of clients, as text. Used by the gateway and the supervisor; pure.
 */
#ifndef COMMON_ADDRESS_H
#define COMMON_ADDRESS_H

#include "limits.h"

/*
 * Writes the group of an address, whose limits it shares: of IPv6 its network
 * of 64 bits, of which one user has all addresses; else the address itself, or
 * any other text.
 */
void address_group(const char *address, char group[HTTP_ADDRESS_MAX + 1]);

#endif
